import { createDocument, type DocumentBuilder } from '../builder';
import { tableCell } from '../grid';
import { contextualize } from './hierarchical';
import { chunkHybrid, type HybridOptions } from './hybrid';
import { splitByTokens } from './split';

/** A token is a word or a sign. */
const words = { name: 'words', maxTokens: 8, count: (text: string) => text.match(/\w+|[^\s\w]/g)?.length ?? 0 };
function getChunks(build: (builder: DocumentBuilder) => void, options: Partial<HybridOptions> = {}) {
  const builder = createDocument('sample');
  build(builder);
  return [...chunkHybrid(builder.document, { tokenizer: words, ...options })];
}

describe('chunkHybrid', () => {
  test('neighbours under the same headings are joined while they fit', () => {
    const build = (builder: DocumentBuilder) => {
      builder.heading(1, 'A');
      for (const text of ['one two', 'three', 'four five six seven']) builder.text('text', text);
      builder.heading(1, 'B');
      builder.text('text', 'x');
    };
    const chunks = getChunks(build);
    expect(chunks.map(({ headings, text, tokens }) => [headings[0], text, tokens])).toEqual([
      ['A', 'one two\nthree', 4],
      ['A', 'four five six seven', 5],
      ['B', 'x', 2],
    ]);
    expect(chunks[0]!.pieces.flatMap(({ items }) => items.map(({ self_ref }) => self_ref))).toEqual([
      '#/texts/1',
      '#/texts/2',
    ]);
    expect(getChunks(build, { mergePeers: false }).map(({ text }) => text)).toEqual([
      'one two',
      'three',
      'four five six seven',
      'x',
    ]);
    expect(getChunks(build, { maxTokens: 100 })).toHaveLength(2);
  });

  test('a list that is too long is split between its items', () => {
    const chunks = getChunks((builder) => {
      const list = builder.group('list');
      for (const text of ['a b', 'c d', 'e f']) builder.listItem(text, { parent: list });
    });
    expect(chunks.map(({ text }) => text)).toEqual(['- a b\n- c d', '- e f']);
  });

  test('a paragraph that is too long is split at sentences, then words; each part keeps headings and item', () => {
    const chunks = getChunks((builder) => {
      builder.heading(1, 'H');
      builder.text('text', 'one two three. four five. six seven eight nine ten eleven twelve thirteen');
    });
    expect(chunks.map(({ text }) => text)).toEqual([
      'one two three. four five.',
      'six seven eight nine ten eleven twelve',
      'thirteen',
    ]);
    for (const chunk of chunks) {
      expect(words.count(contextualize(chunk))).toBeLessThanOrEqual(8);
      expect(chunk.headings).toEqual(['H']);
      expect(chunk.pieces.flatMap(({ items }) => items)).toHaveLength(1);
    }
  });

  test('a table is split between rows; as Markdown each part has the header', () => {
    const build = (builder: DocumentBuilder) => {
      const rows = [
        ['n', 'v'],
        ['a', '1'],
        ['b', '2'],
        ['c', '3'],
      ];
      builder.table({
        num_rows: 4,
        num_cols: 2,
        table_cells: rows.flatMap((cells, row) =>
          cells.map((text, column) => tableCell(row, column, text, { column_header: row === 0 })),
        ),
      });
    };
    expect(getChunks(build, { maxTokens: 13 }).map(({ text }) => text)).toEqual(['a, v = 1. b, v = 2', 'c, v = 3']);
    expect(getChunks(build, { maxTokens: 21, markdownTables: true }).map(({ text }) => text)).toEqual([
      '| n | v |\n| - | - |\n| a | 1 |',
      '| n | v |\n| - | - |\n| b | 2 |',
      '| n | v |\n| - | - |\n| c | 3 |',
    ]);
  });

  test('headings that leave no room for text are dropped', () => {
    const chunks = getChunks((builder) => {
      builder.heading(1, 'one two three four five six seven eight nine');
      builder.text('text', 'x');
    });
    expect(chunks).toMatchObject([{ text: 'x', headings: [], tokens: 1 }]);
  });

  test('no chunk is larger than the limit for any way of counting', () => {
    // Parts together count more than alone here.
    const odd = { name: 'odd', maxTokens: 10, count: (text: string) => Math.ceil(text.length ** 1.1 / 2) };
    const chunks = getChunks(
      (builder) => {
        builder.heading(1, 'H');
        for (let index = 0; index < 50; index++) builder.text('text', 'ab cd '.repeat(index % 7));
      },
      { tokenizer: odd },
    );
    expect(chunks.length).toBeGreaterThan(20);
    for (const { tokens } of chunks) expect(tokens).toBeLessThanOrEqual(10);
  });

  test('takes linear time', () => {
    const getTime = (count: number) => {
      const builder = createDocument('sample');
      for (let index = 0; index < count; index++) builder.text('text', `paragraph ${index} with a few words.`);
      const start = performance.now();
      const chunks = [...chunkHybrid(builder.document, { tokenizer: { ...words, maxTokens: 5_000 } })];
      expect(chunks.length).toBeGreaterThan(0);
      return performance.now() - start;
    };
    getTime(1_000);
    expect(getTime(40_000)).toBeLessThan(40 * Math.max(getTime(4_000), 10));
  });
});

describe('splitByTokens', () => {
  test('only white space is lost', () => {
    const text = 'First. Second one; with a clause, yes.\n\nNext\nline '.repeat(20);
    for (const limit of [1, 3, 10, 50]) {
      const parts = splitByTokens(text, limit, words.count);
      expect(parts.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
      for (const part of parts) expect(words.count(part)).toBeLessThanOrEqual(limit);
    }
  });

  test('an endless word is cut between characters, never within one', () => {
    const parts = splitByTokens('😀'.repeat(100), 10, (text) => Array.from(text).length);
    expect(parts.join('')).toBe('😀'.repeat(100));
    for (const part of parts) expect(Array.from(part).length).toBeLessThanOrEqual(10);
  });
});
