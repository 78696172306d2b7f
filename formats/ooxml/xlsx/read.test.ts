import type { DoclingDocument } from '../../../document/model';
import { childrenOf } from '../../../document/tree';
import { treeProblems } from '../../../document/validate';
import type { RecordOmission } from '../../coverage';
import type { ReadLimits } from '../../format';
import { pngHeader, readOptions, relationshipsXml, rootXml, sheetData, workbookFile } from '../test-support';
import { read } from './read';

type Extra = Parameters<typeof workbookFile>[1];
function readSheets(sheets: Record<string, string>, extra?: Extra, limits?: Partial<ReadLimits>): DoclingDocument {
  const document = read(workbookFile(sheets, extra), readOptions('sample.xlsx', limits));
  expect(treeProblems(document)).toEqual([]);
  return document;
}
const getTexts = ({ tables }: DoclingDocument, index = 0) => tables[index]!.data.table_cells.map(({ text }) => text);
const cell = (place: string, attributes: string, inner: string) => `<x:c r="${place}" ${attributes}>${inner}</x:c>`;
const oneRow = (...cells: string[]) => `<x:sheetData><x:row r="1">${cells.join('')}</x:row></x:sheetData>`;

test('separate ranges are separate tables, with boxes in cells', () => {
  const document = readSheets({ Data: sheetData([['a', 'b', undefined, 'x'], [1, 2, undefined, 'y'], [], ['z']]) });
  expect(document.tables.map(({ data }) => [data.num_rows, data.num_cols])).toEqual([
    [2, 2],
    [2, 1],
    [1, 1],
  ]);
  expect(document.tables[1]!.prov[0]).toMatchObject({ page_no: 1, bbox: { l: 3, t: 0, r: 4, b: 2 } });
  expect(getTexts(document)).toEqual(['a', 'b', '1', '2']);
  expect(document.pages['1']!.size).toEqual({ width: 4, height: 4 });
});

test('sheets are groups and pages; hidden ones are invisible', () => {
  const document = readSheets(
    { One: sheetData([['a']]), Two: sheetData([['b']]) },
    { sheetAttributes: { Two: 'state="hidden"' } },
  );
  expect(document.groups.map(({ name, label, content_layer }) => [name, label, content_layer])).toEqual([
    ['One', 'sheet', 'body'],
    ['Two', 'sheet', 'invisible'],
  ]);
  expect(document.tables[1]!.content_layer).toBe('invisible');
});

test('phonetic guides are counted as omitted', () => {
  const guide = '<x:rPh sb="0" eb="2"><x:t>カナ</x:t></x:rPh>';
  const left: Parameters<RecordOmission>[] = [];
  const bytes = workbookFile(
    { S: oneRow(cell('A1', 't="s"', '<x:v>0</x:v>')) },
    {
      parts: { 'xl/sharedStrings.xml': rootXml('x:sst', `<x:si><x:t>仮名</x:t>${guide}</x:si>`) },
      relationships: [['rIdS', 'sharedStrings', 'sharedStrings.xml']],
    },
  );
  read(bytes, { ...readOptions('x.xlsx'), recordOmission: (...item) => void left.push(item) });
  expect(left).toEqual([['phonetic guide', 'カナ']]);
});

test('every type of cell has its text', () => {
  const strings = rootXml(
    'x:sst',
    '<x:si><x:t>shared</x:t></x:si><x:si><x:r><x:t>ri</x:t></x:r><x:r><x:t>ch</x:t></x:r><x:rPh><x:t>no</x:t></x:rPh></x:si>',
  );
  const sheet = oneRow(
    cell('A1', 't="s"', '<x:v>0</x:v>'),
    cell('B1', 't="s"', '<x:v>1</x:v>'),
    cell('C1', 't="inlineStr"', '<x:is><x:t>in_x000A_line</x:t></x:is>'),
    cell('D1', 't="b"', '<x:v>1</x:v>'),
    cell('E1', 't="e"', '<x:v>#DIV/0!</x:v>'),
    cell('F1', 't="str"', '<x:f>A1</x:f><x:v>result</x:v>'),
    cell('G1', '', '<x:f>1+1</x:f><x:v>2</x:v>'),
    cell('H1', '', '<x:f>NOW()</x:f>'),
  );
  const document = readSheets(
    { S: sheet },
    {
      parts: { 'xl/sharedStrings.xml': strings },
      relationships: [['rIdS', 'sharedStrings', 'sharedStrings.xml']],
    },
  );
  expect(getTexts(document)).toEqual(['shared', 'rich', 'in\nline', 'TRUE', '#DIV/0!', 'result', '2']);
});

