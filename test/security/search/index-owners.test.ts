import { createIndexGate } from '../../../services/search/index-owners';
import type { IndexWriter, SearchTarget } from '../../../services/search/ports';
import { useDatabase } from '../../support/system/database';

/** The owners of indexes on the real database, as two workers decide about them at the same time. */
const mongo = useDatabase(['index_owners', 'ledger', 'job_runs']);
let count = 0;
const getName = () => `collection_${(count += 1)}`;
const createWriter = (user: string, more: Partial<IndexWriter> = {}): IndexWriter => ({
  runId: `run-${user}-${(count += 1)}`,
  jobId: `job-${user}`,
  owner: user,
  users: [user],
  startedAt: '2026-01-01T00:00:00.000Z',
  ...more,
});
const refused = expect.objectContaining({ code: 'INDEX_NOT_OWNED' }) as Error;

test('a grant that its owner withdraws ends within seconds in a run that has already written', async () => {
  let clock = Date.now();
  const admit = createIndexGate(mongo, () => clock);
  const otherWorker = createIndexGate(mongo, () => clock);
  const place = { name: getName(), uuid: 'uuid-1' };
  const early = createWriter('alice', { grants: ['bob'] });
  await admit({ ...place, isNew: true }, undefined, early);
  const bob = createWriter('bob');
  await admit(place, undefined, bob);
  const later = createWriter('alice', { grants: [], startedAt: '2026-01-01T00:01:00.000Z' });
  await otherWorker(place, undefined, later);
  clock += 5_001;
  await expect(admit(place, undefined, bob)).rejects.toEqual(refused);
  // The run that granted the right goes on, here and on another worker, without granting it again.
  for (const gate of [admit, otherWorker]) {
    await gate(place, undefined, early);
    await expect(gate(place, undefined, bob)).rejects.toEqual(refused);
  }
  await otherWorker(
    place,
    undefined,
    createWriter('alice', { grants: ['bob'], startedAt: '2026-01-01T00:02:00.000Z' }),
  );
  await admit(place, undefined, bob);
});

describe.each<[string, SearchTarget['provider'], (name: string) => string]>([
  ['a table of PostgreSQL', 'pgvector', () => `uuid-${(count += 1)}`],
  ['a collection of Milvus', 'milvus', () => String((count += 1))],
  ['a collection of a Milvus without ids', 'milvus', (name) => name],
])('%s that two users create at once', (_title, provider, createUuid) => {
  const at = (host: string, more: Partial<SearchTarget> = {}): SearchTarget => ({
    provider,
    host,
    port: 5432,
    useSsl: false,
    verifyCerts: false,
    ...more,
  });
  const admitBoth = async (first: SearchTarget, second: SearchTarget) => {
    const name = getName();
    const place = { name, uuid: createUuid(name), isNew: true };
    const results = await Promise.allSettled([
      createIndexGate(mongo)(place, first, createWriter('alice')),
      createIndexGate(mongo)(place, second, createWriter('bob')),
    ]);
    return { place, admitted: results.filter(({ status }) => status === 'fulfilled').length };
  };

  test.each([
    ['localhost', at('localhost'), at('127.0.0.1')],
    ['capital letters', at('db.example'), at('DB.EXAMPLE')],
    ['a trailing dot', at('db.example'), at('db.example.')],
    ['IPv6', at('127.0.0.1'), at('[::1]')],
    ['a default left out', at('db.example'), at('db.example', { database: 'postgres' })],
  ])('under two spellings of the server (%s) belongs to one of them at most', async (_spelling, first, second) => {
    for (let round = 0; round < 5; round += 1) expect((await admitBoth(first, second)).admitted).toBeLessThan(2);
  });

  test('belongs to the first when the second created it a moment later', async () => {
    const name = getName();
    const place = { name, uuid: createUuid(name), isNew: true };
    await createIndexGate(mongo)(place, at('localhost'), createWriter('alice'));
    await expect(createIndexGate(mongo)(place, at('127.0.0.1'), createWriter('bob'))).rejects.toEqual(refused);
    await createIndexGate(mongo)({ ...place, isNew: false }, at('127.0.0.1'), createWriter('alice'));
  });
});

test('on two servers without ids, a collection of the same name that was created much later has its own owner', async () => {
  let clock = Date.now() - 11 * 60_000;
  const admit = createIndexGate(mongo, () => clock);
  const name = getName();
  const at = (host: string): SearchTarget => ({ provider: 'milvus', host, port: 1, useSsl: false, verifyCerts: false });
  await admit({ name, uuid: name, isNew: true }, at('one.example'), createWriter('alice'));
  clock = Date.now();
  const second = admit({ name, uuid: name, isNew: true }, at('two.example'), createWriter('bob'));
  await expect(second).resolves.toBeUndefined();
});

test('owners are found by the name of an index without reading all of them', async () => {
  await createIndexGate(mongo)(
    { name: getName(), uuid: 'uuid-indexed', isNew: true },
    undefined,
    createWriter('alice'),
  );
  const keys = (await mongo.collection('index_owners').indexes()).map(({ key }) => key);
  expect(keys).toContainEqual({ name: 1 });
});
