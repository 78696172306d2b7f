import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Row } from '../../model/flow/row';
import { createFolderStore } from '../storage/object-store-folder';
import { createDuckdb } from './duckdb';
import { createTables } from './tables';

const duckdb = createDuckdb();
let root = '';
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'docloom-tables-'));
});
afterAll(async () => {
  duckdb.close();
  await rm(root, { recursive: true, force: true });
});

const roundTrip = async (rows: readonly unknown[]) => {
  const tables = createTables({ store: createFolderStore(root), duckdb });
  const key = { runId: 'r', operator: 'extract', part: 'p00000' };
  await tables.write(key, rows as Row[]);
  return tables.read(key);
};
const row = (id: string, columns: Record<string, unknown>) => ({ id, name: 'n', path: '/n', ...columns });

test('every standard column survives a round trip', async () => {
  const rows = [
    row('1', {
      source: 'file:/d',
      size: 5,
      pages_processed: 2,
      content: '# Ü\n"quoted", \\back\ttab\r\n😀',
      allowed_users: ['alice', "o'brien"],
      metadata: { b: 1, a: { x: [1, null, { y: 'z' }] } },
      headings: ['H 1'],
      page_numbers: [1, 2],
      bbox: [
        [1.5, 2],
        [3, 4],
      ],
      chunk_index: 0,
      start_index: 12,
    }),
    row('2', { allowed_users: [], headings: [], page_numbers: [], bbox: [], metadata: {} }),
  ];
  expect(await roundTrip(rows)).toEqual(rows);
});

test('null and undefined columns are absent afterwards, even if no row has a value', async () => {
  const [first, second] = await roundTrip([
    row('1', { content: null, title: undefined, never: null }),
    row('2', { content: 'x' }),
  ]);
  expect(first).toEqual(row('1', {}));
  expect(second).toEqual(row('2', { content: 'x' }));
});

test('all parts of an operator have one schema: declared columns exist without values, with their types', async () => {
  const store = createFolderStore(path.join(root, 'schema'));
  const tables = createTables({ store, duckdb });
  const declared = new Map([
    ['language', { type: 'string' }],
    ['confidence', { type: 'double' }],
    ['entities', { type: 'json' }],
    ['vector', { type: 'vector' }],
  ]);
  const parts = [
    [row('1', { language: 'de', confidence: 1, entities: 'plain', vector: [1, 2] })],
    [row('2', {})],
    [row('3', { confidence: 0.5, entities: { total: 2 } })],
  ];
  for (const [index, rows] of parts.entries())
    await tables.write({ runId: 'r', operator: 'detect', part: `p0000${index}` }, rows, declared);
  const schemas = await duckdb.use(async (connection) => {
    const described = parts.map((_, index) => {
      const file = path.join(root, 'schema', 'run', 'r', 'detect', `p0000${index}.parquet`);
      return connection.runAndReadAll(
        `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM '${file}') ORDER BY 1`,
      );
    });
    return (await Promise.all(described)).map((reader) => JSON.stringify(reader.getRows()));
  });
  expect(schemas[0]).toContain('["confidence","DOUBLE"]');
  expect(new Set(schemas).size).toBe(1);
  expect(await tables.read({ runId: 'r', operator: 'detect', part: 'p00001' })).toEqual([row('2', {})]);
  expect(await tables.read({ runId: 'r', operator: 'detect', part: 'p00000' })).toEqual(parts[0]);
});

test('values of several types in one column keep their types', async () => {
  const rows = [1, 'text', true, [1, 'a', null], { a: null }, [[1], ['x']], 1.5, [], ''].map((mixed, index) =>
    row(String(index), { mixed }),
  );
  expect(await roundTrip(rows)).toEqual(rows);
});

test('numbers keep their value: whole, large, small, fractional', async () => {
  const rows = [
    0,
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
    1e21,
    5e-324,
    1.7976931348623157e308,
    0.1,
    -2.5,
  ].map((value, index) => row(String(index), { value, whole: index, list: [value], short: [0.1, 0.2] }));
  expect(await roundTrip(rows)).toEqual(rows);
});

test('a vector is stored in single precision', async () => {
  const embedding = Array.from({ length: 384 }, (_, index) => Math.sin(index) / 7);
  const [read] = await roundTrip([row('1', { embedding })]);
  const vector = read?.['embedding'] as number[];
  expect(vector.map(Math.fround)).toEqual(embedding.map(Math.fround));
  expect(JSON.stringify(vector).length).toBeLessThan(384 * 14);
});

test('text with NUL, quotes, separators and every kind of line end stays', async () => {
  const text = 'a\0b\u2028c\u0085\u0001\u{10ffff}\ufeff\r\n\\u0000 \\ud83d C:\\udata';
  const rows = [row('1', { content: text, list: [text], metadata: { [text]: [text] }, free: { x: text } })];
  expect(await roundTrip(rows)).toEqual(rows);
});

