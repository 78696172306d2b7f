import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { createClient } from '../../client';
import type { FlowOperator } from '../../model/flow/flow';
import { createTokens } from '../../services/login/tokens';
import { workflowOfRun } from '../support/system/evidence';
import { documentsIn, reading, runToEnd } from '../support/system/over-http';
import { createSystem, type System } from '../support/system/system';

const canary = 'canary-of-the-worker';
const secret = 'signing key of the test of environment secrets';
let system: System;
let address: string;
let folder: string;
/** Headers and bodies sent to a local server. */
let received = '';
let server: Server;
let port: number;

beforeAll(async () => {
  server = createServer((request, response) => {
    received += JSON.stringify(request.headers);
    request.on('data', (chunk) => (received += String(chunk)));
    request.on('end', () => response.end('<p>A page.</p>'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
  system = createSystem({
    DOCLOOM_ALLOWED_HOSTS: 'localhost,127.0.0.1',
    DOCLOOM_SECRET_CANARY: canary,
    DOCLOOM_SECRET_CANARY_HOSTS: `localhost:${port}`,
  });
  folder = documentsIn(system, 'docs', { 'a.txt': 'A text.' }, { allowed_users: ['bob'] });
  [address] = await Promise.all([system.startApi({ JWT_SECRET_KEY: secret }), system.startWorker()]);
});
afterAll(async () => {
  server.close();
  await system.stop();
});

let count = 0;
/** Runs bob's flow, and returns everything that could contain the secret: replies, rows, files, histories, logs. */
async function run(...operators: FlowOperator[]) {
  received = '';
  const token = createTokens({ secret, expireMinutes: 5 }).issue({
    username: 'bob',
    email: '',
    full_name: '',
    groups: [],
  });
  const client = createClient({ baseUrl: address, token });
  count += 1;
  const name = `secrets${count}`;
  const last = operators.at(-1)?.name ?? '';
  const { flow_id } = await client.flows.create({
    flow_name: `${name}-${system.env['DOCLOOM_TASK_QUEUE']}`,
    flow: [
      ...operators,
      { type: 'document_set', name: 'keep', depends_on: [last], config: { document_set_name: name } },
    ],
  });
  const ended = await runToEnd(client, flow_id);
  const ask = async (route: string) =>
    (await fetch(`${address}/api/v1${route}`, { headers: { Authorization: `Bearer ${token}` } })).text();
  const texts = [JSON.stringify(ended), await ask(`/flows/${flow_id}`)];
  for (const part of ['documents', 'report', 'logs', 'flow'])
    texts.push(await ask(`/job_runs/${ended.job_run_id}/${part}`));
  texts.push(await history(ended.job_run_id), ...filesBelow(path.join(system.env['DOCLOOM_DATA'] as string, 'store')));
  for (const log of ['api.log', 'worker.log']) texts.push(readFileSync(path.join(system.folder, log), 'latin1'));
  return { ended, text: texts.join('\n') };
}

async function history(runId: string): Promise<string> {
  const connection = await Connection.connect({ address: system.env['TEMPORAL_ADDRESS'] ?? '' });
  try {
    const { workflow } = new Client({ connection });
    const { events } = await workflow.getHandle(await workflowOfRun(workflow, runId)).fetchHistory();
    return JSON.stringify(events, (_name, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
    );
  } finally {
    await connection.close();
  }
}

function filesBelow(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'));
}

const page = (params: object): FlowOperator => ({
  type: 'ingest_source',
  name: 'ingest',
  config: { provider: 'http', connection_params: params },
});
const extract: FlowOperator = { type: 'extract_operator', name: 'extract', depends_on: ['ingest'] };
const reference = '${DOCLOOM_SECRET_CANARY}';
const inQuery = (config: Record<string, unknown>): FlowOperator => ({
  type: 'sql_filter',
  name: 'sql',
  depends_on: ['extract'],
  config,
});

test.each<[string, () => FlowOperator[]]>([
  ['SQL', () => [...reading(folder), inQuery({ criteria_list: [`content <> '${reference}'`] })]],
  ['an address', () => [page({ urls: [`http://localhost:${port}/${reference}`] }), extract]],
  [
    'a header to another host',
    () => [page({ urls: [`http://127.0.0.1:${port}/`], headers: { 'X-Key': reference } }), extract],
  ],
  [
    'a header to two hosts',
    () => [
      page({ urls: [`http://localhost:${port}/`, `http://127.0.0.1:${port}/`], headers: { 'X-Key': reference } }),
      extract,
    ],
  ],
  [
    'a header beside a sitemap',
    () => [page({ sitemaps: `http://127.1:${port}/`, headers: { 'X-Key': reference } }), extract],
  ],
  [
    'a list of users',
    () => [page({ urls: [`http://localhost:${port}/`], allowed_users: ['bob', reference] }), extract],
  ],
  ['a path', () => reading(`${folder}/${reference}`)],
  [
    'a header to its host on another port',
    () => [page({ urls: [`http://localhost:${port + 1}/`], headers: { 'X-Key': reference } }), extract],
  ],
  [
    'a header to a host whose name begins like its own',
    () => [page({ urls: [`http://localhost:${port}@127.0.0.1:${port}/`], headers: { 'X-Key': reference } }), extract],
  ],
  ['a pattern of documents', () => [page({ urls: [`http://localhost:${port}/`], include: [reference] }), extract]],
])('a secret does not get into %s', async (_name, operators) => {
  const { ended, text } = await run(...operators());
  expect([ended.status, text.includes('SECRET_NOT_ALLOWED')]).toEqual(['FAILED', true]);
  expect(text.includes(canary) || received.includes(canary)).toBe(false);
});

test('it is sent to its listed host and appears nowhere else', async () => {
  const { ended, text } = await run(
    page({ urls: [`http://localhost:${port}/a.html`], headers: { 'X-Key': reference } }),
    extract,
  );
  expect(ended).toMatchObject({ status: 'COMPLETED' });
  expect(received).toContain(canary);
  expect(text).not.toContain(canary);
});
