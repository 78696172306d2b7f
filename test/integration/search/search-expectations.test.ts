import { readConfig } from '../../../model/config';
import type { SearchRequest, SuggestRequest } from '../../../services/search/ports';
import { createSearch } from '../../../services/search/search';
import {
  anna,
  cleanUp,
  ids,
  library,
  mark,
  never,
  person,
  raw,
  record,
  spec,
} from '../../support/system/search-fixture';

/** User expectations of a search in addition to hits, none of which may reveal unreadable records. */
let search: Awaited<ReturnType<typeof library>>['search'];
const alias = `expect-${mark}`;
const own = spec('gauges');
const foreign = spec('stars');
const of = (user: string) => ({ allowed_users: [user] });

beforeAll(async () => {
  search = createSearch(readConfig({ ...process.env, SEARCH_DEFAULT_INDEX: alias }));
  await search.ensureIndex(
    {
      ...own,
      synonyms: [
        ['tide gauge', 'Pegel'],
        ['harbour', 'port'],
      ],
    },
    undefined,
    never,
  );
  await search.ensureIndex({ ...foreign, synonyms: [['harbour', 'nebula']] }, undefined, never);
  await search.bulkIndex(own.name, [
    record('g1', { title: 'Tide gauges of Hull', content: 'The Pegel of Hull was zeroed.', created_at: '2019-01-01T00:00:00Z' }),
    record('g2', { title: 'Moorings', content: 'A nebula hangs over the port.', metadata: { author: 'Gauge' } }),
    record('g3', { title: 'Calibration', content: 'We calibrate gauges and calibrated tides; Kalibrierung.', created_at: new Date().toISOString() }),
    record('g4', { title: 'Tiderip secrets', content: 'Tidewrack calibrationx Tidewrack Pegel harbour', ...of('bert') }),
  ], undefined, never); // prettier-ignore
  await search.bulkIndex(foreign.name, [
    record('s1', { title: 'Sky', content: 'A nebula, and a Pegel of light.' }),
    record('s2', { title: 'Skylark secrets', content: 'harbour nebula', ...of('bert') }),
  ], undefined, never); // prettier-ignore
  await Promise.all([own, foreign].map(({ name }) => search.refresh(name)));
});
afterAll(async () => {
  await search.close();
  await cleanUp();
});

const suggest = async (text: string, user = anna, more: Partial<SuggestRequest> = {}) =>
  (await createSuggest().suggest(user, { text, ...more })).map(({ text: one, kind }) => `${kind}: ${one}`);
const createSuggest = () => search as unknown as ReturnType<typeof createSearch>;

describe('suggestions', () => {
  test('complete the last word, and return titles', async () => {
    expect(await suggest('tid')).toEqual(['title: Tide gauges of Hull', 'words: tide', 'words: tides']);
    expect(await suggest('gauges and Calib')).toEqual(['words: gauges and calibrate', 'words: gauges and calibrated', 'words: gauges and calibration']); // prettier-ignore
    expect(await suggest('sky', anna, { scope: { indexes: [own.name] } })).toEqual([]);
    expect(await suggest('tide gauges ')).toEqual(['title: Tide gauges of Hull']);
    expect(await suggest('  ?*')).toEqual([]);
  });

  test('never contain a word or a title of an unreadable record', async () => {
    for (const text of ['t', 'ti', 'tide', 'tidew', 's', 'sky', 'calib', 'h', 'harb', 'nebula s', 'secrets']) {
      expect(JSON.stringify(await suggest(text))).not.toMatch(/tidewrack|tiderip|secrets|calibrationx|harbour/i);
      expect(await suggest(text, person('eve'))).toEqual([]);
    }
    expect(await suggest('tidew', person('bert'))).toEqual(['words: tidewrack']);
  });
});

describe('synonyms', () => {
  test('find the aliases only in the index that has them', async () => {
    expect((await ids(search, { query: 'tide gauge' })).toSorted()).toEqual(['g1', 'g2']);
    expect(await ids(search, { query: 'harbour' })).toEqual(expect.arrayContaining(['g2', 's1']));
    // In the index of gauges a nebula is not a harbour; in that of stars a Pegel is not a tide gauge.
    expect(await ids(search, { query: 'harbour', filters: { title: 'Sky' } })).toEqual(['s1']);
    expect(await ids(search, { query: 'tide gauge', filters: { title: 'Sky' } })).toEqual([]);
    expect(await ids(search, { query: 'harbour' }, person('eve'))).toEqual([]);
  });

  test('stay without the setting, and are replaced with it', async () => {
    await search.ensureIndex(own, undefined, never);
    const synonyms = async () =>
      (await raw<Record<string, { mappings: { _meta: { synonyms?: unknown; made_by: string } } }>>('GET', `/${own.name}/_mapping`))[own.name]?.mappings._meta; // prettier-ignore
    expect(await synonyms()).toMatchObject({ made_by: 'docloom', synonyms: [['tide gauge', 'Pegel'], ['harbour', 'port']] }); // prettier-ignore
    await search.ensureIndex({ ...own, synonyms: [['quay', 'port']] }, undefined, never);
    expect(await synonyms()).toMatchObject({ made_by: 'docloom', synonyms: [['quay', 'port']] });
  });
});

describe('boosts', () => {
  test('of fields and of recent records change the order and not the matches', async () => {
    const query = 'gauges';
    const plain = await ids(search, { query });
    const recent = await ids(search, { query, boost: { recency: { half_life_days: 30, weight: 10 } } });
    expect(recent[0]).toBe('g3');
    expect((await ids(search, { query, boost: { fields: { title: 20 } } }))[0]).toBe('g1');
    expect(recent.toSorted()).toEqual(plain.toSorted());
    expect(await ids(search, { query, boost: { fields: { author: 20 } } })).not.toContain('g4');
  });

  test.each<[SearchRequest['boost'], string]>([
    [{ fields: { allowed_users: 5 } }, 'allowed_users'],
    [{ fields: { title: 1_000 } }, 'from 1 to 20'],
    [{ recency: { half_life_days: 0 } }, 'from 1 to'],
  ])('%j is rejected', async (boost, message) => {
    await expect(search.search(anna, { query: 'x', boost })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining(message) as string,
    });
  });
});

test('an explanation lists the matched words and no figures of other documents', async () => {
  const { documents } = await search.search(anna, { query: 'calibration of gauges', explain: true });
  const explanation = documents.find(({ id }) => id === 'g3')?.explanation;
  expect(explanation?.words?.map(({ field }) => field)).toEqual(expect.arrayContaining(['content', 'title']));
  expect(explanation?.words?.find(({ field }) => field === 'title')?.terms).toContain('calibration');
  expect(JSON.stringify(documents)).not.toMatch(/idf|docFreq|docCount|\bn, number|allowed_users/);
  const [first] = (await search.search(anna, { query: 'calibration' })).documents;
  expect(first && 'explanation' in first).toBe(false);
});
