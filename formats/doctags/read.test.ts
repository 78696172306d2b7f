import { array, assert, constantFrom, property } from 'fast-check';
import { createDocument } from '../../document/builder';
import { tableCell } from '../../document/grid';
import { treeProblems } from '../../document/validate';
import { toDoctags } from '../../document/write/doctags';
import { toMarkdown } from '../../document/write/markdown';
import { readDoctags } from './read';
import { hasTags } from './tags';

const page = { pageNo: 3, width: 500, height: 1000 };
const read = (source: string, pages = [page]) => readDoctags(source, { name: 'p', pages });
const texts = (source: string) => read(source).texts.map(({ label, text }) => [label, text]);

describe('a page as written by models', () => {
  const source =
    '<doctag><page_header><loc_10><loc_5><loc_200><loc_20>Annual report</page_header>\n' +
    '<section_header_level_1><loc_10><loc_30><loc_200><loc_40>1 Results</section_header_level_1>\n' +
    '<text><loc_10><loc_50><loc_400><loc_90>Sales rose.</text>\n' +
    '<unordered_list><list_item><loc_10><loc_100><loc_90><loc_110>north</list_item>\n<list_item><loc_10><loc_112><loc_90><loc_120>south</list_item>\n</unordered_list>\n' +
    '<otsl><loc_10><loc_130><loc_400><loc_200><ched>Year<ched>Sales<lcel><nl><rhed>2024<fcel>7<ecel><nl><caption><loc_10><loc_202><loc_300><loc_210>Table 1</caption></otsl>\n' +
    '<chart><loc_10><loc_220><loc_200><loc_300><pie_chart><caption><loc_10><loc_302><loc_200><loc_310>Figure 1</caption></chart>\n' +
    '<code><loc_10><loc_310><loc_200><loc_330><_Python_>def f():\n    return 1</code>\n' +
    '<formula><loc_10><loc_340><loc_200><loc_350>a^2+b^2</formula>\n</doctag><|end_of_text|>';

  test('has its elements in order, with page and box in points', () => {
    const document = read(source);
    expect(texts(source)).toEqual([
      ['page_header', 'Annual report'],
      ['section_header', '1 Results'],
      ['text', 'Sales rose.'],
      ['list_item', 'north'],
      ['list_item', 'south'],
      ['caption', 'Table 1'],
      ['caption', 'Figure 1'],
      ['code', 'def f():\n    return 1'],
      ['formula', 'a^2+b^2'],
    ]);
    expect(document.texts[2]?.prov).toEqual([
      { page_no: 3, bbox: { l: 10, t: 100, r: 400, b: 180, coord_origin: 'TOPLEFT' }, charspan: [0, 11] },
    ]);
    expect(document.texts[0]?.content_layer).toBe('furniture');
    expect(document.texts[7]?.code_language).toBe('Python');
    expect(document.pages['3']?.size).toEqual({ width: 500, height: 1000 });
    expect(treeProblems(document)).toEqual([]);
  });

  test('has tables with spans and headers, and pictures with their kind', () => {
    const { tables, pictures } = read(source);
    expect(tables[0]?.data).toMatchObject({ num_rows: 2, num_cols: 3 });
    expect(tables[0]?.data.table_cells.map((cell) => [cell.text, cell.col_span, cell.column_header])).toEqual([
      ['Year', 1, true],
      ['Sales', 2, true],
      ['2024', 1, false],
      ['7', 1, false],
      ['', 1, false],
    ]);
    expect(tables[0]?.captions).toEqual([{ $ref: '#/texts/5' }]);
    expect(pictures[0]?.meta).toEqual({ classification: { predictions: [{ class_name: 'pie_chart' }] } });
  });

  test('is written back unchanged', () => {
    expect(toDoctags(read(source))).toBe(source.replace('<|end_of_text|>', ''));
  });

  test('of several pages continues over page breaks', () => {
    const two = [page, { pageNo: 4, width: 500, height: 500 }];
    const { texts: found } = read('<text><loc_0><loc_0><loc_250><loc_250>a</text><page_break><text>b</text>', two);
    expect(found.map(({ prov }) => [prov[0]?.page_no, prov[0]?.bbox.b])).toEqual([
      [3, 500],
      [4, 500],
    ]);
  });

  test('without pages has no positions', () => {
    expect(read('<text><loc_0><loc_0><loc_9><loc_9>a</text>', []).texts[0]?.prov).toEqual([]);
  });
});

