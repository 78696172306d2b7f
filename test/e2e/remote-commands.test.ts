import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
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

test('a login is kept in a file that only its owner may read; runs and searches act as that user until the logout', async () => {
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
  const { report } = await system.run(flow, '--user', 'alice');

  const list = JSON.parse((await docloom(['runs', '--json'])).stdout) as JobRunList;
  expect(list).toMatchObject({ total: 1, list: [{ job_run_id: report.job_run_id, user_id: 'alice' }] });
  const shown = (await docloom(['runs'])).stdout;
  expect(shown).toMatch(new RegExp(`${report.job_run_id} +remote +alice +COMPLETED_WITH_ERRORS .* 1 +1 +2\n$`));
  const one = (await docloom(['runs', report.job_run_id])).stdout;
  expect(one).toContain('broken.docx (extract): ');
  expect(one).toMatch(new RegExp(`/workflows/remote%2F[^/]+%2F${report.job_run_id}`));
  const json = JSON.parse((await docloom(['runs', report.job_run_id, '--json'])).stdout) as JobRunReply & {
    failed_documents: object[];
  };
  expect(json).toMatchObject({ job_run_id: report.job_run_id, failed_documents: [{ name: 'broken.docx' }] });
  const found = await docloom(['search', 'okapi']);
  expect(found).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1 result for alice\n1\. .*fine\.md/) });

  expect(await docloom(['cancel', report.job_run_id])).toMatchObject({ code: 1 });
  expect(await docloom(['cancel', 'nonsense'])).toMatchObject({ code: 2 });
  expect((await docloom(['logout'])).stdout).toContain('Logged out');
  expect((await docloom(['runs'])).code).toBe(1);
});
