import { createDocument, type DocumentBuilder } from '../builder';
import { tableCell } from '../grid';
import type { Provenance, TableData } from '../model';
import { boxesOf, chunkHierarchically, type ChunkDocumentOptions, chunkRecord, itemsOf } from './hierarchical';

const onPage = (page: number): Provenance[] => [
  { page_no: page, bbox: { l: 10, t: 700, r: 200, b: 680, coord_origin: 'BOTTOMLEFT' }, charspan: [0, 1] },
];
function getChunks(build: (builder: DocumentBuilder) => void, options: ChunkDocumentOptions = {}) {
  const builder = createDocument('sample');
  build(builder);
  return [...chunkHierarchically(builder.document, options)];
}
const getTexts = (build: (builder: DocumentBuilder) => void, options: ChunkDocumentOptions = {}) =>
  getChunks(build, options).map(({ headings, text }) => [headings.join(' > '), text]);
function getTable(rows: string[][], headerRows = 1): TableData {
  return {
    num_rows: rows.length,
    num_cols: rows[0]?.length ?? 0,
    table_cells: rows.flatMap((cells, row) =>
      cells.map((text, column) => tableCell(row, column, text, { column_header: row < headerRows })),
    ),
  };
}

describe('chunkHierarchically', () => {
  test('headings form the path of the content below them and are not chunks', () => {
    const texts = getTexts((builder) => {
      builder.text('title', 'Book');
      builder.heading(1, 'A');
      builder.heading(2, 'A1');
      builder.text('text', 'one');
      builder.heading(1, 'B');
      builder.text('text', 'two');
      builder.heading(1, 'Empty');
    });
    expect(texts).toEqual([
      ['Book > A > A1', 'one'],
      ['Book > B', 'two'],
    ]);
  });

  test('headings without content are chunks of their own on request', () => {
    const build = (builder: DocumentBuilder) => {
      builder.text('title', 'Book');
      builder.heading(1, 'A');
      builder.heading(2, 'A1');
      builder.heading(2, '');
      builder.heading(2, 'A2');
      builder.text('text', 'one');
      builder.heading(1, 'B');
    };
    expect(getTexts(build, { bareHeadings: true })).toEqual([
      ['Book > A', 'A1'],
      ['Book > A > A2', 'one'],
      ['Book', 'B'],
    ]);
    expect(getTexts((builder) => void builder.text('title', 'Only'), { bareHeadings: true })).toEqual([['', 'Only']]);
  });

  test('a heading in several styles is one text in the path and not a chunk', () => {
    const texts = getTexts((builder) => {
      const heading = builder.heading(1, '');
      const inline = builder.group('inline', { parent: heading });
      builder.text('text', 'Big', { parent: inline });
      builder.text('text', 'news', {
        parent: inline,
        formatting: { bold: true, italic: false, underline: false, strikethrough: false, script: 'baseline' },
      });
      builder.text('text', 'body', { parent: heading });
    });
    expect(texts).toEqual([['Big news', 'body']]);
  });

  test('known heading blocks become headings, and lines of symbols do not', () => {
    const chunks = getChunks((builder) => {
      const list = builder.group('list');
      const item = builder.listItem('one', { parent: list });
      const nested = builder.group('list', { parent: item });
      builder.listItem('deep', { parent: nested });
      builder.listItem('two', { parent: list });
      const inline = builder.group('inline');
      builder.text('text', 'a', { parent: inline });
      builder.text('text', 'b', { parent: inline });
    });
    expect(chunks.map(({ text }) => text)).toEqual(['- one\n    - deep\n- two', 'a b']);
    expect(chunks.map((chunk) => itemsOf(chunk).map(({ self_ref }) => self_ref))).toEqual([
      ['#/texts/0', '#/texts/1', '#/texts/2'],
      ['#/texts/3', '#/texts/4'],
    ]);
  });

  test('text is not escaped, code keeps its fences, and furniture is skipped', () => {
    const texts = getTexts((builder) => {
      builder.text('page_header', 'head', { layer: 'furniture' });
      builder.text('text', 'a_b < c & d');
      builder.code('x = 1');
    });
    expect(texts.map(([, text]) => text)).toEqual(['a_b < c & d', '```\nx = 1\n```']);
  });

  test('a table says "row, column = value", rows and columns without blanks around', () => {
    const build = (builder: DocumentBuilder) => {
      const table = builder.table(
        getTable([
          ['Name', 'Size', 'Colour'],
          ['ant ', '1', 'red'],
          ['bee', '2', 'gold'],
        ]),
      );
      builder.caption(table, 'Insects');
    };
    expect(getTexts(build)).toEqual([
      ['', 'Insects\n\nant, Size = 1. ant, Colour = red. bee, Size = 2. bee, Colour = gold'],
    ]);
    expect(getTexts(build, { markdownTables: true })).toEqual([
      ['', 'Insects\n\n| Name | Size | Colour |\n| - | - | - |\n| ant | 1 | red |\n| bee | 2 | gold |'],
    ]);
  });

  test.each([
    [
      'headers above each other are joined by a dot',
      [
        ['', 'Q', 'Q'],
        ['', '1', '2'],
        ['x', '3', '4'],
      ],
      2,
      'x, Q.1 = 3. x, Q.2 = 4',
    ],
    [
      'without a header: labels and values',
      [
        ['x', '3', '5'],
        ['Size:', '4', ''],
        ['', '6', ''],
      ],
      0,
      'x: 3, 5. Size: 4. 6',
    ],
    ['one column: its header, then the values', [['Name'], ['ant'], ['bee']], 1, 'Name = ant. Name = bee'],
    ['one column without a header: the first cell', [['Name'], ['ant']], 0, 'Name = ant'],
    ['a header alone', [['a', 'b']], 1, 'a. b'],
    ['one cell', [['a']], 0, 'a'],
  ])('tables: %s', (_, rows, headers, expected) => {
    expect(getTexts((builder) => builder.table(getTable(rows, headers)))).toEqual([['', expected]]);
  });

  test('without a header, the reference numbers the columns', () => {
    const build = (builder: DocumentBuilder) =>
      builder.table(
        getTable(
          [
            ['x', '3'],
            ['y', '4'],
          ],
          0,
        ),
      );
    expect(getTexts(build, { numberedColumns: true })).toEqual([['', 'x, 1 = 3. y, 1 = 4']]);
  });

  test('an empty table is not a chunk', () => {
    expect(
      getTexts((builder) =>
        builder.table(
          getTable(
            [
              ['', ''],
              ['', ''],
            ],
            0,
          ),
        ),
      ),
    ).toEqual([]);
  });

  test('pictures show caption and placeholder on request', () => {
    const build = (builder: DocumentBuilder) => {
      builder.picture();
      builder.caption(builder.picture(), 'A cat');
    };
    expect(getTexts(build).map(([, text]) => text)).toEqual(['A cat']);
    expect(getTexts(build, { imagePlaceholder: '![IMAGE]' }).map(([, text]) => text)).toEqual([
      '![IMAGE]',
      'A cat\n\n![IMAGE]',
    ]);
  });
});