test('a lone surrogate becomes the replacement character, at any position', async () => {
  const rows = await roundTrip([
    row('1', { content: 'a\ud800b \\ud', list: ['\udfff'], metadata: { k: 'x\ud83d' }, ['odd\ud800']: 'v' }),
  ]);
  expect(rows).toEqual([
    row('1', { content: 'a\ufffdb \\ud', list: ['\ufffd'], metadata: { k: 'x\ufffd' }, ['odd\ufffd']: 'v' }),
  ]);
});

test('column names that DuckDB cannot distinguish or does not allow survive a round trip', async () => {
  const rows = [
    row('1', {
      Title: 'a',
      title: { b: 1 },
      '': 'empty',
      'with "quotes" and \'': 1,
      'a\0b': 2,
      ID: 'other',
      __proto: 1,
      select: 's',
      docloom_extra: 'e',
    }),
  ];
  expect(await roundTrip(rows)).toEqual(rows);
});

test('the texts of JSON values look like other types and stay text', async () => {
  const rows = [row('1', { a: '2024-01-01', b: 'true', c: '12', d: 'null', e: '{"x":1}', f: '', g: ['1', 'null'] })];
  expect(await roundTrip(rows)).toEqual(rows);
});

test('an empty table has no rows', async () => {
  expect(await roundTrip([])).toEqual([]);
});

test('a row of several megabytes survives a round trip', async () => {
  const rows = [row('1', { content: 'ä'.repeat(20_000_000) }), row('2', { content: 'x' })];
  expect(await roundTrip(rows)).toEqual(rows);
});

test('a table written twice contains only the rows of the second write', async () => {
  await roundTrip([row('1', {}), row('2', {})]);
  expect(await roundTrip([row('3', { content: 'x' })])).toEqual([row('3', { content: 'x' })]);
});

test('random rows of plain JSON survive a round trip', async () => {
  const random = randomFrom(7);
  for (let round = 0; round < 40; round += 1) {
    const rows = Array.from({ length: 1 + Math.floor(random() * 8) }, (_, index) => {
      const columns = Array.from(
        { length: Math.floor(random() * 6) },
        (_, column) => [`c${column}`, plainJson(random, 3)] as const,
      );
      return row(String(index), Object.fromEntries(columns.filter(([, value]) => value !== null)));
    });
    expect(await roundTrip(rows)).toEqual(rows);
  }
});

test('a part of 32 rows is written and read in some tens of milliseconds', async () => {
  const rows = Array.from({ length: 32 }, (_, index) =>
    row(String(index), { content: 'word '.repeat(1000), embedding: Array.from({ length: 384 }, Math.random) }),
  );
  await roundTrip(rows);
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const started = performance.now();
    await roundTrip(rows);
    times.push(performance.now() - started);
  }
  expect(Math.min(...times)).toBeLessThan(3_000);
});

test('operator names that are not valid file names are kept apart', async () => {
  const tables = createTables({ store: createFolderStore(root), duckdb });
  const names = ['../../etc', '..', 'A', 'a', 'ä/b', 'x'.repeat(256), '.tmp', 'a b', 'a-b'];
  for (const operator of names) await tables.write({ runId: 'names', operator, part: 'p00000' }, [row(operator, {})]);
  for (const operator of names)
    expect(await tables.read({ runId: 'names', operator, part: 'p00000' })).toEqual([row(operator, {})]);
  expect((await readdir(path.join(root, 'run', 'names'))).length).toBe(names.length);
});

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

function plainJson(random: () => number, depth: number): unknown {
  const kind = Math.floor(random() * (depth > 0 ? 8 : 5));
  if (kind === 0) return null;
  if (kind === 1) return random() < 0.5;
  if (kind === 2) return Math.floor(random() * 1e6) - 5e5;
  if (kind === 3) return random() * 1e3;
  if (kind === 4) return ['', 'ü', 'a\nb', '1', '"', '\0', '😀'][Math.floor(random() * 7)];
  const members = Array.from({ length: Math.floor(random() * 4) }, () => plainJson(random, depth - 1));
  return kind === 5 ? Object.fromEntries(members.map((member, index) => [`k${index}`, member])) : members;
}

test('a copied table has the rows of the original, and later writes to the original do not change it', async () => {
  const tables = createTables({ store: createFolderStore(root), duckdb });
  const from = { runId: 'r', operator: 'embed', part: 'p00001' };
  const to = { ...from, operator: 'index' };
  await tables.write(from, [row('1', { embeddings: [0.5, 1] })] as Row[]);
  await tables.copy(from, to);
  await tables.write(from, [row('2', {})] as Row[]);
  expect(await tables.read(to)).toEqual([row('1', { embeddings: [0.5, 1] })]);
  await expect(tables.copy({ ...from, part: 'p00009' }, to)).rejects.toMatchObject({ code: 'TABLE_NOT_FOUND' });
});
