import { parse } from 'csv-parse/sync';
import { toCsvCell, toExactCell } from '../../model/export/csv-cell';
import { memoryDocumentSets } from '../support/api/document-set-services';
import { alice, startApi, type TestApi } from '../support/api/server';

/** Formulas in documents: a spreadsheet that opens an export would run them. */
const formulas = [
  '=HYPERLINK("http://127.0.0.1/?"&A1)',
  "+cmd|' /C calc'!A0",
  '-2+3',
  '@SUM(A1)',
  '\t=1+1',
  '\r=1+1',
  '\n=1+1',
  ' =1+1',
  '\u00a0=1+1',
  '\ufeff=1+1',
  '\uff1d1+1',
  '=1+1,"x"\r\ny',
  '\u200b=1+1',
  '\u2003\u3000@SUM(1)',
  '\u0000=1+1',
  '\u001f-2+3',
  '\ufe62\ufe63=1',
];

test.each(formulas)('%j is a text in a CSV file', (text) => {
  const [[cell = ''] = []] = parse(`${toCsvCell(text)}\r\n`, { relax_quotes: false });
  expect(cell).toBe(`'${text}`);
  expect(parse(`${toExactCell(text)}\r\n`)[0]?.[0]).toBe(text);
});

/** A spreadsheet whose separator is another one starts a cell in the middle of a text, and ignores quotes there. */
test.each([
  ['x;=1+1', "x;'=1+1"],
  ["x;+cmd|' /C calc'!A0", "x;'+cmd|' /C calc'!A0"],
  ['x\t@SUM(A1)', "x\t'@SUM(A1)"],
  ['x; \u200b=1;-2', "x;' \u200b=1;'-2"],
  ['x\t\t=1', "x\t'\t'=1"],
  [';=1', ";'=1"],
])('%j is no formula either, where another character separates cells', (text, expected) => {
  expect(parse(`${toCsvCell(text)}\r\n`)[0]?.[0]).toBe(expected);
  expect(parse(`${toExactCell(text)}\r\n`)[0]?.[0]).toBe(text);
});

test.each(['a = b', 'a; b = c', 'x;y', 'x-ray', "it's", '1-2', '', 'e@example.org'])('%j is left as it is', (text) => {
  expect(toCsvCell(text)).toBe(text);
});

test('lists of several lines are left as they are', () => {
  const text = 'a;\n- b;\n- c';
  expect(parse(`${toCsvCell(text)}\r\n`)[0]?.[0]).toBe(text);
});

const id = '00000000-0000-4000-8000-000000000000';

describe('over HTTP', () => {
  let api: TestApi;
  afterEach(() => api.close());

  test('the export of a set contains none, in cells and in column names, unless it is to be exact', async () => {
    const sets = memoryDocumentSets();
    api = await startApi({
      ...sets,
      documentSets: {
        ...sets.documentSets,
        get: async () => ({ id, name: 'set', owner: 'alice' }) as never,
        listColumns: async () => ['id', '=HYPERLINK("x")', 'count'],
        readAll: async function* () {
          yield [{ id: '@a', '=HYPERLINK("x")': formulas[0], count: -5 }];
        },
      },
    });
    const text = async (query: string) =>
      (await api.call('GET', `/api/v1/document-sets/${id}/export?format=csv${query}`, { user: alice })).body as string;
    expect(parse(await text(''))).toEqual([
      ['id', `'=HYPERLINK("x")`, 'count'],
      ["'@a", `'${formulas[0]}`, '-5'],
    ]);
    expect(parse(await text('&exact=true'))).toEqual([
      ['id', '=HYPERLINK("x")', 'count'],
      ['@a', formulas[0], '-5'],
    ]);
  });

  test('the report of a run has none', async () => {
    api = await startApi();
    const run = { job_run_id: id, owner: 'alice', status: 'COMPLETED', ended_at: '2026-01-01T00:00:00Z' };
    api.state.runs.push(run as never);
    api.state.results = formulas.map((name, index) => ({
      id: `${index}`,
      name,
      status: 'Completed',
      reason: name,
      time: '',
      pages: 0,
      seconds: 0,
    })) as never;
    const text = async (query: string) =>
      (await api.call('GET', `/api/v1/job_runs/${id}/report${query}`, { user: alice })).body as string;
    const cells = (csv: string) =>
      parse(csv)
        .slice(1)
        .flatMap(([, name, , reason]) => [name, reason]);
    expect(cells(await text(''))).toEqual(formulas.flatMap((formula) => [`'${formula}`, `'${formula}`]));
    expect(cells(await text('?exact=true'))).toEqual(formulas.flatMap((formula) => [formula, formula]));
  });
});
