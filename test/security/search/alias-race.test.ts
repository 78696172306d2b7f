import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError } from '../../../model/errors';
import { withIndexOwners } from '../../../services/search/index-owners';
import type { IndexWriter, SearchTarget } from '../../../services/search/ports';
import { createSearch } from '../../../services/search/search';
import { connectMongo, type Mongo } from '../../../services/storage/mongo';
import { cleanUp, config as ownConfig, mark, never, remember, spec } from '../../support/system/search-fixture';

let mongo: Mongo;
beforeAll(() => {
  const url = new URL(process.env['MONGODB_URL'] ?? '');
  url.pathname = `/alias-race-${mark}`;
  // Beside other tests, the database takes longer than the default of three seconds.
  url.searchParams.set('serverSelectionTimeoutMS', '60000');
  url.searchParams.set('connectTimeoutMS', '60000');
  mongo = connectMongo(url.toString());
});
afterAll(async () => {
  await cleanUp();
  await mongo.close();
});

const write = (user: string): IndexWriter => ({
  owner: user,
  users: [user],
  jobId: randomUUID(),
  runId: randomUUID(),
});

const port = ownConfig.SEARCH_PORT;
const inFlow = (host: string): SearchTarget => ({ host, port, useSsl: false });
/** For workers whose own search server is another one. */
const elsewhere = { ...ownConfig, SEARCH_HOST: 'search.invalid', DOCLOOM_ALLOWED_HOSTS: ['127.0.0.1', 'localhost'] };

test.each([
  ['of the configured server', [undefined, undefined]],
  ['of a server that both name alike', [inFlow('127.0.0.1'), inFlow('127.0.0.1')]],
  ['of a server by its name and by its address', [inFlow('localhost'), inFlow('127.0.0.1')]],
  ['of a server in two spellings of its name', [inFlow('localhost'), inFlow('LOCALHOST')]],
  ['of a server by addresses of two kinds', [inFlow('127.0.0.1'), inFlow('[::ffff:127.0.0.1]')]],
] as const)(
  'of two users who claim a free alias %s at once, one gets it and the other is refused',
  async (_name, targets) => {
    const config = targets[0] ? elsewhere : ownConfig;
    // Two services, as in two workers.
    const services = [1, 2].map(() => withIndexOwners(createSearch(config), mongo));
    const claimants = await Promise.all(
      ['alice', 'bob'].map(async (user, index) => {
        const search = services[index] as (typeof services)[number];
        const writer = write(user);
        const { name } = spec(user);
        const target = targets[index];
        await search.ensureIndex({ ...spec(user), writer }, target, never);
        return { name, point: (alias: string) => search.pointAlias(alias, name, target, { writer }) };
      }),
    );
    for (let round = 0; round < 10; round += 1) {
      const alias = remember(`current-${round}-${randomUUID()}`);
      const ends = await Promise.allSettled(claimants.map(({ point }) => point(alias)));
      const winners = claimants.filter((_, index) => ends[index]?.status === 'fulfilled').map(({ name }) => name);
      expect(winners).toHaveLength(1);
      expect(Object.keys(await (services[0] as (typeof services)[number]).listAliasHolders(alias, targets[0]))).toEqual(
        winners,
      );
      const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as AppError] : []));
      expect(reasons.map(({ code }) => code)).toEqual(['INDEX_NOT_OWNED']);
    }
    await Promise.all(services.map((search) => search.close()));
  },
);

/** The same server at another address, which keeps the id of the cluster to itself, as it does to some accounts. */
async function startGate() {
  const gate = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (request.method === 'GET' && request.url === '/') return void response.writeHead(403).end('{}');
      fetch(`http://127.0.0.1:${port}${request.url}`, {
        method: request.method ?? 'GET',
        headers: { 'content-type': request.headers['content-type'] ?? 'application/json' },
        ...(parts.length > 0 ? { body: Buffer.concat(parts) } : {}),
      })
        .then(async (reply) => {
          const headers = { 'content-type': reply.headers.get('content-type') ?? 'application/json' };
          response.writeHead(reply.status, headers).end(await reply.text());
        })
        .catch(() => response.destroy());
    });
  });
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
  return { port: (gate.address() as AddressInfo).port, stop: () => (gate.closeAllConnections(), gate.close()) };
}

test('nobody takes over an alias from an account that takes other turns because the server hides its id', async () => {
  const gate = await startGate();
  const services = [1, 2].map(() => withIndexOwners(createSearch(elsewhere), mongo));
  const targets: SearchTarget[] = [inFlow('127.0.0.1'), { ...inFlow('127.0.0.1'), port: gate.port }];
  try {
    const claimants = await Promise.all(
      ['alice', 'bob'].map(async (user, index) => {
        const search = services[index] as (typeof services)[number];
        const [writer, target] = [write(user), targets[index]];
        const made = { ...spec(user), name: `${spec(user).name}-hidden` };
        await search.ensureIndex({ ...made, writer }, target, never);
        return { name: made.name, point: (alias: string) => search.pointAlias(alias, made.name, target, { writer }) };
      }),
    );
    expect(await services[0]?.findServerId(targets[0])).not.toBe(await services[1]?.findServerId(targets[1]));
    for (let round = 0; round < 20; round += 1) {
      const alias = remember(`hidden-${round}-${randomUUID()}`);
      const ends = await Promise.allSettled(claimants.map(({ point }) => point(alias)));
      const winners = claimants.filter((_, index) => ends[index]?.status === 'fulfilled').map(({ name }) => name);
      // If each sees the other, both withdraw.
      expect(winners.length).toBeLessThanOrEqual(1);
      expect(Object.keys((await services[0]?.listAliasHolders(alias, targets[0])) ?? {})).toEqual(winners);
      const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as AppError] : []));
      expect(reasons.map(({ code }) => code)).toEqual(Array(2 - winners.length).fill('INDEX_NOT_OWNED'));
    }
  } finally {
    gate.stop();
    await Promise.all(services.map((search) => search.close()));
  }
});
