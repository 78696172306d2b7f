import { randomBytes } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { createClient } from '../../client';
import { createTokens } from '../../services/login/tokens';
import { documentsIn, reading, runToEnd } from '../support/system/over-http';
import { createSystem, type System, until } from '../support/system/system';

const secret = 'signing key of the test of payload keys';
const uiOrigin = 'http://127.0.0.1:18233';
let system: System;
let address: string;

beforeAll(async () => {
  system = createSystem({
    DOCLOOM_PAYLOAD_KEYS: randomBytes(32).toString('base64'),
    DOCLOOM_ADMIN_GROUPS: 'admins',
    TEMPORAL_UI_ADDRESS: uiOrigin,
    CORS_ORIGINS: 'http://app.example.org',
  });
  [address] = await Promise.all([system.startApi({ JWT_SECRET_KEY: secret }), system.startWorker()]);
});
afterAll(() => system.stop());

const getToken = (username: string, ...groups: string[]) =>
  createTokens({ secret, expireMinutes: 5 }).issue({ username, email: '', full_name: '', groups });
const codec = (path: string, headers: Record<string, string>, body: unknown = { payloads: [] }, method = 'POST') =>
  fetch(`${address}/api/v1/temporal/codec/${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
  });

/** The payloads of the first event of a workflow, as Temporal keeps them. */
async function storedPayloads(workflowId: string) {
  const connection = await Connection.connect({ address: system.env['TEMPORAL_ADDRESS'] ?? '' });
  try {
    const history = await new Client({ connection }).workflow.getHandle(workflowId).fetchHistory();
    const payloads = history.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    return payloads.map(({ metadata, data }) => ({
      metadata: Object.fromEntries(
        Object.entries(metadata ?? {}).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]),
      ),
      data: Buffer.from(data ?? []).toString('base64'),
    }));
  } finally {
    await connection.close();
  }
}

test('conversions with payload keys end: one that is waited for, one with several sources, one that fails', async () => {
  const source = (text: string, filename = 'a.md') => ({
    kind: 'file',
    filename,
    base64_string: Buffer.from(text).toString('base64'),
  });
  const convert = async (...sources: object[]) => {
    const response = await fetch(`${address}/v1/convert/source`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ sources, options: { to_formats: ['md'] } }),
      signal: AbortSignal.timeout(45_000),
    });
    return { status: response.status, text: Buffer.from(await response.arrayBuffer()).toString('latin1') };
  };
  expect((await convert(source('# Lynx'))).text).toContain('# Lynx');
  expect((await convert(source('# One'), source('# Two', 'b.md'))).status).toBe(200);
  expect((await convert(source('no archive', 'bad.docx'))).text).toContain('failure');
});

test('conversions in other forms end as well: uploaded files, a task that is polled, an archive, and none at all', async () => {
  const form = new FormData();
  for (const name of ['a.md', 'b.md']) form.append('files', new Blob([`# Of ${name}`]), name);
  form.append('to_formats', 'json');
  form.append('to_formats', 'text');
  const signal = AbortSignal.timeout(60_000);
  const uploaded = await fetch(`${address}/v1/convert/file`, { method: 'POST', body: form, signal });
  expect([uploaded.status, uploaded.headers.get('content-type')]).toEqual([200, 'application/zip']);

  const send = (path: string, body: object) =>
    fetch(`${address}/v1/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    });
  const file = { kind: 'file', filename: 'a.md', base64_string: Buffer.from('# Lynx\n\nA text.').toString('base64') };
  const submitted = (await (await send('convert/source/async', { sources: [file] })).json()) as { task_id: string };
  let status = '';
  await until('the task has ended', async () => {
    const reply = await fetch(`${address}/v1/status/poll/${submitted.task_id}?wait=5`, { signal });
    status = ((await reply.json()) as { task_status: string }).task_status;
    return status === 'success' || status === 'failure';
  });
  expect(status).toBe('success');
  expect((await send('chunk/hybrid/source', { sources: [file] })).status).toBe(200);
  expect((await send('convert/source', { sources: [] })).status).toBe(422);
});

test.each([
  ['a token in the address', (token: string) => [`decode?token=${token}&access_token=${token}`, {}]],
  [
    'a token in a cookie of another name',
    (token: string) => ['decode', { Cookie: `token=${token}; docloom=${token}` }],
  ],
  [
    'another scheme',
    (token: string) => ['decode', { Authorization: `Basic ${Buffer.from(`:${token}`).toString('base64')}` }],
  ],
  ['a namespace of another', () => ['decode', { 'X-Namespace': 'default', 'X-Forwarded-User': 'root' }]],
] as [string, (token: string) => [string, Record<string, string>]][])(
  'the codec takes no login from %s',
  async (_what, attempt) => {
    const [path, headers] = attempt(getToken('root', 'admins'));
    expect((await codec(path, headers)).status).toBe(401);
  },
);

test.each([
  ['a list of lists', { payloads: [[], [[]]] }],
  ['metadata that is no text', { payloads: [{ metadata: { encoding: [1] }, data: 5 }] }],
  [
    'a name of the language',
    JSON.parse('{"payloads":[{"metadata":{"__proto__":"x","encoding":"eA=="},"data":"eA=="}]}'),
  ],
  ['a payload that was changed', { payloads: [{ metadata: { encoding: 'YmluYXJ5L2VuY3J5cHRlZA==' }, data: '////' }] }],
])('the codec answers %s without an error of the server', async (_what, body) => {
  const admin = { Authorization: `Bearer ${getToken('root', 'admins')}` };
  for (const path of ['decode', 'encode']) expect((await codec(path, admin, body)).status).toBeLessThan(500);
});

test('a flow ends, its names are encrypted in the history, and the codec shows them to administrators only', async () => {
  const folder = documentsIn(system, 'docs', { 'a.md': '# Lynx' }, { allowed_users: ['alice'] });
  const client = createClient({ baseUrl: address, token: getToken('alice') });
  const { flow_id } = await client.flows.create({
    flow_name: `keys-${system.env['DOCLOOM_TASK_QUEUE']}`,
    flow: [
      ...reading(folder),
      { type: 'document_set', name: 'keep', depends_on: ['extract'], config: { document_set_name: 'keys' } },
    ],
  });
  const run = await runToEnd(client, flow_id);
  expect(run).toMatchObject({ status: 'COMPLETED', totals: { completed: 1 } });
  const payloads = await storedPayloads(run.job_run_id);
  const clear = (list: { data: string }[]) => list.map(({ data }) => Buffer.from(data, 'base64').toString()).join();
  expect(payloads.length).toBeGreaterThan(0);
  expect(clear(payloads)).not.toContain('alice');

  const admin = { Authorization: `Bearer ${getToken('root', 'admins')}` };
  const decoded = (await (await codec('decode', admin, { payloads })).json()) as { payloads: { data: string }[] };
  expect(clear(decoded.payloads)).toContain(run.job_run_id);
  const again = await (await codec('encode', admin, decoded)).json();
  expect(clear((again as typeof decoded).payloads)).not.toContain(run.job_run_id);
  expect((await codec('decode', { Authorization: `Bearer ${getToken('alice')}` }, { payloads })).status).toBe(403);
  expect((await codec('encode', { Authorization: `Bearer ${getToken('alice')}` }, decoded)).status).toBe(403);
  expect((await codec('decode', {}, { payloads })).status).toBe(401);
  const foreign = { payloads: [{ metadata: { encoding: 'YmluYXJ5L2VuY3J5cHRlZA==' }, data: 'bm9uZSBvZiBvdXJz' }] };
  expect(await (await codec('decode', admin, foreign)).json()).toEqual(foreign);
});

test('only the Temporal UI may ask the codec from a browser, with the cookie of an administrator', async () => {
  const preflight = async (origin: string) => {
    const asked = { Origin: origin, 'Access-Control-Request-Method': 'POST' };
    const { headers } = await codec('decode', asked, undefined, 'OPTIONS');
    return [headers.get('Access-Control-Allow-Origin'), headers.get('Access-Control-Allow-Credentials')];
  };
  expect(await preflight(uiOrigin)).toEqual([uiOrigin, 'true']);
  for (const origin of ['http://app.example.org', 'http://127.0.0.1:18234', 'null', `${uiOrigin}.example.org`])
    expect(await preflight(origin)).toEqual([null, null]);

  const opened = await codec('session', { Authorization: `Bearer ${getToken('root', 'admins')}` });
  expect(opened.status).toBe(204);
  const cookie = opened.headers.get('Set-Cookie') ?? '';
  expect(cookie).toContain('HttpOnly; SameSite=Strict');
  const Cookie = cookie.split(';')[0] as string;
  expect((await codec('decode', { Cookie, Origin: uiOrigin })).status).toBe(200);
  expect((await codec('session', { Authorization: `Bearer ${getToken('alice')}` })).status).toBe(403);
  expect((await fetch(`${address}/api/v1/flows`, { headers: { Cookie } })).status).toBe(401);
});
