import { randomUUID } from 'node:crypto';
import { AppError } from '../../../model/errors';
import { withIndexOwners } from '../../../services/search/index-owners';
import type { IndexWriter } from '../../../services/search/ports';
import { createSearch } from '../../../services/search/search';
import { connectMongo, type Mongo } from '../../../services/storage/mongo';
import { cleanUp, config, mark, never, remember, spec } from '../../support/system/search-fixture';

let mongo: Mongo;
beforeAll(() => {
  const url = new URL(process.env['MONGODB_URL'] ?? '');
  url.pathname = `/alias-race-${mark}`;
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

test('of two users who claim a free alias at once, one gets it and the other is refused', async () => {
  // Two services, as in two workers.
  const services = [1, 2].map(() => withIndexOwners(createSearch(config), mongo));
  const claimants = await Promise.all(
    ['alice', 'bob'].map(async (user, index) => {
      const search = services[index] as (typeof services)[number];
      const writer = write(user);
      const { name } = spec(user);
      await search.ensureIndex({ ...spec(user), writer }, undefined, never);
      return { name, point: (alias: string) => search.pointAlias(alias, name, undefined, writer) };
    }),
  );
  for (let round = 0; round < 20; round += 1) {
    const alias = remember(`current-${round}-${mark}`);
    const ends = await Promise.allSettled(claimants.map(({ point }) => point(alias)));
    const winners = claimants.filter((_, index) => ends[index]?.status === 'fulfilled').map(({ name }) => name);
    expect(winners).toHaveLength(1);
    expect(Object.keys(await (services[0] as (typeof services)[number]).listAliasHolders(alias))).toEqual(winners);
    const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as AppError] : []));
    expect(reasons.map(({ code }) => code)).toEqual(['INDEX_NOT_OWNED']);
  }
  await Promise.all(services.map((search) => search.close()));
}, 120_000);
