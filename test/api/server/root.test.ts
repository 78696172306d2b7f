import { Agent, createServer, get } from 'node:http';
import { connect } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import Koa from 'koa';
import { listen } from '../../../api/http/listen';
import { AppError } from '../../../model/errors';
import { startApi } from '../../support/api/server';

test('the root welcomes and links everything', async () => {
  const api = await startApi({}, { version: '1.2.3' });
  expect((await api.call('GET', '/')).body).toMatchObject({
    message: 'Welcome to Docloom',
    version: '1.2.3',
    addresses: {
      docs: `${api.url}/api/v1/docs`,
      openapi: `${api.url}/api/v1/openapi.json`,
      temporal_ui: 'http://127.0.0.1:8233',
    },
  });
  expect((await api.call('GET', '/health')).body).toEqual({ status: 'ok' });
  await api.close();
});

test('a browser is sent from the root to the console, a program is not', async () => {
  const api = await startApi();
  const open = (accept: string) => fetch(`${api.url}/`, { redirect: 'manual', headers: { Accept: accept } });
  const page = await open('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8');
  expect([page.status, page.headers.get('Location')]).toEqual([307, `${api.url}/console/`]);
  const data = await open('application/json, text/html');
  expect([data.status, data.headers.get('Vary')]).toEqual([200, expect.stringContaining('Accept')]);
  await api.close();
});

test('readiness lists what is missing and why, without waiting', async () => {
  const api = await startApi(
    {
      probes: {
        mongo: async () => {},
        temporal: () => Promise.reject(new AppError('WORKFLOW_ENGINE_UNAVAILABLE', 'Temporal at x does not answer.')),
        search: () => new Promise(() => undefined),
      },
    },
    { probeTimeoutMs: 50 },
  );
  expect(await api.call('GET', '/ready')).toMatchObject({
    status: 503,
    body: {
      status: 'not ready',
      checks: {
        mongo: { ok: true },
        temporal: { ok: false, reason: 'Temporal at x does not answer.' },
        search: { ok: false, reason: 'no answer within 50 ms' },
      },
    },
  });
  expect((await api.call('GET', '/health')).status).toBe(200);
  await api.close();
  const whole = await startApi();
  expect(await whole.call('GET', '/ready')).toMatchObject({ status: 200, body: { status: 'ready' } });
  await whole.close();
});

test('metrics count requests by route, not by address', async () => {
  const api = await startApi();
  await api.call('GET', '/api/v1/docs');
  await api.call('GET', '/nothing');
  await api.call('GET', '/api/v1/flows/0b8c0f6e-0000-4000-8000-000000000000');
  const { body, headers } = await api.call('GET', '/metrics');
  expect(headers.get('Content-Type')).toMatch(/^text\/plain/);
  expect(body).toContain('docloom_http_requests_total{method="GET",route="/api/v1/flows/{flow_id}",status="401"} 1');
  expect(body).toContain('docloom_http_requests_total{method="GET",route="none",status="404"} 1');
  expect(body).toContain('docloom_http_request_duration_seconds_bucket');
  await api.close();
});

test('a thousand clients that connect while the process is busy are all accepted at once', async () => {
  const clients = 1_000;
  const server = createServer();
  let accepted = 0;
  server.on('connection', () => (accepted += 1));
  const listening = await listen(server, new Koa(), { host: '127.0.0.1', port: 0, drainMs: 0 });
  // These connect before this process can accept the first. Those that the kernel drops would arrive a second later.
  const open = () => connect(listening.port, '127.0.0.1').on('error', () => undefined);
  const sockets = Array.from({ length: clients }, open);
  const arrived = () => accepted;
  for (let before = -1; before < arrived();) {
    before = arrived();
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
  }
  for (const socket of sockets) socket.destroy();
  await listening.close();
  expect(arrived()).toBe(clients);
});

test('a busy process accepts many connections in each turn of its event loop', async () => {
  const clients = 200;
  const turns = 20;
  const server = createServer();
  let accepted = 0;
  server.on('connection', () => (accepted += 1));
  const listening = await listen(server, new Koa(), { host: '127.0.0.1', port: 0, drainMs: 0, acceptsMany: true });
  const countAccepted = async () => {
    accepted = 0;
    const open = () => connect(listening.port, '127.0.0.1').on('error', () => undefined);
    const sockets = Array.from({ length: clients }, open);
    for (let turn = 0; turn < turns; turn += 1) await setImmediate();
    const inTime = accepted;
    for (const socket of sockets) socket.destroy();
    return inTime;
  };
  // The acceptors are added after the start, when a child process has handed back duplicates of the socket.
  let best = 0;
  for (const end = Date.now() + 30_000; best < clients && Date.now() < end; await setTimeout(50))
    best = Math.max(best, await countAccepted());
  await listening.close();
  // Connections of an earlier round that are accepted late count too, but no more in each turn than there are acceptors.
  expect(best).toBeGreaterThanOrEqual(clients);
  const late = fetch(`http://127.0.0.1:${listening.port}/`);
  await expect(late).rejects.toThrow('fetch failed');
});

