import { randomUUID } from 'node:crypto';
import { readConfig } from '../../../model/config';
import { httpStalls, useStallingServer } from '../../../test/support/sources/stalling-server';
import { connectMongo } from '../../storage/mongo';
import { withIndexOwners } from '../index-owners';
import type { IndexWriter } from '../ports';
import { createSearch } from '../search';

/** A search server that a flow names, and that holds its clients. A run that is cancelled meanwhile leaves it at once. */
const server = useStallingServer();
// Owners are not read before the server has answered.
const mongo = connectMongo('mongodb://127.0.0.1:1/unused');
const search = withIndexOwners(createSearch(readConfig({ DOCLOOM_ALLOWED_HOSTS: '127.0.0.1' })), mongo);
afterAll(async () => {
  await search.close();
  await mongo.close();
});

const left = new Error('the run was cancelled');
const writer: IndexWriter = { owner: 'alice', users: ['alice'], jobId: randomUUID(), runId: randomUUID() };
const calls = {
  'the look for its indexes before a run': (signal: AbortSignal) =>
    search.findIndexUuids(['reports'], target(), signal),
  'the look for the indexes of an alias': (signal: AbortSignal) => search.listAliasHolders('current', target(), signal),
  'the check of the right to write': async (signal: AbortSignal) =>
    search.checkWriter?.({ name: 'reports' }, target(), writer, signal),
  'the creation of an index': (signal: AbortSignal) =>
    search.ensureIndex(
      { name: 'reports', writer, engine: 'lucene', spaceType: 'l2', m: 16, efConstruction: 100 },
      target(),
      signal,
    ),
};
const target = () => ({ host: '127.0.0.1', port: server.port, useSsl: false });
const cases = Object.entries(calls).flatMap(([what, call]) =>
  (['says nothing', 'sends a byte at a time'] as const).map((how) => ({ what, how, call })),
);

test.each(cases)('$what does not hold a run that is cancelled if the server $how', async ({ how, call }) => {
  server.stall = httpStalls[how];
  const run = new AbortController();
  const calling = call(run.signal);
  const leave = server.reached().then(() => run.abort(left));
  const startedAt = performance.now();
  await expect(calling).rejects.toBe(left);
  await leave;
  await server.released();
  // A silent server is otherwise left after 30 seconds.
  expect(performance.now() - startedAt).toBeLessThan(15_000);
});
