import { createDocument } from './builder';
import { tableCell } from './grid';
import { keepPages } from './page-range';
import { treeProblems } from './validate';
import { toMarkdown } from './write/markdown';

/** Four pages, each with a heading, a text, a table with a caption and a list of one item. */
function fourPages() {
  const builder = createDocument('four');
  for (const page of [1, 2, 3, 4]) {
    builder.page(page, 100, 100);
    const bbox = { l: 0, t: 0, r: 1, b: 1, coord_origin: 'TOPLEFT' as const };
    const prov = [{ page_no: page, bbox, charspan: [0, 1] as [number, number] }];
    builder.heading(1, `Page ${page}`, { prov });
    const cells = { num_rows: 1, num_cols: 1, table_cells: [tableCell(0, 0, `Cell ${page}`)] };
    const table = builder.table(cells, { prov });
    builder.caption(table, `Caption ${page}`, { prov });
    builder.listItem(`Item ${page}`, { parent: builder.group('list'), prov });
  }
  return builder.document;
}

test('items of the selected pages stay, with valid references', () => {
  const chosen = keepPages(fourPages(), 2, 3);
  const text = toMarkdown(chosen);
  expect(text).toMatch(/^## Page 2\n\nCaption 2\n\n\| Cell 2[^]*- Item 2\n\n## Page 3\n[^]*- Item 3$/);
  expect(text).not.toMatch(/[14]/);
  expect(treeProblems(chosen)).toEqual([]);
  expect(Object.keys(chosen.pages)).toEqual(['2', '3']);
});

test('a range outside of the document leaves nothing, and a range of all pages leaves the document unchanged', () => {
  const document = fourPages();
  expect(toMarkdown(keepPages(document, 9, 12))).toBe('');
  expect(keepPages(document, 1, Number.MAX_SAFE_INTEGER)).toBe(document);
});

test('a document without pages stays as it is', () => {
  const builder = createDocument('flow');
  builder.text('text', 'one');
  expect(keepPages(builder.document, 5, 6)).toBe(builder.document);
});