test('numbers and dates are written by their number format', () => {
  const formats = ['0', '14', '164', '165', '166', '22'].map((id) => `<x:xf numFmtId="${id}"/>`).join('');
  const codes = [
    ['164', 'yyyy\\-mm\\-dd hh:mm'],
    ['165', '[h]:mm:ss'],
    ['166', '"days" 0.0'],
  ]
    .map(([id, code]) => `<x:numFmt numFmtId="${id}" formatCode="${code!.replaceAll('"', '&quot;')}"/>`)
    .join('');
  const styles = rootXml('x:styleSheet', `<x:numFmts>${codes}</x:numFmts><x:cellXfs>${formats}</x:cellXfs>`);
  const values: [number, string][] = [
    [0, '1e-7'],
    [0, '0.1'],
    [0, '1200'],
    [1, '46082'],
    [2, '46084.604166666664'],
    [3, '1.5'],
    [4, '7'],
    [5, '0.75'],
    [1, '59'],
    [1, '61'],
  ];
  const cells = values.map(([style, value], index) =>
    cell(`${String.fromCharCode(65 + index)}1`, `s="${style}"`, `<x:v>${value}</x:v>`),
  );
  const document = readSheets(
    { S: oneRow(...cells) },
    { parts: { 'xl/styles.xml': styles }, relationships: [['rIdT', 'styles', 'styles.xml']] },
  );
  expect(getTexts(document)).toEqual([
    '0.0000001',
    '0.1',
    '1200',
    '2026-03-01',
    '2026-03-03 14:30',
    '36:00:00',
    'days 7.0',
    '1900-01-00 18:00',
    '1900-02-28',
    '1900-03-01',
  ]);
  expect(document.tables[0]!.data.table_cells.map(({ value }) => value)).toEqual([
    ...[undefined, undefined, undefined, '2026-03-01 00:00:00', '2026-03-03 14:30:00', undefined, 7],
    ...['18:00:00', '1900-02-28 00:00:00', '1900-03-01 00:00:00'],
  ]);
});

test('merged cells span, and a merged label above a table is a separate text', () => {
  const rows = sheetData([['Label'], ['k', 'v'], ['x', 1]]);
  const document = readSheets({ S: `${rows}<x:mergeCells><x:mergeCell ref="A1:B1"/></x:mergeCells>` });
  expect(document.texts.map(({ text }) => text)).toEqual(['Label']);
  expect(getTexts(document)).toEqual(['k', 'v', 'x', '1']);
  const tall = readSheets({
    S: `${sheetData([
      ['a', 'b'],
      [undefined, 'c'],
    ])}<x:mergeCells><x:mergeCell ref="A1:A2"/></x:mergeCells>`,
  });
  expect(tall.tables[0]!.data.table_cells.map(({ text, row_span }) => [text, row_span])).toEqual([
    ['a', 2],
    ['b', 1],
    ['c', 1],
  ]);
});

