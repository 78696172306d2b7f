import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { User } from '../../model/access';
import { createAddressGuard } from '../net/address-guard';
import { createAnswerError, connectSearch, createHomes, findEngineError, type SearchConnection } from './connection';
import { createQueries } from './query';

const answer = (reason: string) =>
  createAnswerError(
    {
      status: 400,
      error: {
        type: 'search_phase_execution_exception',
        reason: 'all shards failed',
        root_cause: [{ type: 'query_shard_exception', reason }],
      },
    },
    'search:9200',
  ).message;

test('a text in a filter on numbers is named as such', () => {
  expect(answer('failed to create query: For input string: "abc"')).toBe(
    'The search server refuses this search: a filter on a field of numbers has the value "abc".',
  );
});

test('uninformative causes are left out if there are informative ones', () => {
  expect(answer('failed to parse date field [x]')).toBe(
    'The search server refuses this search: failed to parse date field [x].',
  );
  expect(answer('all shards failed')).toBe('The search server refuses this search: all shards failed.');
});

test('an answer that comes a byte at a time ends at the limit of servers that flows name', async () => {
  const engine = createServer((_request, response) => {
    const dripping = setInterval(() => response.write(' '), 50);
    response.on('close', () => clearInterval(dripping));
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
  }).listen(0, '127.0.0.1');
  await once(engine, 'listening');
  const { port } = engine.address() as AddressInfo;
  const connection = connectSearch({ host: '127.0.0.1', port }, createAddressGuard(['127.0.0.1']), 500);
  await expect(connection.send({ method: 'GET', path: '/' }, { timeoutMs: 60_000 })).rejects.toMatchObject({
    code: 'SEARCH_CONNECTION_FAILED',
    message: expect.stringContaining('was not complete within 0.5 s') as string,
  });
  await connection.close();
  engine.close();
});

