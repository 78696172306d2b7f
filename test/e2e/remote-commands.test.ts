import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { RunReport } from '../../cli/run/report';
import { createClient, createConversionClient } from '../../client';
import type { JobRunList, JobRunReply } from '../../model/run/wire';
import { createSystem, type System } from '../support/system/system';

let system: System;
let server: string;
let home: string;
beforeAll(async () => {
  system = createSystem();
  home = path.join(system.folder, 'home');
  mkdirSync(home);
  await system.startWorker();
  server = await system.startApi();
  Object.assign(system.env, { XDG_CONFIG_HOME: home, DOCLOOM_SERVER: server });
});
afterAll(() => system.stop());

async function docloom(args: string[], input?: string) {
  const { child, result } = system.spawn(args);
  child.stdin?.end(input ?? '');
  return result;
}

test('a login is stored in a file that only its owner may read; runs and searches act as that user until the logout', async () => {
  const early = await docloom(['runs']);
  expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining(`docloom login --server ${server}`) });
  const wrong = await docloom(['login', '--user', 'alice', '--password-stdin'], 'guess\n');
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('UNAUTHORIZED') });
  const login = await docloom(['login', '--user', 'alice', '--password-stdin'], 'alice-secret\n');
  expect(login).toMatchObject({ code: 0, stdout: `Logged in at ${server} as alice.\n` });
  const file = path.join(home, 'docloom', 'logins.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).not.toContain('alice-secret');

  const flow = path.join(system.folder, 'flow.json');
  const documents = path.join(system.folder, 'docs');
  mkdirSync(documents);
  writeFileSync(path.join(documents, 'fine.md'), '# Okapi\n\nokapi in the woods');
  writeFileSync(path.join(documents, 'broken.docx'), 'no archive');
  const index = { provider: 'opensearch', index_name: `${system.env['SEARCH_DEFAULT_INDEX']}-remote` };
  const operators = [
    { type: 'ingest_source', name: 'ingest', config: { connection_params: { paths: [documents] } } },
    { type: 'extract_operator', name: 'extract', depends_on: ['ingest'] },
    { type: 'vectordb', name: 'index', depends_on: ['extract'], config: index },
  ];
  writeFileSync(flow, JSON.stringify({ flow_name: 'remote', flow: operators }));
  // A first run at the server of the login, a second one with the same flow.
  const first = await docloom(['run', flow, '--json']);
  expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 3, stderr: '' });
  const report = JSON.parse(first.stdout) as RunReport;
  expect(report).toMatchObject({
    status: 'COMPLETED_WITH_ERRORS',
    totals: { documents: 2, completed: 1, failed: 1 },
    failures: [{ name: 'broken.docx' }],
    failures_total: 1,
  });

  const list = JSON.parse((await docloom(['runs', '--json'])).stdout) as JobRunList;
  expect(list).toMatchObject({ total: 1, list: [{ job_run_id: report.job_run_id, user_id: 'alice' }] });
  const shown = (await docloom(['runs'])).stdout;
  expect(shown).toMatch(new RegExp(`${report.job_run_id} +remote +alice +COMPLETED_WITH_ERRORS .* 1 +1 +2\n$`));
  const stdout = (await docloom(['runs', report.job_run_id])).stdout;
  expect(stdout).toContain('broken.docx (extract): ');
  expect(stdout).toMatch(new RegExp(`/workflows/remote%2F[^/]+%2F${report.job_run_id}`));
  const json = JSON.parse((await docloom(['runs', report.job_run_id, '--json'])).stdout) as JobRunReply & {
    failed_documents: object[];
  };
  expect(json).toMatchObject({ job_run_id: report.job_run_id, failed_documents: [{ name: 'broken.docx' }] });
  const found = await docloom(['search', 'okapi']);
  expect(found).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1 result for alice\n1\. .*fine\.md/) });

  expect(await docloom(['cancel', report.job_run_id])).toMatchObject({ code: 1 });
  expect(await docloom(['cancel', 'nonsense'])).toMatchObject({ code: 2 });

  // The flow is stored once; a changed one replaces it, with a message.
  writeFileSync(flow, JSON.stringify({ flow_name: 'remote', flow: operators, global_config: { micro_batch_size: 5 } }));
  const second = await docloom(['run', flow]);
  expect(second.code).toBe(3);
  expect(second.stderr).toMatch(/^The stored flow 'remote' was replaced; .*\nrun [0-9a-f-]+: http/);
  expect(second.stderr).toMatch(/^[A-Z_]+ ingest \d+\/(\d+|\?)/m);
  expect(JSON.parse((await docloom(['runs', '--json'])).stdout)).toMatchObject({ total: 2 });
  writeFileSync(flow, JSON.stringify({ flow_name: 'remote', flow: [{ type: 'nope', name: 'a' }] }));
  const invalid = await docloom(['run', flow, '--json']);
  expect(invalid).toMatchObject({ code: 2, stdout: expect.stringContaining('"FLOW_VALIDATION_FAILED"') });
  expect(await docloom(['validate', flow])).toMatchObject({ code: 2, stdout: expect.stringContaining('nope') });

  expect((await docloom(['logout'])).stdout).toContain('Logged out');
  expect((await docloom(['runs'])).code).toBe(1);
  expect((await docloom(['convert', path.join(documents, 'fine.md'), '--server', server])).code).toBe(1);
});