test('drawings over the cells are read in their row: pictures, charts by the cells they reference, text boxes', () => {
  const anchor = (row: number, inner: string) =>
    `<xdr:twoCellAnchor><xdr:from><xdr:col>5</xdr:col><xdr:row>${row}</xdr:row></xdr:from><xdr:to><xdr:col>6</xdr:col><xdr:row>${row + 1}</xdr:row></xdr:to>${inner}</xdr:twoCellAnchor>`;
  const drawing = rootXml(
    'xdr:wsDr',
    anchor(
      9,
      '<xdr:graphicFrame><a:graphic><a:graphicData><c:chart r:id="rId2"/></a:graphicData></a:graphic></xdr:graphicFrame>',
    ) +
      anchor(4, '<xdr:sp><xdr:txBody><a:p><a:r><a:t>note</a:t></a:r></a:p></xdr:txBody></xdr:sp>') +
      anchor(0, '<xdr:pic><a:blip r:embed="rId1"/></xdr:pic>'),
  );
  const series =
    '<c:ser><c:tx><c:strRef><c:f>S!$B$1</c:f></c:strRef></c:tx><c:cat><c:strRef><c:f>S!$A$2:$A$3</c:f></c:strRef></c:cat><c:val><c:numRef><c:f>S!$B$2:$B$3</c:f></c:numRef></c:val></c:ser>';
  const document = readSheets(
    {
      S: `${sheetData([
        ['', 'Qty'],
        ['x', 1],
        ['y', 2],
      ])}<x:drawing r:id="rId1"/>`,
    },
    {
      parts: {
        'xl/worksheets/_rels/sheet1.xml.rels': relationshipsXml([['rId1', 'drawing', '../drawings/d.xml']]),
        'xl/drawings/d.xml': drawing,
        'xl/drawings/_rels/d.xml.rels': relationshipsXml([
          ['rId1', 'image', '../media/i.png'],
          ['rId2', 'chart', '../charts/c.xml'],
        ]),
        'xl/media/i.png': pngHeader(4, 4),
        'xl/charts/c.xml': rootXml(
          'c:chartSpace',
          `<c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sold</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:scatterChart>${series}</c:scatterChart></c:plotArea></c:chart>`,
        ),
      },
    },
  );
  const [sheet, caption] = childrenOf(document, document.body);
  expect(childrenOf(document, sheet!).map(({ label }) => label)).toEqual(['table', 'picture', 'text', 'picture']);
  expect(document.pictures[1]!.captions).toEqual([{ $ref: caption!.self_ref }]);
  const meta = document.pictures[1]!.meta as { tabular_chart: { chart_data: { table_cells: { text: string }[] } } };
  expect(meta).toMatchObject({ classification: { predictions: [{ class_name: 'scatter_chart' }] } });
  expect(meta.tabular_chart.chart_data.table_cells.map(({ text }) => text)).toEqual(['', 'Qty', 'x', '1', 'y', '2']);
});

test('replies of a thread are in order of time, with the names of their authors', () => {
  const space = 'xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"';
  const comment = (person: string, time: string, text: string) =>
    `<threadedComment ref="A1" dT="${time}" personId="${person}"><text>${text}</text></threadedComment>`;
  const thread = `<ThreadedComments ${space}>${comment('b', '2026-01-03T00:00:00.00', 'Yes.')}${comment('a', '2026-01-02T00:00:00.00', 'Sure?')}</ThreadedComments>`;
  const people = `<personList ${space}><person displayName="Ann" id="a"/><person displayName="Ben" id="b"/></personList>`;
  const document = read(
    workbookFile(
      { S: '<x:sheetData/>' },
      {
        relationships: [['rId9', 'person', 'persons/person.xml']],
        parts: {
          'xl/worksheets/_rels/sheet1.xml.rels': relationshipsXml([['rId1', 'threadedComment', '../threads/t1.xml']]),
          'xl/threads/t1.xml': thread,
          'xl/persons/person.xml': people,
        },
      },
    ),
    readOptions('book.xlsx'),
  );
  expect(document.texts.map(({ text }) => text)).toEqual([
    '[author: Ann, time: 2026-01-02T00:00:00.00]: Sure?',
    '[author: Ben, time: 2026-01-03T00:00:00.00]: Yes.',
  ]);
});

