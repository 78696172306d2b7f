import { array, assert, boolean, constantFrom, integer, property, record, string, tuple } from 'fast-check';
import { createDocument } from '../builder';
import { tableCell } from '../grid';
import { contextualize } from './hierarchical';
import { chunkHybrid } from './hybrid';

/** Every character is at most one token in each; the parts of a text together have at least as many tokens as the text. */
const tokenizers = {
  characters: (text: string) => Array.from(text).length,
  pieces: (text: string) => Math.ceil(Array.from(text).length / 4),
  words: (text: string) => text.match(/\p{Script=Han}|[^\P{L}\p{Script=Han}]+|\p{N}+|[^\s\p{L}\p{N}]/gu)?.length ?? 0,
};

const word = constantFrom(
  'alpha',
  'be',
  '漢字仮名',
  '😀',
  'x_1',
  '12.5',
  'nomensurus'.repeat(5),
  '.',
  '|',
  '`',
  'שלום',
  '',
  '。',
);
const text = array(word, { maxLength: 8 }).map((words) => words.join(' '));
const block = record({
  kind: constantFrom('text', 'heading', 'list', 'table', 'code', 'inline', 'formula'),
  texts: array(text, { minLength: 1, maxLength: 4 }),
  level: integer({ min: 1, max: 3 }),
});

function getDocument(blocks: readonly { kind: string; texts: string[]; level: number }[]) {
  const builder = createDocument('sample');
  for (const { kind, texts, level } of blocks) {
    const all = texts.join('\n');
    if (kind === 'heading') builder.heading(level, texts[0]!);
    else if (kind === 'code') builder.code(all);
    else if (kind === 'text' || kind === 'formula') builder.text(kind, all);
    else if (kind === 'table') {
      const table_cells = texts.flatMap((value, row) => [
        tableCell(row, 0, value, { column_header: row === 0 }),
        tableCell(row, 1, 'v'),
      ]);
      builder.table({ table_cells, num_rows: texts.length, num_cols: 2 });
    } else if (kind === 'inline') {
      const parent = builder.group('inline');
      for (const value of texts) builder.text('text', value, { parent });
    } else {
      const parent = builder.group('list');
      for (const value of texts) builder.listItem(value, { parent, marker: '-' });
    }
  }
  return builder.document;
}

test('no chunk is too large or blank, and its tokens are those of its text with the headings', () => {
  let chunks = 0;
  const wrong: string[] = [];
  assert(
    property(
      array(block, { maxLength: 8 }),
      constantFrom(...Object.values(tokenizers)),
      integer({ min: 1, max: 60 }),
      tuple(boolean(), boolean()),
      (blocks, count, maxTokens, [mergePeers, markdownTables]) => {
        const tokenizer = { name: 'own', maxTokens: 512, count };
        for (const chunk of chunkHybrid(getDocument(blocks), { tokenizer, maxTokens, mergePeers, markdownTables })) {
          const isRight = chunk.tokens <= maxTokens && chunk.tokens === count(contextualize(chunk));
          const isText = chunk.text.trim() !== '' && !/\p{Surrogate}/u.test(chunk.text);
          if (!isRight || !isText) wrong.push(`${chunk.tokens} of ${maxTokens}: ${JSON.stringify(chunk.text)}`);
          chunks += 1;
        }
      },
    ),
    { numRuns: 120 },
  );
  expect(chunks).toBeGreaterThan(100);
  expect(wrong).toEqual([]);
});

test('all words of paragraphs are present and in order for any limit', () => {
  assert(
    property(array(string({ maxLength: 200 }), { maxLength: 10 }), integer({ min: 1, max: 80 }), (texts, maxTokens) => {
      const tokenizer = { name: 'own', maxTokens, count: tokenizers.characters };
      const builder = createDocument('sample');
      for (const value of texts) builder.text('text', value);
      const chunks = [...chunkHybrid(builder.document, { tokenizer })];
      const bare = (value: string) => value.replaceAll(/\s/g, '');
      expect(bare(chunks.map((chunk) => chunk.text).join(''))).toBe(bare(texts.join('')));
    }),
    { numRuns: 200 },
  );
});

test('each part of a table that is too large has the header', () => {
  const rows = Array.from({ length: 40 }, (_, index) => [`name ${index}`, `value ${index}`]);
  const table_cells = [['Name', 'Value'], ...rows].flatMap((cells, row) =>
    cells.map((value, column) => tableCell(row, column, value, { column_header: row === 0 })),
  );
  const builder = createDocument('sample');
  builder.table({ table_cells, num_rows: 41, num_cols: 2 });
  const tokenizer = { name: 'own', maxTokens: 30, count: tokenizers.words };
  const chunks = [...chunkHybrid(builder.document, { tokenizer, markdownTables: true })];
  expect(chunks.length).toBeGreaterThan(5);
  for (const { text: part } of chunks) expect(part).toMatch(/^\| Name \| Value \|\n\| - \| - \|\n\| name \d+/);
  expect(chunks.flatMap(({ text: part }) => part.match(/name \d+/g) ?? [])).toEqual(rows.map(([name]) => name));
});
