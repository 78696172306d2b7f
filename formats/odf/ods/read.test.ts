import { treeProblems } from '../../../document/validate';
import { convertBytes } from '../../convert';
import { odfFile } from '../test-support';

type Limits = Parameters<typeof convertBytes>[0]['limits'];
async function readSheets(sheets: string, styles = '', limits: Limits = {}) {
  const bytes = odfFile('spreadsheet', sheets, { styles });
  const { document, pages } = await convertBytes({ bytes, name: 'book.ods', limits });
  expect(treeProblems(document)).toEqual([]);
  return { document, pages };
}
const sheet = (name: string, rows: string, attributes = '') =>
  `<table:table table:name="${name}" ${attributes}>${rows}</table:table>`;
const row = (cells: string, attributes = '') => `<table:table-row ${attributes}>${cells}</table:table-row>`;
const text = (value: string, attributes = '') =>
  `<table:table-cell office:value-type="string" ${attributes}><text:p>${value}</text:p></table:table-cell>`;
const value = (type: string, attribute: string) =>
  `<table:table-cell office:value-type="${type}" ${attribute}><text:p>as shown</text:p></table:table-cell>`;
const gap = (count = 1) => `<table:table-cell table:number-columns-repeated="${count}"/>`;

test('sheets are groups and pages, hidden sheets are invisible; connected ranges are tables at their position', async () => {
  const hidden =
    '<style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style>';
  const { document, pages } = await readSheets(
    sheet('One', row(text('a') + text('b') + gap() + text('x')) + row(text('c') + text('d'))) +
      sheet('Two', row(text('secret')), 'table:style-name="ta2"'),
    hidden,
  );
  expect(pages).toBe(2);
  expect(document.groups.map(({ name, label, content_layer }) => [name, label, content_layer])).toEqual([
    ['sheet: One', 'section', 'body'],
    ['sheet: Two', 'section', 'invisible'],
  ]);
  expect(document.tables.map(({ data }) => data.table_cells.map((cell) => cell.text))).toEqual([
    ['a', 'b', 'c', 'd'],
    ['x'],
    ['secret'],
  ]);
  expect(document.tables[1]!.prov).toMatchObject([{ page_no: 1, bbox: { l: 3, t: 0, r: 4, b: 1 } }]);
  expect(document.pages['1']!.size).toEqual({ width: 4, height: 2 });
});

test('values are written as the sheet shows them, next to the stored value', async () => {
  const { document } = await readSheets(
    sheet(
      'V',
      row(
        value('float', 'office:value="2.50"') +
          value('float', 'office:value="3.0"') +
          value('percentage', 'office:value="0.256"') +
          value('boolean', 'office:boolean-value="true"') +
          value('date', 'office:date-value="2026-03-01"') +
          value('date', 'office:date-value="2026-03-01T14:30:00"') +
          value('time', 'office:time-value="PT01H05M00S"') +
          value('string', ''),
      ),
    ),
  );
  expect(document.tables[0]!.data.table_cells.map((cell) => cell.text)).toEqual([
    ...Array.from({ length: 8 }, () => 'as shown'),
  ]);
  expect(document.tables[0]!.data.table_cells.map((cell) => cell.value)).toEqual([
    ...[2.5, 3, 0.256, true, '2026-03-01', '2026-03-01 14:30:00', '1:05:00', undefined],
  ]);
});

test('merged cells span, repeated cells are repeated, and padding to the end of the sheet costs nothing', async () => {
  const covered = '<table:covered-table-cell/>';
  const { document } = await readSheets(
    sheet(
      'M',
      row(text('Head', 'table:number-columns-spanned="2"') + covered + gap(16_382)) +
        row(text('same', 'table:number-columns-repeated="2"'), 'table:number-rows-repeated="2"') +
        row(gap(16_384), 'table:number-rows-repeated="1048573"'),
    ),
  );
  const { data } = document.tables[0]!;
  expect([data.num_rows, data.num_cols]).toEqual([3, 2]);
  expect(data.table_cells.map((cell) => [cell.text, cell.col_span])).toEqual([
    ['Head', 2],
    ['same', 1],
    ['same', 1],
    ['same', 1],
    ['same', 1],
  ]);
});

test('an empty sheet has its page and no table; endless repetitions and too many sheets are rejected', async () => {
  const { document } = await readSheets(sheet('Empty', row(gap(16_384), 'table:number-rows-repeated="1048576"')));
  expect([document.tables.length, Object.keys(document.pages).length]).toEqual([0, 1]);
  const bomb = sheet(
    'B',
    row(text('x', 'table:number-columns-repeated="16384"'), 'table:number-rows-repeated="1048576"'),
  );
  await expect(readSheets(bomb)).rejects.toMatchObject({ code: 'DOCUMENT_TOO_LARGE' });
  const two = sheet('A', '') + sheet('B', '');
  await expect(readSheets(two, '', { maxPages: 1 })).rejects.toMatchObject({ code: 'DOCUMENT_TOO_LARGE' });
});

test('repeated rows with spans over the whole sheet end quickly, and cells of all sheets count together', async () => {
  const spans = 'table:number-rows-spanned="1000000" table:number-columns-spanned="16000"';
  const wide = row(text('x', spans), 'table:number-rows-repeated="3000"');
  const { document } = await readSheets(sheet('S', wide));
  expect(document.tables.length).toBeGreaterThan(0);
  const many = (name: string, rows: number) => sheet(name, row(text('x'), `table:number-rows-repeated="${rows}"`));
  const code = expect.objectContaining({ code: 'DOCUMENT_TOO_LARGE' }) as unknown;
  await expect(readSheets(many('A', 2_000) + sheet('B', '') + many('C', 1_999_000))).rejects.toEqual(code);
});

test('a sheet with many rows is one table', async () => {
  const rows = row(text('x', 'table:number-columns-repeated="2"'), 'table:number-rows-repeated="70000"');
  const { document } = await readSheets(sheet('Long', rows));
  expect(document.tables.map(({ data }) => [data.num_rows, data.table_cells.length])).toEqual([[70_000, 140_000]]);
});

test('twenty thousand ranges on one sheet take about twenty times as long as a thousand', async () => {
  const getSheet = (count: number) =>
    sheet('R', Array.from({ length: count }, (_, at) => row(text(`r${at}`)) + row(gap())).join(''));
  const getTime = async (count: number) => {
    const start = performance.now();
    const { document } = await readSheets(getSheet(count));
    expect(document.tables).toHaveLength(count);
    return performance.now() - start;
  };
  await getTime(1_000);
  expect(await getTime(16_000)).toBeLessThan(60 * Math.max(await getTime(1_000), 20));
});

test('texts with significant white space, and cells with several paragraphs, are unchanged', async () => {
  const string = (inner: string) => `<table:table-cell office:value-type="string">${inner}</table:table-cell>`;
  const { document } = await readSheets(
    sheet(
      'W',
      row(
        string('<text:p> a  b </text:p>') +
          string('<text:p>c<text:s/>d</text:p>') +
          string('<text:p>e</text:p><text:p>f</text:p>') +
          string('<text:p>&lt;g&gt;</text:p>') +
          string('<text:p>see <text:a xlink:href="https://example.com/">here</text:a> now</text:p>'),
      ),
    ),
  );
  expect(document.tables[0]!.data.table_cells.map((cell) => cell.text)).toEqual([
    'a b',
    'c d',
    'e\nf',
    '<g>',
    'see here now',
  ]);
});
