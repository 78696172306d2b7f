import { createDocument } from './builder';
import { viewDocument } from './view';

function paged() {
  const { document } = createDocument('report');
  document.pages = {
    '1': { page_no: 1, size: { width: 600, height: 800 } },
    '2': { page_no: 2, size: { width: 600, height: 800 } },
  };
  const prov = (page_no: number, t: number) => ({
    page_no,
    bbox: { l: 10, t, r: 90, b: t - 20, coord_origin: 'BOTTOMLEFT' as const },
    charspan: [0, 1],
  });
  const node = { parent: { $ref: '#/body' }, children: [], content_layer: 'body' as const };
  document.texts = [
    {
      ...node,
      self_ref: '#/texts/0',
      label: 'section_header',
      level: 1,
      orig: 'Rain',
      text: 'Rain',
      prov: [prov(1, 700)],
    },
    { ...node, self_ref: '#/texts/1', label: 'text', orig: 'Long', text: 'Long', prov: [prov(1, 300), prov(2, 790)] },
    {
      ...node,
      self_ref: '#/texts/2',
      label: 'page_footer',
      content_layer: 'furniture',
      orig: '1',
      text: '1',
      prov: [prov(1, 30)],
    },
    { ...node, self_ref: '#/texts/3', label: 'caption', orig: 'Table 1', text: 'Table 1', prov: [prov(2, 500)] },
  ];
  document.tables = [
    {
      ...node,
      self_ref: '#/tables/0',
      label: 'table',
      prov: [prov(2, 480)],
      captions: [{ $ref: '#/texts/3' }],
      references: [],
      footnotes: [],
      data: {
        num_rows: 1,
        num_cols: 2,
        table_cells: [
          {
            row_span: 1,
            col_span: 2,
            start_row_offset_idx: 0,
            end_row_offset_idx: 1,
            start_col_offset_idx: 0,
            end_col_offset_idx: 2,
            text: 'mm',
            column_header: true,
            row_header: false,
            row_section: false,
            fillable: false,
            bbox: { l: 10, t: 470, r: 90, b: 460, coord_origin: 'BOTTOMLEFT' },
          },
        ],
      },
    },
  ];
  document.body.children = ['#/texts/0', '#/texts/1', '#/texts/2', '#/texts/3', '#/tables/0'].map(($ref) => ({ $ref }));
  return document;
}

test('an item is on each of its pages, with its boxes there measured from the top left', () => {
  const { kind, pages, headings } = viewDocument(paged());
  expect(kind).toBe('pages');
  expect(pages.map(({ page, items }) => [page, items.map(({ ref }) => ref)])).toEqual([
    [1, ['#/texts/0', '#/texts/1', '#/texts/2']],
    [2, ['#/texts/1', '#/tables/0', '#/texts/3']],
  ]);
  expect(pages[0]?.items[0]).toMatchObject({ boxes: [[10, 100, 90, 120]], order: 1, level: 1 });
  expect(pages[1]?.items[0]).toMatchObject({ boxes: [[10, 10, 90, 30]], order: 2 });
  expect(headings).toEqual([{ ref: '#/texts/0', text: 'Rain', level: 1, page: 1 }]);
});

test('a table has each cell once, with its spans, and its caption below it', () => {
  const page = viewDocument(paged()).pages[1];
  expect(page?.items[1]?.table).toEqual({
    rows: 1,
    columns: 2,
    cells: [{ row: 0, column: 0, row_span: 1, column_span: 2, text: 'mm', is_header: true, box: [10, 330, 90, 340] }],
  });
  expect(page?.items[2]).toMatchObject({ ref: '#/texts/3', depth: 1 });
});

test('each piece of the Markdown lists its items', () => {
  const [first, second] = viewDocument(paged()).pages;
  expect(first?.markdown).toEqual([
    { text: '## Rain', refs: ['#/texts/0'] },
    { text: 'Long', refs: ['#/texts/1'] },
  ]);
  expect(second?.markdown[0]?.refs).toEqual(['#/tables/0', '#/texts/3']);
});

test('a document without pages is split into portions, and circular references end', () => {
  const built = createDocument('notes');
  for (let index = 0; index < 450; index += 1) built.text('text', `line ${index}`);
  const view = viewDocument(built.document);
  expect(view.kind).toBe('parts');
  expect(view.pages.map(({ page, width, items }) => [page, width, items.length])).toEqual([
    [1, null, 200],
    [2, null, 200],
    [3, null, 50],
  ]);
  const [first, second] = built.document.texts;
  first!.children = [{ $ref: second!.self_ref }];
  second!.children = [{ $ref: first!.self_ref }];
  expect(viewDocument(built.document).pages[0]?.items).toHaveLength(200);
});
