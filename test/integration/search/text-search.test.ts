import { buildMappings, buildSettings } from '../../../services/search/mapping';
import type { IndexRecord, Search, SearchRequest } from '../../../services/search/ports';
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

/** Matches and non-matches of text search. */
let search: Search;
const createRecord = (id: string, language: string | undefined, content: string, more: Partial<IndexRecord> = {}) =>
  record(id, { title: '', content, metadata: language ? { language } : {}, ...more });

beforeAll(async () => {
  ({ search } = await library([
    createRecord('stems', 'en', 'Studies of fluttering wings were carried out by engineers.'),
    createRecord('order', 'en', 'Quote the order_number ERR_42 of R&D to jane_doe.'),
    createRecord('setting', 'en', 'Overruns stop at config.MAX_LEDGER_ROWS.'),
    createRecord('titled', 'en', 'A text that says ablation.', { title: 'The ablation of shields' }),
    createRecord('mentions', 'en', 'A text that says ablation.', { title: 'A text' }),
    createRecord('near', 'en', 'The boundary layer of a flat plate.'),
    createRecord('apart', 'en', 'A layer of paint marks where the boundary of the plate is flat.'),
    createRecord('german', 'de', 'Die Häuser der Übersetzerinnen in München waren groß.'),
    createRecord('insurance', 'de', 'Zur Krankenversicherung gibt es einen Zuschuss. Den Beitrag zahlt die Firma.', {
      title: 'Die Betriebsrente',
    }),
    createRecord('sum', 'de', 'Der Lohnzettel nennt den Krankenversicherungsbeitrag.'),
    createRecord('rain', 'de', 'Regenwasser wird getrennt berechnet.'),
    createRecord('french', 'fr', "L'entreprise a signé les contrats généraux à l'été."),
    createRecord('chinese', 'zh', '北京大学的研究报告'),
    createRecord('unknown', undefined, 'Łódź qwyjibo'),
    // U+00B5, the micro sign; questions may have U+03BC, the Greek letter.
    createRecord(
      'gas',
      'en',
      'The uptake of CO₂ was 40 \u00B5mol after IL-2, TGF-β1 and p53-dependent decay¹ of α-synuclein.',
    ),
    createRecord('liquid', 'en', 'Columns without names of substances.'),
    createRecord('hidden', 'en', 'The zyzzyva is known to bert alone.', { allowed_users: ['bert'] }),
  ]));
});
afterAll(async () => {
  await search?.close();
  await cleanUp();
});
const findIds = (query: string, more: SearchRequest = {}, user = anna) => ids(search, { query, ...more }, user);

test('a name of several words is at the place of its first word, and each of its words at a place of its own', async () => {
  const { search: own, index: name } = await library([createRecord('any', 'en', 'Any.')]);
  await own.close();
  const analyse = async (analyzer: string, text: string) => {
    const path = `/${name}/_analyze`;
    const { tokens } = await raw<{ tokens: { token: string; position: number }[] }>('POST', path, { analyzer, text });
    return tokens.map(({ token, position }) => `${position} ${token}`);
  };
  expect(await analyse('exact', 'The order_number of config.MAX_SIZE')).toEqual(
    ['0 the', '1 order_number', '1 order', '2 number', '3 of', '4 config.max_size', '4 config', '5 max', '6 size'],
  ); // prettier-ignore
  expect(await analyse('text_en', 'order_numbers of a__b')).toEqual(
    ['0 order_numb', '0 order', '1 number', '3 a__b', '4 b'],
  ); // prettier-ignore
});

test.each([
  ['study flutter wing engineer', 'stems'],
  ['haus übersetzerin', 'german'],
  ['grosses Haus in Munchen', 'german'],
  ['contrat général entreprise', 'french'],
  ['ete', 'french'],
  ['研究报告', 'chinese'],
  ['lodz', 'unknown'],
])('%j finds words in other forms, by language', async (query, id) => {
  expect((await findIds(query))[0]).toBe(id);
});

test.each(['CO2', 'CO₂', '\u03BCmol', '\u00B5mol', 'IL-2', 'TGF-β1', 'P53', 'α-synuclein', 'decays'])(
  'names of substances and units are found: %s',
  async (query) => {
    expect((await findIds(query))[0]).toBe('gas');
  },
);

test.each([
  ['Versicherung', 'insurance'],
  ['Wasser aus Regen', 'rain'],
  ['Krankenversicherung', 'insurance'],
  ['krankenversicherungsbeiträge', 'sum'],
  ['Rente', 'insurance'],
])('%j finds German compounds by their parts and in other forms', async (query, id) => {
  expect((await findIds(query))[0]).toBe(id);
});

