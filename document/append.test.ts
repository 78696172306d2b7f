import { appendDocument } from './append';
import { createDocument } from './builder';
import { tableCell } from './grid';
import { treeProblems } from './validate';
import { toHtml } from './write/html';
import { toMarkdown } from './write/markdown';

function part(name: string, pageNo: number) {
  const builder = createDocument(name);
  builder.page(pageNo, 100, 200);
  builder.heading(1, `Heading ${name}`);
  const list = builder.group('list');
  builder.listItem(`item ${name}`, { parent: list });
  const table = builder.table({ table_cells: [tableCell(0, 0, name)], num_rows: 1, num_cols: 1 });
  builder.caption(table, `caption ${name}`);
  return builder.document;
}

test('items of several documents follow each other, with their references and pages', () => {
  const whole = createDocument('whole').document;
  const parts = [part('a', 1), part('b', 2), part('c', 3)];
  const before = JSON.stringify(parts, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  for (const document of parts) appendDocument(whole, document);
  expect(treeProblems(whole)).toEqual([]);
  expect(Object.keys(whole.pages)).toEqual(['1', '2', '3']);
  expect(toMarkdown(whole)).toBe(parts.map((document) => toMarkdown(document)).join('\n\n'));
  expect(whole.tables.map(({ captions }) => captions[0]?.$ref)).toEqual(['#/texts/2', '#/texts/5', '#/texts/8']);
  expect(JSON.stringify(parts)).toBe(before);
});

test('a document with more items than the stack holds is appended and written', () => {
  const long = createDocument('long');
  const section = long.group('section');
  for (let index = 0; index < 130_000; index += 1) {
    long.text('text', 'a', { parent: section });
    long.text('text', 'b');
  }
  const whole = createDocument('whole').document;
  appendDocument(whole, long.document);
  expect(whole.body.children).toHaveLength(130_001);
  expect(toHtml(whole).match(/<p>a<\/p>/g)).toHaveLength(130_000);
});