describe('malformed answers', () => {
  test.each([
    ['no end', '<doctag><text>one<text>two', [['text', 'one'], ['text', 'two']]], // prettier-ignore
    ['an end tag without a start tag', '</picture><text>one</text></doctag></doctag>', [['text', 'one']]],
    ['an end tag of another level', '<section_header_level_1>A</section_header_level_2><text>b</text>', [['section_header', 'A'], ['text', 'b']]], // prettier-ignore
    ['an unclosed list before a heading', '<unordered_list><list_item>a<list_item>b<title>T</title>', [['list_item', 'a'], ['list_item', 'b'], ['title', 'T']]], // prettier-ignore
    ['items without a list', '<list_item>a</list_item><list_item>b</list_item>', [['list_item', 'a'], ['list_item', 'b']]], // prettier-ignore
    ['a code fence around it', '```doctags\n<text>a</text>\n```', [['text', 'a']]],
    ['text outside the elements', 'Here it is:\n\n<text>a</text>', [['text', 'Here it is:'], ['text', 'a']]], // prettier-ignore
    ['HTML tags in a text', '<text>use <b>bold</b> and <table></text>', [['text', 'use <b>bold</b> and <table>']]], // prettier-ignore
    ['nothing', '', []],
    ['an empty element', '<text><loc_1><loc_1><loc_2><loc_2></text>', []],
    ['a formula without content', '<formula><loc_1><loc_1><loc_9><loc_9></formula>', [['formula', '']]],
    ['a loop', '<text><loc_1><loc_1><loc_9><loc_9>again</text>'.repeat(50), [['text', 'again']]],
    ['an unclosed table before a text', '<otsl><fcel>a<nl><text>after</text>', [['text', 'after']]],
    ['a table without cells', '<otsl>only words</otsl>', [['text', 'only words']]],
  ])('%s', (_name, source, expected) => {
    expect(texts(source)).toEqual(expected);
    expect(treeProblems(read(source))).toEqual([]);
  });

  test.each([
    ['too few numbers', '<text><loc_10><loc_20>a</text>', [0, 0, 500, 1000]],
    ['no area', '<text><loc_10><loc_20><loc_10><loc_30>a</text>', [0, 0, 500, 1000]],
    ['swapped corners', '<text><loc_300><loc_200><loc_100><loc_100>a</text>', [100, 200, 300, 400]],
    ['numbers beyond the page', '<text><loc_100><loc_100><loc_900><loc_600>a</text>', [100, 200, 500, 1000]],
  ])('locations with %s', (_name, source, [l, t, r, b]) => {
    expect(read(source).texts[0]?.prov[0]?.bbox).toEqual({ l, t, r, b, coord_origin: 'TOPLEFT' });
  });

  test('rows of different lengths and spans without an origin give a complete table', () => {
    const { data } = read('<otsl><lcel><fcel>b<nl><ucel><xcel><fcel>c<nl><fcel>d').tables[0]!;
    expect([data.num_rows, data.num_cols]).toEqual([3, 3]);
    expect(toMarkdown(read('<otsl><lcel><fcel>b<nl><ucel><xcel><fcel>c<nl><fcel>d'))).toContain('b');
    const wide = read('<otsl><fcel>a<lcel><nl><ucel><fcel>b<nl></otsl>').tables[0]!;
    expect(wide.data.table_cells.map(({ text, col_span, row_span }) => [text, col_span, row_span])).toEqual([
      ['a', 2, 1],
      ['b', 1, 1],
    ]);
  });

  test('a list inside an item becomes a child of the previous item', () => {
    const { texts: items, groups } = read(
      '<ordered_list><list_item>a</list_item><list_item><unordered_list><list_item>b</list_item></unordered_list></list_item><list_item>c</list_item></ordered_list>',
    );
    expect(items.map(({ text, marker, enumerated }) => [text, marker, enumerated])).toEqual([
      ['a', '1.', true],
      ['b', '-', false],
      ['c', '2.', true],
    ]);
    expect(groups[1]?.parent).toEqual({ $ref: '#/texts/0' });
  });

  test('list markers repeated in the text of items are removed', () => {
    const source =
      '<unordered_list><list_item>• a</list_item><list_item>- b</list_item></unordered_list>' +
      '<ordered_list><list_item>3. c</list_item><list_item>(b) d</list_item><list_item>e</list_item></ordered_list>';
    expect(read(source).texts.map(({ text, marker, orig }) => [text, marker, orig])).toEqual([
      ['a', '-', '• a'],
      ['- b', '-', '- b'],
      ['c', '3.', '3. c'],
      ['d', '(b)', '(b) d'],
      ['e', '3.', 'e'],
    ]);
  });

  test('any model output gives a document with a valid tree', () => {
    const piece = constantFrom(
      ...'<doctag>|</doctag>|<text>|</text>|<otsl>|<fcel>|<lcel>|<ucel>|<nl>|</otsl>|<list_item>|<unordered_list>|</unordered_list>|<picture>|</picture>|<caption>|<loc_1>|<loc_9>|<inline>|</inline>|<code>|<_C_>|<page_break>|<key_0>|<link_1>|<key_value_region>|x|<'.split(
        '|',
      ),
    );
    assert(
      property(array(piece, { maxLength: 60 }), (pieces) => {
        const document = read(pieces.join(''));
        expect(treeProblems(document)).toEqual([]);
        toDoctags(document);
      }),
      { numRuns: 300 },
    );
  });

  test('an endless table loses its last columns, so that it can be written', () => {
    const document = read(`<otsl>${'<fcel>a'.repeat(3_000)}<nl>${'<fcel>b<nl>'.repeat(2_000)}</otsl>`);
    expect(document.tables[0]!.data).toMatchObject({ num_rows: 2_001, num_cols: 49 });
    expect(toDoctags(document)).toContain('<fcel>b');
    expect(read(`<otsl>${'<fcel>b<nl>'.repeat(130_000)}</otsl>`).tables[0]!.data.num_rows).toBe(130_000);
  });

  test('a megabyte of unclosed elements takes seconds, not minutes', () => {
    const started = performance.now();
    read('<unordered_list><list_item>'.repeat(20_000));
    read('<text>'.repeat(50_000));
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

test('every type of item that the writer supports survives a round trip', () => {
  const builder = createDocument('p');
  builder.text('title', 'T');
  const text = builder.text('text', '');
  const inline = builder.group('inline', { parent: text });
  builder.text('text', 'a', { parent: inline });
  builder.text('formula', 'x', { parent: inline });
  builder.text('checkbox_selected', 'done');
  builder.text('footnote', 'note');
  builder.table({ table_cells: [tableCell(0, 0, 'i')], num_rows: 1, num_cols: 1 }, { label: 'document_index' });
  const written = toDoctags(builder.document);
  expect(toDoctags(read(written, []))).toBe(written);
});

test('captions of tables without cells and of key-value regions survive a round trip, and so do all texts in a cell', () => {
  const captioned =
    '<otsl><caption>None</caption></otsl>\n<key_value_region><key_0>k<link_1></key_0><value_1>v</value_1><caption>Keys</caption></key_value_region>';
  const document = read(captioned, []);
  expect(toDoctags(document)).toBe(`<doctag>${captioned}\n</doctag>`);
  expect(treeProblems(document)).toEqual([]);
  const cell = '<otsl><fcel><picture><caption>A cat</caption></picture><text>on</text><text>a mat</text><nl></otsl>';
  expect(read(cell, []).tables[0]!.data.table_cells[0]!.text).toBe('A cat on a mat');
});

test('DocTags are distinguished from Markdown and HTML', () => {
  expect(['<doctag><text>a</text>', 'x <loc_1><loc_2>', '<list_item>a'].map(hasTags)).toEqual([true, true, true]);
  expect(['# Title', '<table><caption>c</caption></table>', '<title>x</title>', ''].map(hasTags)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