describe('closing', () => {
  const slowApp = (reached: () => void, until: Promise<void>) => {
    const app = new Koa();
    app.use(async (context) => {
      reached();
      await until;
      context.body = 'done';
    });
    return app;
  };

  test('accepts no new connections and finishes a running request', async () => {
    let finish = () => {};
    let arrived = () => {};
    const until = new Promise<void>((resolve) => (finish = resolve));
    const reached = new Promise<void>((resolve) => (arrived = resolve));
    const listening = await listen(createServer(), slowApp(arrived, until), {
      host: '127.0.0.1',
      port: 0,
      drainMs: 10_000,
    });
    const running = fetch(`http://127.0.0.1:${listening.port}/`);
    await reached;
    const closed = listening.close();
    await expect(fetch(`http://127.0.0.1:${listening.port}/`)).rejects.toThrow('fetch failed');
    finish();
    expect(await (await running).text()).toBe('done');
    await closed;
  });

  describe('with a kept connection', () => {
    const agents: Agent[] = [];
    afterEach(() => agents.splice(0).forEach((agent) => agent.destroy()));
    const listening = async (app: Koa, lingerMs?: number) => {
      const server = await listen(createServer(), app, { host: '127.0.0.1', port: 0, drainMs: 10_000, lingerMs });
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      agents.push(agent);
      const ask = () =>
        new Promise<{ connection: string | undefined; isReused: boolean }>((resolve, reject) => {
          const request = get({ host: '127.0.0.1', port: server.port, agent }, (response) => {
            response.resume().once('end', () => {
              resolve({ connection: response.headers.connection, isReused: request.reusedSocket });
            });
          });
          request.once('error', reject);
        });
      return { close: () => server.close(), ask };
    };
    const quickApp = () => new Koa().use((context) => void (context.body = 'done'));

    test('answers one more request on it, and then ends it', async () => {
      const { ask, close } = await listening(quickApp());
      expect(await ask()).toEqual({ connection: 'keep-alive', isReused: false });
      const closed = close();
      expect(await ask()).toEqual({ connection: 'close', isReused: true });
      await closed;
      await expect(ask()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    });

    test('ends it with the response of a running request', async () => {
      let finish = () => {};
      let arrived = () => {};
      const until = new Promise<void>((resolve) => (finish = resolve));
      const reached = new Promise<void>((resolve) => (arrived = resolve));
      const { ask, close } = await listening(slowApp(arrived, until));
      const running = ask();
      await reached;
      const closed = close();
      finish();
      expect(await running).toMatchObject({ connection: 'close' });
      await closed;
    });

    test('ends it when it brings no request', async () => {
      const { ask, close } = await listening(quickApp(), 100);
      await ask();
      await close();
      // The client may not have read yet that its connection has ended.
      await expect(ask()).rejects.toMatchObject({ code: expect.stringMatching(/^ECONN(RESET|REFUSED)$/) });
    });
  });

  test('ends a request that outlasts the drain time', async () => {
    let arrived = () => {};
    const reached = new Promise<void>((resolve) => (arrived = resolve));
    const listening = await listen(createServer(), slowApp(arrived, new Promise(() => undefined)), {
      host: '127.0.0.1',
      port: 0,
      drainMs: 50,
    });
    const running = fetch(`http://127.0.0.1:${listening.port}/`).catch((error: unknown) => error);
    await reached;
    await listening.close();
    expect(await running).toMatchObject({ message: 'fetch failed' });
  });

  test('a port in use is a configuration error with the port', async () => {
    const first = await listen(createServer(), new Koa(), { host: '127.0.0.1', port: 0, drainMs: 0 });
    await expect(
      listen(createServer(), new Koa(), { host: '127.0.0.1', port: first.port, drainMs: 0 }),
    ).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining(`127.0.0.1:${first.port} is in use`),
    });
    await first.close();
  });
});

test('a client that disconnects while sending its body affects no others', async () => {
  const api = await startApi();
  const { port } = new URL(api.url);
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(
        'POST /auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"user',
      );
      socket.end();
    });
    socket.on('close', () => resolve());
    socket.resume();
  });
  expect((await api.call('GET', '/health')).status).toBe(200);
  await api.close();
});
