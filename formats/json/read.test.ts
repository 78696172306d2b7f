import { readFileSync } from 'node:fs';
import path from 'node:path';
import { toMarkdown } from '../../document';
import { documentToJson } from '../../document/json/write';
import { convertBytes } from '../convert';

const convert = (text: string, name = 'data.json') => convertBytes({ bytes: Buffer.from(text), name });
const markdown = async (text: string, name?: string) =>
  toMarkdown((await convert(text, name)).document, { compactTables: true });

test('members are list items, and members with many values are sections after them', async () => {
  const text = JSON.stringify({
    scripts: Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`s${at}`, `run ${at}`])),
    name: 'shop',
    author: { name: 'Ann', mail: 'ann@example.org' },
    keywords: ['a', 'b'],
    none: null,
    empty: {},
  });
  expect((await markdown(text)).split('\n').slice(0, 11)).toEqual([
    '- name: shop',
    '- author',
    '    - name: Ann',
    '    - mail: ann@example.org',
    '- keywords: a, b',
    '- none: null',
    '- empty: {}',
    '',
    '## scripts',
    '',
    '- s0: run 0',
  ]);
});

test('similar objects are a table, with nested members as columns', async () => {
  const rows = [
    { id: 1, who: { name: 'Ann' }, tags: ['x', 'y'] },
    { id: 2, who: { name: 'Ben' }, note: 'late\nand long' },
    { id: 3, who: { name: 'Cem' }, tags: [] },
  ];
  expect(await markdown(JSON.stringify(rows))).toBe(
    [
      '| id | who.name | tags | note |',
      '| - | - | - | - |',
      '| 1 | Ann | x, y |  |',
      '| 2 | Ben |  | late and long |',
      '| 3 | Cem | [] |  |',
    ].join('\n'),
  );
});

test('an object of similar objects is a table with its keys in the first column', async () => {
  const text = JSON.stringify({ de: { name: 'German', n: 1 }, fr: { name: 'French', n: 2 }, it: { name: 'Italian' } });
  expect(await markdown(text)).toBe(
    '|  | name | n |\n| - | - | - |\n| de | German | 1 |\n| fr | French | 2 |\n| it | Italian |  |',
  );
});

test('different objects are sections titled with their own names', async () => {
  const long = Array.from({ length: 3 }, (_, at) => `Paragraph ${at} of the text.`).join('\n\n');
  const text = JSON.stringify([{ title: 'One', body: long }, { x: 1 }, { a: { b: { c: { d: [1, 2, { e: 3 }] } } } }]);
  const { document } = await convert(text);
  const headings = document.texts.filter(({ label }) => label === 'section_header').map(({ text: one }) => one);
  expect(headings).toEqual(['One', 'body', 'item 2', 'item 3']);
  expect(document.texts.filter(({ label }) => label === 'text')).toHaveLength(3);
});

test('numbers stay as written, and members in their order', async () => {
  expect(await markdown('{"b": 12345678901234567890, "10": 1.50, "2": 1e3}')).toBe(
    '- b: 12345678901234567890\n- 10: 1.50\n- 2: 1e3',
  );
});

test('comments, trailing commas and unquoted names are allowed; comments are counted', async () => {
  const { document, coverage, warnings } = await convert(`// first\n{ a: 'x', /* b */ "c": [1, 2,], }`, 'a.json5');
  expect(document.texts.map(({ text }) => text)).toEqual(['a: x', 'c: 1, 2']);
  expect(coverage).toEqual([{ kind: 'comment', count: 2, words: 2, in_json: false }]);
  expect(warnings).toEqual([]);
});

test('lines of JSON are rows, and an invalid line is kept as written', async () => {
  const { document, warnings } = await convert('{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n{"a":3,"b', 'log.jsonl');
  expect(toMarkdown(document, { compactTables: true })).toContain('{"a":3,"b');
  expect(warnings).toEqual(["Line 3 of 'log.jsonl' is not JSON and kept as written."]);
  expect(await markdown('{"a":1,"b":"x"}\n{"a":2,"b":"y"}', 'log.ndjson')).toBe(
    '| a | b |\n| - | - |\n| 1 | x |\n| 2 | y |',
  );
});

test('text that is not JSON keeps its words, with a warning that contains the position of the problem', async () => {
  const { document, warnings } = await convert('{"a": 1,\n "b" 2}');
  expect(document.texts).toMatchObject([{ label: 'code', code_language: 'JSON', text: '{"a": 1,\n "b" 2}' }]);
  expect(warnings[0]).toBe(
    "'data.json' is not JSON: expected ':' after a name in line 2, column 6. Its text is kept as written.",
  );
});

test('HTML in a value is reduced to its words', async () => {
  expect(await markdown('{"a": "<p>One <b>two</b></p><script>no()</script>", "b": "1 < 2 > 0"}')).toBe(
    '- a: One two\n- b: 1 &lt; 2 &gt; 0',
  );
});

test('a DoclingDocument is recognized with its members in any order', async () => {
  const { document } = await convertBytes({ bytes: Buffer.from('# Title\n\nText.\n'), name: 'a.md' });
  const text = documentToJson(document);
  const reordered = JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text) as object).reverse()));
  expect((await convert(text)).format).toBe('docling');
  expect(toMarkdown((await convert(reordered)).document)).toBe(toMarkdown(document));
});

test.each([
  ['nesting beyond the limit', `${'['.repeat(600)}${']'.repeat(600)}`, 'DOCUMENT_TOO_LARGE'],
  ['no text', ' \n', 'DOCUMENT_EMPTY'],
])('%s is rejected', async (_, text, code) => {
  await expect(convert(text)).rejects.toThrow(expect.objectContaining({ code }));
});

test('every value of a real file is in the document', async () => {
  const text = readFileSync(path.join(__dirname, '../../package.json'), 'utf8');
  const { document } = await convert(text, 'package.json');
  const cells = document.tables.flatMap(({ data }) => data.table_cells);
  const told = [...document.texts, ...cells].map(({ text: one }) => one).join('\n');
  const values = (value: unknown): string[] =>
    typeof value === 'object' && value !== null ? Object.values(value).flatMap(values) : [String(value)];
  for (const value of values(JSON.parse(text))) expect(told).toContain(value);
});

test('a line of more values than the stack holds is read', async () => {
  const { document } = await convert(`{broken\n${'1 '.repeat(200_000)}`, 'log.jsonl');
  expect(document.texts).toHaveLength(200_001);
});
