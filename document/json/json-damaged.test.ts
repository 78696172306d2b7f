import { AppError } from '../../model/errors';
import { createDocument } from '../builder';
import { chunkHierarchically } from '../chunk/hierarchical';
import { tableCell } from '../grid';
import type { DoclingDocument } from '../model';
import { treeProblems } from '../validate';
import { toMarkdown } from '../write/markdown';
import { documentFromJson } from './json';
import { documentToJson } from './write';

/** A document as JSON, with changes that the builder would not make. */
function changed(change: (document: Record<string, never> & DoclingDocument) => void): string {
  const builder = createDocument('sample');
  builder.page(1, 100, 100);
  const bbox = { l: 0, t: 0, r: 1, b: 1 };
  builder.text('text', 'one', { prov: [{ page_no: 1, bbox, charspan: [0, 3] }] });
  builder.text('text', 'two');
  builder.table({ table_cells: [tableCell(0, 0, 'cell')], num_rows: 1, num_cols: 1 });
  builder.picture();
  const value = JSON.parse(documentToJson(builder.document)) as Record<string, never> & DoclingDocument;
  change(value);
  return JSON.stringify(value);
}

function refusal(text: string): string {
  try {
    documentFromJson(text);
  } catch (error) {
    if (error instanceof AppError) return `${error.code} ${error.message}`;
    throw error;
  }
  return 'read';
}

test.each<[string, (document: Record<string, never> & DoclingDocument) => void, string]>([
  [
    'a box of words',
    ({ texts }) => Object.assign(texts[0]!.prov[0]!.bbox, { l: 'NaN' }),
    '/texts/0/prov/0/bbox/l must be a number',
  ],
  [
    'a page whose name is not a number',
    ({ pages }) => Object.assign(pages, { one: pages['1'] }),
    "/pages has the unknown member 'one'",
  ],
  [
    'keywords that are not a list',
    ({ texts }) => Object.assign(texts[1]!, { meta: { keywords: { values: 5 } } }),
    '/texts/1/meta/keywords/values must be a list',
  ],
  [
    'classes without a name',
    ({ pictures }) =>
      Object.assign(pictures[0]!, { annotations: [{ kind: 'classification', predicted_classes: [{}] }] }),
    "/pictures/0/annotations/0/predicted_classes/0 must have the member 'class_name'",
  ],
  [
    'a parent that does not list it',
    ({ texts }) => Object.assign(texts[0]!, { parent: { $ref: '#/tables/0' } }),
    '#/texts/0 is a child of #/body, but its parent is #/tables/0',
  ],
  [
    'a child twice',
    ({ body }) => body.children.push({ $ref: '#/texts/0' }),
    '#/texts/0 is a child of #/body and of #/body',
  ],
  [
    'a child that does not exist',
    ({ body }) => body.children.push({ $ref: '#/texts/9' }),
    '#/body has the child #/texts/9, which does not exist',
  ],
  ['the body in the body', ({ body }) => body.children.push({ $ref: '#/body' }), '#/body is its own ancestor'],
])('%s is rejected with its position', (_, change, expected) => {
  const message = refusal(changed(change));
  expect(message).toMatch(/^DOCUMENT_CORRUPT /);
  expect(message).toContain(expected);
});

test.each([
  ['wide', 1, 1e9],
  ['without columns', 1e9, 0],
])('a table that is too large is rejected before it is written: %s', (_, num_rows, num_cols) => {
  const text = changed(({ tables }) => Object.assign(tables[0]!.data, { num_rows, num_cols }));
  expect(refusal(text)).toBe(
    `DOCUMENT_TOO_LARGE /tables/0/data has ${num_rows} × ${num_cols} places; the tables of a document may have 20000000.`,
  );
});

test('a span beyond its table ends with it, and a span that ends before it begins covers one cell', () => {
  const text = changed(({ tables }) => {
    const [cell] = tables[0]!.data.table_cells;
    Object.assign(cell!, { col_span: 1e9, end_col_offset_idx: 1e9, end_row_offset_idx: 0, column_header: true });
  });
  const document = documentFromJson(text);
  expect(toMarkdown(document, { compactTables: true })).toContain('| cell |');
  document.tables[0]!.data.table_cells[0]!.end_row_offset_idx = 1e9;
  expect([...chunkHierarchically(document)].map((chunk) => chunk.text)).toContain('cell');
});

test('foreign data with endless nesting are rejected', () => {
  const deep = '{"a":'.repeat(5_000) + '1' + '}'.repeat(5_000);
  const text = changed(({ texts }) => Object.assign(texts[1]!, { meta: { x__y: 12345 } })).replace('12345', deep);
  expect(refusal(text)).toBe('DOCUMENT_CORRUPT /texts/1/meta is nested deeper than 100 levels.');
});

test('items with a wrong reference are read by their position, and none is lost', () => {
  const document = documentFromJson(changed(({ texts }) => Object.assign(texts[1]!, { self_ref: '#/texts/0' })));
  expect(document.texts.map(({ self_ref }) => self_ref)).toEqual(['#/texts/0', '#/texts/1']);
  expect(toMarkdown(document)).toMatch(/^one\n\ntwo\n/);
  document.texts[1]!.self_ref = '#/texts/0';
  expect(treeProblems(document)).toContain('#/texts/1 calls itself #/texts/0');
});

test('an item of a list without a marker has a dash, as the reference reads it', () => {
  const builder = createDocument('sample');
  builder.listItem('x', { parent: builder.group('list'), enumerated: true });
  delete builder.document.texts[0]!.marker;
  expect(toMarkdown(documentFromJson(documentToJson(builder.document)))).toBe('- x');
});
