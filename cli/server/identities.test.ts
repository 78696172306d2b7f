import type { IdentityMapReply } from '../../client';
import { formatSync, listAllMaps } from './identities';

const sync = { synced_at: null, age_seconds: null, is_fresh: false, is_closed: true, error: null };
const buildMap = (map_id: string, directory?: string) =>
  ({
    map_id,
    directory,
    places: [],
    sync: { ...sync, mapped: 0, unmapped: 0, ambiguous: 0, groups: 0 },
  }) as unknown as IdentityMapReply;

test.each(['system', 'source', 'ldap'])(
  'accounts of %s are read by a worker, so there is no result yet',
  (directory) => {
    expect(formatSync(buildMap('staff', directory))).toBe('A worker synchronizes staff.\n');
  },
);

test.each([undefined, 'given'])(
  'a map that lists its accounts (directory %s) shows the result of the sync',
  (directory) => {
    expect(formatSync(buildMap('staff', directory))).toMatch(/^staff: never synchronized, CLOSED/);
  },
);

test('all maps are listed, not only the first page', async () => {
  const all = Array.from({ length: 250 }, (_, index) => buildMap(`map-${index}`));
  const list = async ({ limit = 0, offset = 0 } = {}) =>
    ({ items: all.slice(offset, offset + limit), total: all.length }) as Awaited<ReturnType<ListMaps>>;
  expect(await listAllMaps({ list })).toEqual(all);
  expect(await listAllMaps({ list: async () => ({ items: [], total: 0 }) as never })).toEqual([]);
});

type ListMaps = Parameters<typeof listAllMaps>[0]['list'];