describe('calls', () => {
  let engine: Server;
  let connection: SearchConnection;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let port = 0;
  const seen: { url?: string; headers: IncomingMessage['headers']; body: string }[] = [];
  const json = (status: number, body: unknown) => (_request: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' }).end(JSON.stringify(body));
  beforeAll(async () => {
    engine = createServer((request, response) => {
      void text(request).then((body) => {
        seen.push({ url: request.url, headers: request.headers, body });
        answer(request, response);
      });
    }).listen(0, '127.0.0.1');
    await once(engine, 'listening');
    port = (engine.address() as AddressInfo).port;
    connection = connectSearch({ host: '127.0.0.1', port, useSsl: false, username: 'us:er', password: 'geheim-ä' });
  });
  beforeEach(() => {
    seen.length = 0;
    answer = json(200, { ok: true });
  });
  afterAll(async () => {
    await connection.close();
    engine.close();
    engine.closeAllConnections();
  });

  test('path, query, user and JSON body arrive as given', async () => {
    const found = await connection.send(
      {
        method: 'POST',
        path: '/..%2Fa/_search',
        query: { preference: 'a b&c', size: 1, deep: true },
        body: { q: 'ä' },
      },
      { timeoutMs: 5_000 },
    );
    expect(found).toEqual({ status: 200, body: { ok: true } });
    expect(seen).toEqual([
      {
        url: '/..%2Fa/_search?preference=a%20b%26c&size=1&deep=true',
        body: '{"q":"ä"}',
        headers: expect.objectContaining({
          'content-type': 'application/json',
          authorization: `Basic ${Buffer.from('us:er:geheim-ä').toString('base64')}`,
        }),
      },
    ]);
  });

  test('lines of a bulk request each end with a line break', async () => {
    await connection.send({ method: 'POST', path: '/_bulk', bulk: ['{"a":1}', '{"b":2}'] }, { timeoutMs: 5_000 });
    expect(seen[0]).toMatchObject({
      body: '{"a":1}\n{"b":2}\n',
      headers: { 'content-type': 'application/x-ndjson' },
    });
  });

  test('a member named __proto__ is data', async () => {
    answer = (_request, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end('{"__proto__":{"polluted":1}}');
    const { body } = await connection.send({ method: 'GET', path: '/' }, { timeoutMs: 5_000 });
    expect(Object.keys(body as object)).toEqual(['__proto__']);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test('a status is an answer where the caller accepts it, else an error with what the engine says', async () => {
    answer = json(404, { error: { type: 'index_not_found_exception', reason: 'no such index [x]' } });
    const call = { method: 'GET', path: '/x' } as const;
    expect((await connection.send(call, { timeoutMs: 5_000, accept: [404] })).status).toBe(404);
    const error = await connection.send(call, { timeoutMs: 5_000 }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'SEARCH_INDEX_ERROR', message: expect.stringContaining('no such index [x]') });
    expect(findEngineError(error)).toMatchObject({ status: 404, type: 'index_not_found_exception' });
  });

  test.each([429, 502, 503, 504])('a server that answers %i is overloaded, also with a text', async (status) => {
    answer = (_request, response) => void response.writeHead(status, { 'content-type': 'text/plain' }).end('busy');
    await expect(connection.send({ method: 'GET', path: '/' }, { timeoutMs: 5_000 })).rejects.toMatchObject({
      code: 'SEARCH_CONNECTION_FAILED',
      message: expect.stringContaining(`HTTP ${status}`),
    });
  });

  test('a server that accepts a call and sends no answer did not answer in time', async () => {
    answer = () => undefined;
    await expect(connection.send({ method: 'GET', path: '/' }, { timeoutMs: 50 })).rejects.toMatchObject({
      code: 'SEARCH_CONNECTION_FAILED',
      message: expect.stringMatching(/^The search server at \S+ did not answer in time\.$/),
    });
  });

  test('an aborted call ends with the reason of its caller', async () => {
    const controller = new AbortController();
    const reason = new Error('given up');
    answer = () => controller.abort(reason);
    const sent = connection.send({ method: 'GET', path: '/' }, { timeoutMs: 5_000, signal: controller.signal });
    await expect(sent).rejects.toBe(reason);
    await expect(
      connection.send({ method: 'GET', path: '/' }, { timeoutMs: 5_000, signal: controller.signal }),
    ).rejects.toBe(reason);
  });

  test('a port where nothing listens is named with the reason', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const free = (closed.address() as AddressInfo).port;
    closed.close();
    await once(closed, 'close');
    const nobody = connectSearch({ host: 'localhost', port: free, useSsl: false });
    await expect(nobody.send({ method: 'GET', path: '/' }, { timeoutMs: 5_000 })).rejects.toMatchObject({
      code: 'SEARCH_CONNECTION_FAILED',
      message: expect.stringMatching(new RegExp(`localhost:${free} cannot be reached: .*ECONNREFUSED`)),
    });
    await nobody.close();
  });

  test('a host that the guard refuses gets no request', async () => {
    const guarded = connectSearch({ host: '127.0.0.1', port, useSsl: false }, createAddressGuard([]));
    await expect(guarded.send({ method: 'GET', path: '/' }, { timeoutMs: 5_000 })).rejects.toMatchObject({
      code: 'ADDRESS_NOT_ALLOWED',
    });
    expect(seen).toEqual([]);
    await guarded.close();
  });

  test('a response of a server that a flow names has a maximum size', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const fill = () => {
        if (!response.destroyed) response.write(' '.repeat(4 * 1024 * 1024), fill);
      };
      fill();
    };
    const guarded = connectSearch({ host: '127.0.0.1', port, useSsl: false }, createAddressGuard(['127.0.0.1']));
    await expect(guarded.send({ method: 'GET', path: '/' }, { timeoutMs: 30_000 })).rejects.toMatchObject({
      code: 'INVALID_RESPONSE',
    });
    await guarded.close();
  });
});

