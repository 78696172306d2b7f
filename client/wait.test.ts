import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from './index';

let server: Server;
let answers: ((response: ServerResponse) => void)[];
let client: ReturnType<typeof createClient>;
const requests: string[] = [];

beforeEach(async () => {
  requests.length = 0;
  server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const answer = answers.shift();
    if (answer) answer(response);
    else response.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  client = createClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 't' });
});
afterEach(() => server.closeAllConnections());
afterEach(() => void server.close());

const json =
  (body: object, status = 200, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
const event = (status: string) => `data: ${JSON.stringify({ job_run_id: 'r', status })}\n\n`;

describe('waitFor', () => {
  test('follows the events to the end and resolves with the run', async () => {
    answers = [
      (response) => response.end(event('RUNNING') + event('COMPLETED')),
      json({ job_run_id: 'r', status: 'COMPLETED' }),
    ];
    const seen: string[] = [];
    const run = await client.jobRuns.waitFor('r', { onChange: ({ status }) => seen.push(status) });
    expect(run).toMatchObject({ status: 'COMPLETED' });
    expect(seen).toEqual(['RUNNING', 'COMPLETED']);
  });

  test('opens the events again when the connection is cut off', async () => {
    answers = [
      (response) => response.write(event('RUNNING'), () => response.destroy()),
      (response) => response.end(event('FAILED')),
      json({ job_run_id: 'r', status: 'FAILED' }),
    ];
    expect(await client.jobRuns.waitFor('r')).toMatchObject({ status: 'FAILED' });
    expect(requests.map((request) => request.split('/').at(-1))).toEqual(['events', 'events', 'r']);
  });

  test('rejects at once with a refusal, and with the reason of an abort', async () => {
    answers = [json({ errors: [{ code: 'JOB_RUN_NOT_FOUND', message: 'no' }], trace: 't' }, 404)];
    await expect(client.jobRuns.waitFor('r')).rejects.toMatchObject({ code: 'JOB_RUN_NOT_FOUND', status: 404 });
    answers = [(response) => void response.write(event('RUNNING'))];
    const stop = new AbortController();
    const waiting = client.jobRuns.waitFor('r', {
      signal: stop.signal,
      onChange: () => stop.abort(new Error('enough')),
    });
    await expect(waiting).rejects.toThrow('enough');
    expect(requests).toHaveLength(2);
  });
});

describe('retries', () => {
  const busy = json({ errors: [{ code: 'RATE_LIMITED', message: 'later' }] }, 429, { 'Retry-After': '0' });

  test('a read is retried when the server is unavailable or busy', async () => {
    answers = [busy, (response) => void response.destroy(), json({ flow_id: 'f' })];
    expect(await client.flows.get('f')).toEqual({ flow_id: 'f' });
  });

  test('a read fails with the last reply after two repetitions', async () => {
    answers = [busy, busy, busy, json({})];
    await expect(client.flows.get('f')).rejects.toMatchObject({ status: 429, retryAfter: 0 });
    expect(requests).toHaveLength(3);
  });

  test('a search that was refused because too many wait is repeated, also under the name in lower case', async () => {
    const refused = (code: string) => json({ errors: [{ code, message: 'later' }] }, 503, { 'Retry-After': '0' });
    answers = [refused('SEARCH_BUSY'), refused('search_busy'), json({ documents: [] })];
    expect(await client.documents.search({ query: 'okapi' })).toEqual({ documents: [] });
    answers = [refused('SEARCH_CONNECTION_FAILED')];
    await expect(client.documents.search({ query: 'okapi' })).rejects.toMatchObject({ status: 503 });
    expect(requests).toHaveLength(4);
  });

  test('a change is sent once, and so is a rejected read', async () => {
    answers = [busy];
    await expect(client.flows.remove('f')).rejects.toMatchObject({ status: 429 });
    answers = [json({ errors: [{ code: 'FORBIDDEN', message: 'no' }] }, 403)];
    await expect(client.flows.get('f')).rejects.toMatchObject({ status: 403 });
    expect(requests).toHaveLength(2);
  });
});