test('with an API key, documents are converted and graphs are built at the server; the key stays valid after a logout', async () => {
  const alice = createClient({ baseUrl: server });
  const { access_token: token } = await alice.login('alice', 'alice-secret');
  const { key } = await createClient({ baseUrl: server, token }).apiKeys.create({
    name: 'command line',
    scopes: ['read', 'run'],
  });
  expect(await docloom(['login', '--token-stdin', '--json'], `${key}\n`)).toMatchObject({
    code: 0,
    stdout: `${JSON.stringify({ address: server, username: 'alice' })}\n`,
  });
  const invoice = path.join(system.folder, 'invoice.md');
  writeFileSync(invoice, '# Invoice\n\nInvoice number: INV-7\n\nTotal: 12.50');
  const out = path.join(system.folder, 'out');
  const converted = await docloom(['convert', invoice, '--server', server, '--to', 'md,html', '-o', out, '--json']);
  expect({ code: converted.code, stderr: converted.stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(converted.stdout)).toMatchObject({ totals: { documents: 1, succeeded: 1 } });
  expect(readFileSync(path.join(out, 'invoice.md'), 'utf8')).toContain('INV-7');
  expect(readFileSync(path.join(out, 'invoice.html'), 'utf8')).toContain('INV-7');
  // The task belongs to alice, not to everybody.
  const tasks = await createConversionClient({ baseUrl: server, token }).list();
  expect(tasks.total).toBe(1);
  const broken = path.join(system.folder, 'broken.docx');
  writeFileSync(broken, 'no archive');
  expect(await docloom(['convert', broken, '--server', server, '-o', out])).toMatchObject({
    code: 3,
    stdout: expect.stringContaining('FAILED'),
  });
  expect(await docloom(['convert', invoice, '--server', server, '--password', 'x'])).toMatchObject({ code: 2 });

  const template = path.join(system.folder, 'template.json');
  const schema = { title: 'Invoice', type: 'object', properties: { invoice_number: { type: 'string' } } };
  writeFileSync(template, JSON.stringify(schema));
  const graph = await docloom(['graph', 'extract', invoice, '-t', template, '--server', server, '-o', out, '--json']);
  expect({ code: graph.code, stderr: graph.stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(graph.stdout)).toMatchObject({ ok: true, node_count: 1 });
  expect(readFileSync(path.join(out, 'graph.json'), 'utf8')).toContain('INV-7');

  expect((await docloom(['logout'])).stdout).toContain('stays valid');
  expect(existsSync(path.join(home, 'docloom', 'logins.json'))).toBe(false);
  expect(await createClient({ baseUrl: server, token: key }).me()).toMatchObject({ username: 'alice' });
});

test('a login that cannot be stored ends its session, and the refusal of a token from the environment names the variable', async () => {
  const { access_token: token } = await createClient({ baseUrl: server }).login('alice', 'alice-secret');
  const alice = createClient({ baseUrl: server, token });
  const listSessions = async () => (await alice.sessions.list()).items.map(({ session_id }) => session_id);
  const before = await listSessions();
  const file = path.join(system.folder, 'not-a-folder');
  writeFileSync(file, '');
  const { child, result } = system.spawn(['login', '--user', 'alice', '--password-stdin'], { XDG_CONFIG_HOME: file });
  child.stdin?.end('alice-secret\n');
  expect(await result).toMatchObject({ code: 2, stderr: expect.stringContaining('not-a-folder') });
  expect(await listSessions()).toEqual(before);

  const refused = await system.spawn(['runs'], { DOCLOOM_TOKEN: 'garbage' }).result;
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('DOCLOOM_TOKEN is set') });
});

test('addresses that would reveal the token are rejected: unencrypted, with a password, with an untrusted certificate', async () => {
  const words = (args: string[]) => docloom(['login', '--token-stdin', ...args], 'secret-token\n');
  const plain = await words(['--server', 'http://docs.example.org']);
  expect(plain).toMatchObject({ code: 2, stderr: expect.stringContaining('not encrypted') });
  const named = await words(['--server', 'https://alice:hidden@docs.example.org', '--json']);
  expect(named.code).toBe(2);
  expect(named.stdout + named.stderr).not.toContain('hidden');
  const [keyFile, certFile] = ['key.pem', 'cert.pem'].map((name) => path.join(system.folder, name)) as [string, string];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', keyFile, '-out', certFile, ...subject],
    {
      stdio: 'ignore',
    },
  );
  const seen: string[] = [];
  const host = createServer({ key: readFileSync(keyFile), cert: readFileSync(certFile) }, (request, response) => {
    seen.push(request.headers.authorization ?? '');
    response.setHeader('Content-Type', 'application/json').end('{"username": "alice"}');
  }).listen(0, '127.0.0.1');
  await once(host, 'listening');
  const address = `https://127.0.0.1:${(host.address() as AddressInfo).port}`;
  const refused = await words(['--server', address]);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('NODE_EXTRA_CA_CERTS') });
  expect(seen).toEqual([]);
  system.env['NODE_EXTRA_CA_CERTS'] = certFile;
  const accepted = await words(['--server', address]);
  host.close();
  expect(accepted).toMatchObject({ code: 0, stdout: `Logged in at ${address} as alice.\n` });
  expect(seen).toEqual(['Bearer secret-token']);
  expect(refused.stdout + refused.stderr + accepted.stdout + accepted.stderr).not.toContain('secret-token');
});