test('comments on cells are in the notes layer', () => {
  const comments = rootXml(
    'x:comments',
    '<x:authors><x:author>Ann</x:author></x:authors><x:commentList><x:comment ref="B2" authorId="0"><x:text><x:r><x:t>why </x:t></x:r><x:r><x:t>two?</x:t></x:r></x:text></x:comment></x:commentList>',
  );
  const document = readSheets(
    { S: sheetData([['a']]) },
    {
      parts: {
        'xl/worksheets/_rels/sheet1.xml.rels': relationshipsXml([['rId1', 'comments', '../comments1.xml']]),
        'xl/comments1.xml': comments,
      },
    },
  );
  expect(document.groups[1]).toMatchObject({ label: 'comment_section', name: 'comment-S-B2', content_layer: 'notes' });
  expect(document.texts[0]!.text).toBe('[author: Ann]: why two?');
});

describe('large and hostile sheets', () => {
  test('a million declared but empty rows need no memory', () => {
    const rows = Array.from(
      { length: 50_000 },
      (_, index) => `<x:row r="${index * 20 + 1}"><x:c r="A${index * 20 + 1}" s="1"/></x:row>`,
    ).join('');
    const document = readSheets({ S: `<x:dimension ref="A1:XFD1048576"/><x:sheetData>${rows}</x:sheetData>` });
    expect(document.tables).toEqual([]);
    expect(document.pages['1']!.size).toEqual({ width: 0, height: 0 });
  });

  test('two cells in opposite corners are two tables with one cell each', () => {
    const data = `<x:sheetData><x:row r="1">${cell('A1', '', '<x:v>1</x:v>')}</x:row><x:row r="1048576">${cell('XFD1048576', '', '<x:v>2</x:v>')}</x:row></x:sheetData>`;
    expect(readSheets({ S: data }).tables.map(({ data }) => [data.num_rows, data.num_cols])).toEqual([
      [1, 1],
      [1, 1],
    ]);
  });

  test('a merge of the whole sheet is cut to the limit', () => {
    const document = readSheets({
      S: `${sheetData([['a', 'b']])}<x:mergeCells><x:mergeCell ref="A2:XFD1048576"/></x:mergeCells>`,
    });
    expect(document.tables).toHaveLength(1);
    expect(document.tables[0]!.data.num_rows).toBeLessThan(5_000);
  });

  test('a long column and a long row of cells do not make a table of everything between them', () => {
    const down = Array.from({ length: 3_000 }, (_, row) => {
      const across =
        row === 0
          ? Array.from({ length: 700 }, (_, column) => `<x:c><x:v>${column}</x:v></x:c>`).join('')
          : '<x:c><x:v>1</x:v></x:c>';
      return `<x:row>${across}</x:row>`;
    });
    const { tables } = readSheets({ S: `<x:sheetData>${down.join('')}</x:sheetData>` });
    const places = tables.reduce((sum, { data }) => sum + data.num_rows * data.num_cols, 0);
    expect(places).toBeLessThan(400_000);
    expect(tables.flatMap(({ data }) => data.table_cells.filter(({ text }) => text !== ''))).toHaveLength(3_699);
  });

  test('too many sheets are rejected', () => {
    const sheets = { A: sheetData([['a']]), B: sheetData([['b']]) };
    expect(() => readSheets(sheets, {}, { maxPages: 1 })).toThrow(
      expect.objectContaining({ code: 'DOCUMENT_TOO_LARGE' }),
    );
  });

  test('a sheet that expands too far is rejected', () => {
    const sheets = { A: `<x:sheetData>${' '.repeat(30_000_000)}</x:sheetData>` };
    expect(() => readSheets(sheets)).toThrow(expect.objectContaining({ code: 'DOCUMENT_TOO_LARGE' }));
  });

  test('a file of another type is reported as a damaged workbook', () => {
    const bytes = workbookFile({}, { parts: { 'xl/workbook.xml': '<other/>' } });
    expect(() => read(bytes, readOptions('x.xlsx'))).toThrow(expect.objectContaining({ code: 'DOCUMENT_CORRUPT' }));
  });
});