describe('a silent server', () => {
  const user: User = { username: 'alice', email: '', full_name: '', groups: [] };
  /** A server that answers nothing: each call ends with the deadline of its search. */
  const silent: SearchConnection = {
    address: '127.0.0.1:9200',
    send: (_call, { signal }) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
      }),
    close: async () => {},
  };
  const queries = createQueries(silent, 'documents', () => {
    throw new Error('A search by words has no embedder.');
  });

  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  test('a search that waits for what another one reads of the index gets the same error when the server does not answer', async () => {
    const ask = () => queries.search(user, { query: 'walrus' }).catch((error: unknown) => error);
    const first = ask();
    await jest.advanceTimersByTimeAsync(4_000);
    const second = ask();
    await jest.advanceTimersByTimeAsync(5_000);
    for (const error of await Promise.all([first, second]))
      expect(error).toMatchObject({
        code: 'SEARCH_CONNECTION_FAILED',
        message: expect.stringContaining('did not answer within 9 s'),
      });
  });
});

describe('a search whose caller leaves', () => {
  const user: User = { username: 'alice', email: '', full_name: '', groups: [] };
  const noEmbedder = () => {
    throw new Error('A search by words has no embedder.');
  };
  let server: Server;
  let connection: SearchConnection;
  /** The server does not answer requests to this path yet. */
  let heldPath: string;
  const held: ServerResponse[] = [];
  let closed: number;
  const answerWith = (response: ServerResponse) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ hits: { total: { value: 0 }, hits: [] }, responses: [] }));
  const waitFor = async (isTrue: () => boolean) => {
    while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
  };

  beforeEach(async () => {
    [heldPath, closed] = ['', 0];
    held.length = 0;
    server = createServer((request, response) => {
      request.resume();
      if (heldPath === '' || !request.url?.includes(heldPath)) return answerWith(response);
      held.push(response);
      return response.once('close', () => (closed += 1));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    connection = connectSearch({ host: '127.0.0.1', port, useSsl: false });
  });
  afterEach(async () => {
    await connection.close();
    server.close();
  });

  test('ends in the engine, and the next search gets its turn', async () => {
    const queries = createQueries(connection, 'documents', noEmbedder, 1);
    const gone = new AbortController();
    heldPath = '/_search';
    const left = queries.search(user, { query: 'walrus' }, gone.signal).catch((error: unknown) => error);
    await waitFor(() => held.length === 1);
    const next = queries.search(user, { query: 'okapi' });
    heldPath = 'nothing more';
    gone.abort(new Error('gone'));
    expect(await left).toEqual(new Error('gone'));
    await waitFor(() => closed === 1);
    expect(await next).toMatchObject({ documents: [], total: 0 });
  });

  test('does not end what other searches read with it', async () => {
    const queries = createQueries(connection, 'documents', noEmbedder, 2);
    const gone = new AbortController();
    heldPath = '/_mapping';
    const left = queries.search(user, { query: 'walrus' }, gone.signal).catch((error: unknown) => error);
    await waitFor(() => held.length === 1);
    const other = queries.search({ ...user, username: 'bob' }, { query: 'okapi' });
    gone.abort(new Error('gone'));
    expect(await left).toEqual(new Error('gone'));
    for (const response of held) answerWith(response);
    expect(await other).toMatchObject({ documents: [], total: 0 });
    expect(held).toHaveLength(1);
  });
});

test('connections to servers that flows name are closed when nobody has used them for a while, and others stay', async () => {
  const sockets = new Set<Socket>();
  const server = createServer((_request, response) => response.writeHead(200).end('ok'));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let minutes = 0;
  const homes = createHomes(
    { host: '127.0.0.1', port: 1, useSsl: false },
    { alias: 'a', timeoutMs: 1_000, guard: createAddressGuard(['127.0.0.1']), now: () => minutes * 60_000 },
  );
  const use = async (password: string) => {
    const { connection } = homes.getHome({ host: '127.0.0.1', port, useSsl: false, username: 'u', password });
    await connection.send({ method: 'GET', path: '/' }, { timeoutMs: 1_000 });
    return connection;
  };
  for (let count = 0; count < 20; count += 1) await use(`password ${count}`);
  const kept = await use('kept');
  expect(sockets.size).toBe(21);
  minutes = 9;
  expect(await use('kept')).toBe(kept);
  minutes = 11;
  expect(await use('kept')).toBe(kept);
  while (sockets.size > 1) await new Promise((resolve) => setImmediate(resolve));
  await homes.close();
  server.close();
});