test('a compound finds texts with its parts below those with itself, and a part does not find a part of a part', async () => {
  expect((await findIds('Krankenversicherungsbeitrag')).slice(0, 2)).toEqual(['sum', 'insurance']);
  expect(await findIds('Versicherungsbeitrag')).toContain('sum');
  expect(await findIds('sicher')).toEqual([]);
  expect(await findIds('Reis')).toEqual([]);
});

test('a highlight marks the whole compound, without signs that the text lacks', async () => {
  const { documents } = await search.search(anna, { query: 'Versicherung', highlight: true });
  const highlights = documents.flatMap((document) => document.highlights?.['content'] ?? []);
  expect(highlights).toContain('Der Lohnzettel nennt den <em>Krankenversicherungsbeitrag</em>.');
  expect(JSON.stringify(documents)).not.toContain('\u2060');
});

test.each(['order_number', 'ERR_42', 'err_42', 'jane_doe', 'number', 'doe'])(
  'the name %s is found as a whole and by its parts',
  async (query) => {
    expect(await findIds(query)).toEqual(['order']);
  },
);

test('a name is found as a part of a longer one, but not where only its words are', async () => {
  expect(await findIds('MAX_LEDGER_ROWS')).toEqual(['setting']);
  expect(await findIds('ROWS_LEDGER_MAX')).toEqual([]);
});

test('the title weighs more than the text, adjacent words more than separated ones', async () => {
  expect((await findIds('ablation'))[0]).toBe('titled');
  expect((await findIds('boundary layer'))[0]).toBe('near');
});

test('a typing error is corrected only if no document contains the word', async () => {
  expect(await findIds('engineres')).toEqual(['stems']);
  expect((await findIds('boundary layr')).slice(0, 2).toSorted()).toEqual(['apart', 'near']);
  // One letter from "plate", but another document contains it as written.
  expect(await findIds('paint')).toEqual(['apart']);
});

test('a word of thousands of letters finds nothing, and takes no longer than others', async () => {
  expect(await findIds('flutters'.repeat(500))).toEqual([]);
});

test('stop words find nothing, unless the query has no other words', async () => {
  expect(await findIds('the flutter of the')).toEqual(['stems']);
  expect((await findIds('the of and')).length).toBeGreaterThan(3);
});

test.each([
  '"flutter',
  'flutter AND (',
  'content:flutter~2 OR *:*',
  '+flutter -wings',
  '/flutter.*/ \\',
  '{"match_all":{}} flutter',
])('the query %j is treated as plain words', async (query) => {
  expect((await findIds(query))[0]).toBe('stems');
  expect(await findIds(query)).not.toContain('hidden');
});

test.each([
  ['one word, again and again', 'flutter '.repeat(2_000), true],
  [
    'a hundred words, each twenty times',
    Array.from({ length: 2_000 }, (_, at) => `flutter${at % 100}`).join(' '),
    false,
  ],
  ['words of which none occurs', Array.from({ length: 2_000 }, (_, at) => `absent${at}`).join(' '), false],
])('a query of 2,000 words succeeds, with boosted fields as well: %s', async (_name, query, isFound) => {
  for (const boost of [undefined, { fields: { title: 3, author: 2 } }]) {
    const { total } = await search.search(anna, { query, limit: 3, ...(boost ? { boost } : {}) });
    expect(total > 0).toBe(isFound);
  }
});

test('a query of 2,000 different words succeeds', async () => {
  const words = Array.from({ length: 2_000 }, (_, index) => `word${index}`);
  expect((await findIds([...words.slice(0, 1_000), 'fluttering', ...words.slice(1_000)].join(' ')))[0]).toBe('stems');
});

test('a question of 150 words succeeds over texts in many languages, with and without a language of its own', async () => {
  const words = Array.from({ length: 150 }, (_, at) => `fjord${String.fromCodePoint(97 + (at % 26))}${at}`);
  const codes = [
    'ca',
    'da',
    'de',
    'en',
    'es',
    'fi',
    'fr',
    'ga',
    'hu',
    'id',
    'it',
    'lt',
    'lv',
    'nl',
    'no',
    'pt',
    'ro',
    'sv',
  ];
  const some = await library(
    codes.map((code) => createRecord(code, code, words.join(' '), { title: words.slice(0, 60).join(' ') })),
  );
  try {
    for (const query of [words.join(' '), `What is the use of ${words.join(' and ')} in the north?`])
      expect((await some.search.search(anna, { query, limit: 100 })).total).toBe(codes.length);
  } finally {
    await some.search.close();
  }
});

