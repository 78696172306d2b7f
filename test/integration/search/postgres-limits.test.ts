import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { readConfig } from '../../../model/config';
import type { SearchRequest } from '../../../services/search/ports';
import { createSearch } from '../../../services/search/search';
import { startPgvector, type TestPgvector } from '../../support/servers/pgvector';
import { anna } from '../../support/system/search-fixture';

let pgvector: TestPgvector;
beforeAll(async () => {
  pgvector = await startPgvector();
});
afterAll(() => pgvector?.stop());

/** What PostgreSQL sends after a login: AuthenticationOk and ReadyForQuery. */
const loggedIn = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);

describe('what only one store supports', () => {
  const ask = async (request: SearchRequest, postgres: string) => {
    const search = createSearch(
      readConfig({ ...process.env, DOCLOOM_SEARCH_POSTGRES: postgres, DOCLOOM_ALLOWED_HOSTS: '' }),
    );
    try {
      return await search.search(anna, { store: 'pgvector', ...request });
    } finally {
      await search.close();
    }
  };
  const address = () => `postgres://postgres@${pgvector.host}:${pgvector.port}/postgres`;

  test.each<[string, SearchRequest]>([
    [
      'graph',
      { query: 'x', passages: [{ documentId: 'd', text: 't', fact: { graph_id: 'g', passage: 'p', nodes: [] } }] },
    ],
    ['author', { query: 'x', boost: { fields: { author: 2 } } }],
    ['interval', { facets: [{ field: 'year', interval: 'year' }] }],
  ])('is refused by name: %s', async (name, request) => {
    await expect(ask(request, address())).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining(name),
    });
  });

  test('a server that is not configured or not there gives a coded error without its password', async () => {
    await expect(ask({}, '')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('DOCLOOM_SEARCH_POSTGRES'),
    });
    const error = await ask({}, 'postgres://u:pa55word@127.0.0.1:1/db').catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'SEARCH_CONNECTION_FAILED' });
    expect(String(error)).not.toContain('pa55word');
  });

  test.each([
    ['that says nothing', () => undefined],
    ['that says nothing after the login', (socket: Socket) => void socket.once('data', () => socket.write(loggedIn))],
  ])(
    'a server %s is unreachable after the deadline',
    async (_name, greet) => {
      const sockets: Socket[] = [];
      const server = createServer((socket) => {
        sockets.push(socket.on('error', () => undefined));
        greet(socket);
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      await expect(ask({}, `postgres://u@127.0.0.1:${port}/db`)).rejects.toMatchObject({
        code: 'SEARCH_CONNECTION_FAILED',
        message: expect.stringContaining('did not answer within 9 s'),
      });
      for (const socket of sockets) socket.destroy();
      server.close();
    },
    30_000,
  );
});
