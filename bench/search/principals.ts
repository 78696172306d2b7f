import type { User } from '../../model/access';
import { toGroupPrincipal, loginGroups, listPrincipals } from '../../model/access-list';
import { readConfig } from '../../model/config';
import type { IndexRecord } from '../../services/search/ports';
import { createSearch } from '../../services/search/search';
import { print } from '../support/command';
import { quantile } from '../support/http-load';
import { measureMs } from '../support/measure';
import { writeBlocks } from '../support/prose';
import { createRandom, type Random } from '../support/random';
import type { Target } from '../support/targets';
import { buildTextBody } from './calls';
import { getText } from './fill';

const index = 'bench-principals';
const lookup = 'bench-principals-lookup';
const alias = 'bench-principals-read';
/** Groups in the index; each record is for three of them, and every hundredth denies one. */
const groups = 20_000;
const counts = [10, 100, 1_000, 10_000];
const signal = () => AbortSignal.timeout(600_000);

/** Where to measure: the engine, the settings of its stack, and how much. */
interface Place {
  env: Record<string, string | undefined>;
  engine: string;
  records: number;
  searches: number;
}

/**
 * Times of text searches by readers who hold 10 to 10,000 principals, with the principals in the query and with a terms lookup of
 * them in an index of their own.
 */
export async function measurePrincipals({ env, engine, records, searches }: Place): Promise<Target[]> {
  const search = createSearch(readConfig({ ...env, SEARCH_DEFAULT_INDEX: alias }));
  const send = (method: string, path: string, body: unknown) => request(`${engine}${path}`, method, body);
  try {
    const spec = { name: index, engine: 'lucene', spaceType: 'l2', m: 16, efConstruction: 100 } as const;
    await search.ensureIndex(spec, undefined, signal());
    const random = createRandom(11);
    for (let from = 0; from < records; from += 2_000)
      await search.bulkIndex(index, buildRecords(from, Math.min(2_000, records - from), random), undefined, signal());
    await search.refresh(index);
    const medians: number[] = [];
    for (const count of counts) {
      const reader = buildReader(count, random);
      await send('PUT', `/${lookup}/_doc/${count}?refresh=true`, { principals: reader.principals });
      const inQuery: number[] = [];
      const byLookup: number[] = [];
      const own: number[] = [];
      for (let turn = 0; turn < searches + 5; turn += 1) {
        const query = getText(writeBlocks(createRandom(turn), 20))
          .split(/\s+/)
          .slice(0, 2)
          .join(' ');
        const body = await buildTextBody(reader, { query });
        const path = `/${alias}/_search?request_cache=false`;
        own.push(await measureMs(() => search.search(reader, { query })));
        inQuery.push(await measureMs(() => send('POST', path, body)));
        byLookup.push(await measureMs(() => send('POST', path, replaceByLookup(body, String(count)))));
      }
      const median = (times: number[]) => quantile(times.slice(5), 0.5);
      medians.push(median(own));
      print(
        `${count} principals: p50 ${median(own).toFixed(1)} ms by our search, ${median(inQuery).toFixed(1)} ms straight to OpenSearch with the principals in the query, ${median(byLookup).toFixed(1)} ms with a terms lookup`,
      );
    }
    const [few = 0] = medians;
    const thousand = medians[2] ?? 0;
    return [
      { name: 'search with 1,000 principals, p50 to that with 10', value: thousand / few, unit: ' times', atMost: 3 },
    ];
  } finally {
    for (const name of [index, lookup]) await send('DELETE', `/${name}`, undefined);
    await search.close();
  }
}

function buildReader(count: number, random: Random): User {
  const names = Array.from({ length: count }, () => `group-${random.integer(0, groups - 1)}`);
  return { username: 'reader', principals: listPrincipals('reader', names), email: '', full_name: '', groups: [] };
}

function buildRecords(from: number, count: number, random: Random): IndexRecord[] {
  const group = () => toGroupPrincipal(loginGroups, `group-${random.integer(0, groups - 1)}`);
  return Array.from({ length: count }, (_, position) => ({
    id: `${index}-${from + position}`,
    document_id: `${index}-${from + position}`,
    job_id: index,
    run_id: index,
    content: getText(writeBlocks(random, 60)),
    title: 'A record',
    metadata: {},
    allowed_users: [],
    allowed_principals: [group(), group(), group()],
    ...(position % 100 === 0 ? { denied_principals: [group()] } : {}),
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
  }));
}

/** The same query, with each list of principals replaced by a terms lookup. */
function replaceByLookup(body: Record<string, unknown>, id: string): unknown {
  return JSON.parse(JSON.stringify(body), (key, value: unknown) =>
    /principals$/.test(key) && Array.isArray(value) ? { index: lookup, id, path: 'principals' } : value,
  );
}

async function request(address: string, method: string, body: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const sent = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
  const answer = await fetch(address, sent);
  const text = await answer.text();
  if (!answer.ok && method !== 'DELETE')
    throw new Error(`${method} ${address} gave ${answer.status}: ${text.slice(0, 300)}`);
}