test('the record of a chunk has text with headings, captions, references, pages and origin', () => {
  const builder = createDocument('sample', { mimetype: 'text/html', binary_hash: 5n, filename: 'a.html' });
  builder.page(2, 600, 800);
  builder.heading(1, 'H');
  const picture = builder.picture({ prov: onPage(2) });
  builder.caption(picture, 'A cat', { prov: onPage(1) });
  const [chunk] = [...chunkHierarchically(builder.document)];
  expect(chunkRecord(builder.document, chunk!, { filename: 'a.html', index: 3, includeRawText: true })).toEqual({
    filename: 'a.html',
    chunk_index: 3,
    text: 'H\nA cat',
    raw_text: 'A cat',
    num_tokens: null,
    headings: ['H'],
    captions: ['A cat'],
    doc_items: ['#/texts/1', '#/pictures/0'],
    page_numbers: [1, 2],
    prov: [...onPage(1), ...onPage(2)],
    metadata: { origin: builder.document.origin, has_image: true },
  });
  expect(boxesOf(builder.document, [picture])).toEqual([[2, 10, 100, 200, 120]]);
});

test('keys and values are lines, a nested key is under its parent, and the caption is above', () => {
  const [chunk, ...others] = getChunks((builder) => {
    const caption = builder.text('caption', 'Invoice');
    const cell = (cell_id: number, label: string, text: string) => ({ cell_id, label, text, orig: text });
    builder.document.body.children.push({ $ref: '#/key_value_items/0' });
    builder.document.key_value_items.push({
      self_ref: '#/key_value_items/0',
      parent: { $ref: '#/body' },
      children: [],
      content_layer: 'body',
      label: 'key_value_region',
      prov: onPage(2),
      captions: [{ $ref: caption.self_ref }],
      references: [],
      footnotes: [],
      graph: {
        cells: [
          cell(0, 'key', 'Sum'),
          cell(1, 'key', 'Net'),
          cell(2, 'value', '9'),
          cell(3, 'value', '8 '),
          cell(4, 'key', 'lost'),
        ],
        links: [
          { label: 'to_child', source_cell_id: 0, target_cell_id: 1 },
          { label: 'to_value', source_cell_id: 1, target_cell_id: 2 },
          { label: 'to_value', source_cell_id: 1, target_cell_id: 3 },
        ],
      },
    });
  });
  expect(others).toEqual([]);
  expect(chunk!.text).toBe('Invoice\n\nSum:\n  Net: 9, 8');
  expect(itemsOf(chunk!).map(({ self_ref }) => self_ref)).toEqual(['#/texts/0', '#/key_value_items/0']);
});

test('a cell without text shows the content below its item', () => {
  const [chunk] = getChunks((builder) => {
    const table = builder.table(
      getTable([
        ['Name', 'Size'],
        ['ant', ''],
      ]),
    );
    const list = builder.group('list', { parent: table });
    builder.listItem('1', { parent: list });
    builder.listItem('2', { parent: list });
    table.data.table_cells[3]!.ref = { $ref: list.self_ref };
  });
  expect(chunk!.text).toBe('ant, Size = 1 2');
});

test('footnotes are in the chunk that refers to them, captions of code after it', () => {
  const chunks = getChunks((builder) => {
    const table = builder.table(
      getTable([
        ['A', 'B'],
        ['x', 'y'],
      ]),
    );
    table.footnotes = [{ $ref: builder.text('footnote', 'note').self_ref }];
    const code = builder.code('z');
    code.captions = [{ $ref: builder.text('caption', 'Listing').self_ref }];
  });
  expect(chunks.map((chunk) => [chunk.text, itemsOf(chunk).map(({ self_ref }) => self_ref)])).toEqual([
    ['x, B = y\n\nnote', ['#/tables/0', '#/texts/0']],
    ['```\nz\n```\n\nListing', ['#/texts/1', '#/texts/2']],
  ]);
});

test('without headings, captions and provenance the members are null or empty', () => {
  const builder = createDocument('sample');
  builder.text('text', 'x');
  const [chunk] = [...chunkHierarchically(builder.document)];
  expect(chunkRecord(builder.document, chunk!, { filename: 'f', index: 0, tokens: 1 })).toMatchObject({
    raw_text: null,
    num_tokens: 1,
    headings: null,
    captions: null,
    page_numbers: [],
    metadata: { origin: null, has_image: false },
  });
});