test('highlights show every form of a word, a sentence at a time', async () => {
  const { documents } = await search.search(anna, { query: 'engineer studies', highlight: true });
  expect(documents[0]?.highlights?.['content']).toEqual([
    '<em>Studies</em> of fluttering wings were carried out by <em>engineers</em>.',
  ]);
});

test('highlights show the word that a corrected typing error matched', async () => {
  const { documents } = await search.search(anna, { query: 'fluttring', highlight: true });
  expect(documents[0]?.highlights?.['content']?.[0]).toContain('<em>fluttering</em>');
});

test('a code is found without the punctuation between its letters and digits if nothing else matches', async () => {
  expect(await findIds('err42')).toEqual(['order']);
});

test('no form of a query reaches documents that the user may not read, not even by typing errors', async () => {
  for (const query of ['zyzzyva', 'zyzzyvas', 'zyzzyv', 'known to bert', `${'filler '.repeat(900)} zyzzyva`])
    for (const mode of ['text', 'hybrid'] as const)
      expect([query, mode, await findIds(query, { mode })]).toEqual([
        query,
        mode,
        expect.not.arrayContaining(['hidden']),
      ]);
  expect(await findIds('zyzzyva', {}, person('bert'))).toEqual(['hidden']);
});

test('pages of one search do not overlap, and have the same total', async () => {
  const all = await findIds('flat layer boundary engineres', { limit: 10 });
  const pages = await Promise.all(
    all.map((_, offset) => search.search(anna, { query: 'flat layer boundary engineres', limit: 1, offset })),
  );
  expect(pages.flatMap(({ documents }) => documents.map(({ id }) => id))).toEqual(all);
  expect(new Set(pages.map(({ total }) => total))).toEqual(new Set([all.length]));
});

test('an index of an earlier version, without the parts of compounds, can be written and searched as before', async () => {
  const { search: own, index } = await library([]);
  const old = spec(`older-${index}`);
  const {
    analysis: filters,
    similarity: _similarity,
    ...settings
  } = buildSettings(old, { isAnalysed: true }) as {
    analysis: { analyzer: Record<string, { filter: string[] }> };
    similarity: unknown;
  };
  const german = filters.analyzer['text_de'];
  if (!german) throw new Error('no analyzer of German');
  german.filter = german.filter.filter((name) => !['compound_parts', 'unmark', 'remove_duplicates'].includes(name));
  const mappings = JSON.parse(
    JSON.stringify(buildMappings(old, { isAnalysed: true })).replaceAll(',"similarity":"compounds"', ''),
  ) as { _meta: Record<string, unknown> };
  mappings._meta = { ...mappings._meta, version: 2 };
  await raw('PUT', `/${old.name}`, { settings: { index: { ...settings, analysis: filters } }, mappings });
  await own.ensureIndex(old, undefined, never);
  const written = createRecord(`older-${mark}`, 'de', 'Den Beitrag zur Krankenversicherung zahlt die Firma.');
  expect(await own.bulkIndex(old.name, [written], undefined, never)).toEqual([]);
  await own.refresh(old.name);
  const { documents } = await own.search(anna, { query: 'krankenversicherungen', highlight: true });
  expect(documents.map(({ highlights }) => highlights?.['content'])).toEqual([
    ['Den Beitrag zur <em>Krankenversicherung</em> zahlt die Firma.'],
  ]);
  expect((await own.search(anna, { query: 'Beitragszahlung' })).total).toBe(1);
  await own.close();
});

test('an index of an earlier version, without languages, can be written and searched as before', async () => {
  const { search: own, index } = await library([]);
  const old = spec(`old-${index}`);
  const exact = { type: 'keyword' };
  await raw('PUT', `/${old.name}`, {
    mappings: {
      dynamic: 'strict',
      properties: {
        id: exact,
        document_id: exact,
        job_id: exact,
        run_id: exact,
        allowed_users: exact,
        content: { type: 'text' },
        title: { type: 'text', fields: { keyword: exact } },
        metadata: { type: 'object', dynamic: true },
        metadata_text: { type: 'text' },
        created_at: { type: 'date' },
        updated_at: { type: 'date' },
      },
    },
  });
  await own.ensureIndex(old, undefined, never);
  expect(
    await own.bulkIndex(old.name, [createRecord(`old-${mark}`, 'en', 'An elderly turbine hums.')], undefined, never),
  ).toEqual([]);
  await own.refresh(old.name);
  const { documents } = await own.search(anna, { query: 'turbine', highlight: true });
  expect(documents.map(({ id, highlights }) => [id, highlights?.['content']])).toEqual([
    [`old-${mark}`, ['An elderly <em>turbine</em> hums.']],
  ]);
  expect((await own.search(anna, { query: 'turbnie' })).total).toBe(1);
  await own.close();
});
