import { randomUUID } from 'node:crypto';
import type { User } from '../../model/access';
import { toGroupPrincipal } from '../../model/access-list';
import { readConfig } from '../../model/config';
import type { IdentityMapInput } from '../../model/identity/map';
import { createIdentityMaps } from '../../services/identity/maps';
import { createAccounts } from '../../services/login/accounts';
import { createDirectory } from '../../services/login/directory';
import { connectReaders } from '../../services/login/readers';
import { createSearch } from '../../services/search/search';
import { connectMongo } from '../../services/storage/mongo';
import { print } from '../support/command';
import type { Target } from '../support/targets';

const map = 'bench-groups';
const index = 'bench-group-change';
const login = 'bench-reader';
const wanted = 'wanted';
const counts = [10, 100, 1_000, 10_000];
/** How often the search is repeated until it shows the change. */
const lookMs = 100;
const signal = () => AbortSignal.timeout(600_000);

/**
 * Time from writing a map that puts a reader into a group, and takes them out again, until a search shows it: the sync of the map, and
 * the time for which the reader's principals are remembered. The reader is in 10 to 10,000 other groups; no document is touched.
 */
export async function measureGroupChange(env: Record<string, string | undefined>): Promise<Target[]> {
  const config = readConfig({ ...env, SEARCH_DEFAULT_INDEX: `${index}-read` });
  const mongo = connectMongo(config.MONGODB_URL);
  const search = createSearch(config);
  const clock = () => new Date();
  const accounts = createAccounts(mongo);
  const maps = createIdentityMaps(mongo, { accounts, clock });
  const readers = connectReaders(config, { accounts, directory: createDirectory(config), identityMaps: maps });
  const promise = config.DOCLOOM_GROUPS_CACHE_SECONDS;
  let longest = 0;
  try {
    await search.ensureIndex(
      { name: index, engine: 'lucene', spaceType: 'l2', m: 16, efConstruction: 100 },
      undefined,
      signal(),
    );
    await search.bulkIndex(index, [buildRecord()], undefined, signal());
    await search.refresh(index);
    const put = async (input: IdentityMapInput) => {
      await maps.put(map, input, { user: 'bench', at: clock() });
      await maps.sync(map, { newId: randomUUID });
    };
    const finds = async () => {
      const token = { groups: [], issuedAt: new Date() };
      const reader: User = { ...(await readers.find(login, token)), email: '', full_name: '', groups: [] };
      return (await search.search(reader, { query: 'notice' })).total === 1;
    };
    for (const count of counts) {
      const times: number[] = [];
      const syncs: number[] = [];
      for (const isMember of [false, true, false]) {
        // A search just before the change, so that the principals are cached as long as possible.
        await finds();
        const started = performance.now();
        await put(buildMap(count, isMember));
        syncs.push(performance.now() - started);
        while ((await finds()) !== isMember) await new Promise((resolve) => setTimeout(resolve, lookMs));
        times.push(performance.now() - started);
      }
      const [, joined = 0, left = 0] = times;
      longest = Math.max(longest, joined, left);
      print(
        `${count} groups: ${(Math.max(...syncs) / 1_000).toFixed(2)} s for the sync, a search finds the document ${(joined / 1_000).toFixed(1)} s after joining and no longer ${(left / 1_000).toFixed(1)} s after leaving`,
      );
    }
    return [{ name: 'a change of a group counts within', value: longest / 1_000, unit: ' s', atMost: promise + 5 }];
  } finally {
    await maps.remove(map);
    await fetch(`http://${env['SEARCH_HOST']}:${env['SEARCH_PORT']}/${index}`, { method: 'DELETE' });
    await search.close();
    await mongo.close();
  }
}

function buildMap(count: number, isMember: boolean): IdentityMapInput {
  const others = Array.from({ length: count }, (_none, at) => ({ id: `group-${at}`, members: ['1'] }));
  return {
    places: [],
    groups: [...others, { id: wanted, members: isMember ? ['1'] : [] }],
    pairs: [{ account: '1', login }],
  };
}

function buildRecord() {
  const time = '2026-01-01T00:00:00Z';
  return {
    id: index,
    document_id: index,
    job_id: index,
    run_id: index,
    content: 'A notice for the group',
    title: 'Notice',
    metadata: {},
    allowed_users: [],
    allowed_principals: [toGroupPrincipal(map, wanted)],
    created_at: time,
    updated_at: time,
  };
}
