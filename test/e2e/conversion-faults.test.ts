import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import { type ConversionSystem, startConversionSystem, type TaskView } from '../support/system/conversion-system';
import { until } from '../support/system/system';

const key = { 'X-Api-Key': 'second' };
let service: ConversionSystem;
let slow: SlowServer;
beforeAll(async () => {
  slow = await startSlowServer();
  service = await startConversionSystem({ DOCLOOM_ALLOWED_HOSTS: '127.0.0.1', CONVERT_SERVE_API_KEY: 'first,second' });
});
afterAll(async () => {
  slow.close();
  await service.stop();
});
const send: ConversionSystem['send'] = (method, path, init) =>
  service.send(method, path, { ...init, headers: { ...key, ...init?.headers } });

/** A host that delays its documents until they are released. */
interface SlowServer {
  url: string;
  /** Requests that wait, by path. */
  waiting: Map<string, ServerResponse>;
  /** Paths whose request was closed before the answer. */
  gone: Set<string>;
  release(path: string): void;
  close(): void;
}
async function startSlowServer(): Promise<SlowServer> {
  const waiting = new Map<string, ServerResponse>();
  const gone = new Set<string>();
  const server: Server = createServer((request, response) => {
    const path = request.url ?? '';
    waiting.set(path, response);
    response.on('close', () => {
      if (!response.writableEnded) gone.add(path);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    waiting,
    gone,
    release: (path) => void waiting.get(path)?.setHeader('Content-Type', 'text/markdown').end('# Slow\n\ndocument'),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
const slowSource = (path: string) => ({ sources: [{ kind: 'http', url: `${slow.url}${path}` }] });
const asked = (path: string) => until(`the worker asks for ${path}`, () => slow.waiting.has(path));

function watch(id: string) {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/v1/status/ws/${id}?api_key=second`);
  const states: string[] = [];
  socket.on('error', () => undefined);
  socket.on('message', (data) =>
    states.push((JSON.parse((data as Buffer).toString('utf8')) as { task: TaskView }).task.task_status),
  );
  const closed = once(socket, 'close').then(([code]) => Number(code));
  return { states, closed, seen: (state: string) => until(`${state} is seen`, () => states.includes(state)) };
}
const finished = async (id: string): Promise<TaskView> => {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline;) {
    const task = (await send('GET', `/v1/status/poll/${id}?wait=10`)).body as TaskView;
    if (task.task_status === 'success' || task.task_status === 'failure') return task;
  }
  throw new Error(`the task ${id} did not end`);
};

test('12. with keys set, requests and sockets without a key get 401, and any key is accepted', async () => {
  const { status, text } = await service.send('POST', '/v1/convert/source', { json: slowSource('/none.md') });
  expect([status, text]).toEqual([401, '{"detail":"Unauthorized"}']);
  expect((await service.send('GET', '/version')).status).toBe(200);
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/v1/status/ws/x`);
  socket.on('error', () => undefined);
  const [, refused] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  expect(refused.statusCode).toBe(401);
  refused.resume();
  const opening: Record<string, string>[] = [
    { 'X-Api-Key': 'first' },
    { 'X-Api-Key': 'second' },
    { Authorization: 'Bearer first' },
  ];
  for (const headers of opening) expect((await service.send('GET', '/v1/tasks', { headers })).status).toBe(200);
});

test('if the api is killed during a watch, the task continues, and a new watch sees it end', async () => {
  const { task_id } = (await send('POST', '/v1/convert/source/async', { json: slowSource('/watch.md') }))
    .body as TaskView;
  await asked('/watch.md');
  const first = watch(task_id);
  await first.seen('started');
  await service.killApi('SIGKILL');
  // Not 1000, which means that no more updates will come.
  expect(await first.closed).toBe(1006);
  await service.startApi();
  const second = watch(task_id);
  await second.seen('started');
  slow.release('/watch.md');
  expect(await second.closed).toBe(1000);
  expect(second.states.at(-1)).toBe('success');
  expect((await send('GET', `/v1/result/${task_id}`)).body).toMatchObject({
    document: { md_content: '# Slow\n\ndocument' },
  });
});

test('if the api is killed during a synchronous call, the task is found again and continues', async () => {
  const call = send('POST', '/v1/convert/source', { json: slowSource('/sync.md') });
  const lost = call.then(String, String);
  await asked('/sync.md');
  await service.killApi('SIGKILL');
  expect(await lost).toMatch(/fetch failed|terminated|socket/);
  await service.startApi();
  const { tasks } = (await send('GET', '/v1/tasks?state=started')).body as { tasks: TaskView[] };
  expect(tasks).toHaveLength(1);
  slow.release('/sync.md');
  const id = tasks[0]?.task_id ?? '';
  expect((await finished(id)).task_status).toBe('success');
  expect((await send('GET', `/v1/result/${id}`)).status).toBe(200);
});

test('if a signal stops the api, watches end and clients reconnect', async () => {
  const { task_id } = (await send('POST', '/v1/convert/source/async', { json: slowSource('/drain.md') }))
    .body as TaskView;
  const { closed, seen } = watch(task_id);
  await seen('started');
  await service.killApi('SIGTERM');
  expect(await closed).toBe(1012);
  await service.startApi();
  slow.release('/drain.md');
  expect((await finished(task_id)).task_status).toBe('success');
});

test('if the api stops during a synchronous call, the connection is cut and the task continues', async () => {
  const call = send('POST', '/v1/convert/source', { json: slowSource('/stop.md') });
  const lost = call.then(String, String);
  await asked('/stop.md');
  await service.killApi('SIGTERM');
  expect(await lost).toMatch(/fetch failed|terminated|socket/);
  await service.startApi();
  const { tasks } = (await send('GET', '/v1/tasks?state=started')).body as { tasks: TaskView[] };
  expect(tasks).toHaveLength(1);
  slow.release('/stop.md');
  expect((await finished(tasks[0]?.task_id ?? '')).task_status).toBe('success');
});

test('a client that hangs up during a synchronous call cancels its work', async () => {
  const gone = new AbortController();
  const call = fetch(`${service.url}/v1/convert/source`, {
    method: 'POST',
    body: JSON.stringify(slowSource('/hangup.md')),
    headers: { 'Content-Type': 'application/json', ...key },
    signal: gone.signal,
  });
  const lost = call.then(String, String);
  await asked('/hangup.md');
  gone.abort();
  expect(await lost).toMatch(/abort/i);
  await until('the worker has closed its request', () => slow.gone.has('/hangup.md'), 15_000);
  const { tasks } = (await send('GET', '/v1/tasks?limit=1')).body as { tasks: TaskView[] };
  expect(tasks[0]).toMatchObject({ task_status: 'failure', error_message: 'The task was cancelled by request.' });
});

test('DELETE cancels a running task within seconds', async () => {
  const { task_id } = (await send('POST', '/v1/convert/source/async', { json: slowSource('/delete.md') }))
    .body as TaskView;
  await asked('/delete.md');
  expect((await send('DELETE', `/v1/tasks/${task_id}`)).body).toMatchObject({ task_status: 'failure' });
  await until('the worker has closed its request', () => slow.gone.has('/delete.md'), 15_000);
  expect((await send('GET', `/v1/status/poll/${task_id}`)).body).toMatchObject({ task_status: 'failure' });
});

test('if the worker is killed in the middle of a task, another worker finishes it', async () => {
  const worker = await service.system.startWorker();
  const { task_id } = (await send('POST', '/v1/convert/source/async', { json: slowSource('/worker.md') }))
    .body as TaskView;
  await asked('/worker.md');
  const first = slow.waiting.get('/worker.md');
  await service.killWorkers();
  expect(worker.exitCode ?? worker.signalCode).not.toBeNull();
  await service.system.startWorker();
  await until('another worker sends the request again', () => slow.waiting.get('/worker.md') !== first, 60_000);
  slow.release('/worker.md');
  expect((await finished(task_id)).task_status).toBe('success');
});

test('an upload of 300 MB is rejected before it has been sent', async () => {
  const started = Date.now();
  const status = await new Promise((resolve, reject) => {
    const request = httpRequest(`${service.url}/v1/convert/file`, {
      method: 'POST',
      headers: { ...key, 'Content-Type': 'multipart/form-data; boundary=b', 'Content-Length': 300 * 1024 * 1024 },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      resolve(response.statusCode);
      response.resume();
      request.destroy();
    });
    request.write('--b\r\n');
  });
  expect(status).toBe(413);
  expect(Date.now() - started).toBeLessThan(5_000);
});

test('addresses of this network are rejected, as numbers and by name', async () => {
  const strict = await startConversionSystem();
  try {
    for (const url of [`${slow.url}/private.md`, 'http://localhost:8099/a.md', 'http://169.254.169.254/latest.md']) {
      const json = { sources: [{ kind: 'http', url }] };
      const { status, body } = await strict.send('POST', '/v1/convert/source', { json });
      expect(status).toBe(422);
      expect(body).toMatchObject({ detail: [{ loc: ['body', 'sources', 0, 'http', 'url'] }] });
    }
    expect(slow.waiting.has('/private.md')).toBe(false);
  } finally {
    await strict.stop();
  }
});
