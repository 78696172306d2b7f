import { strToU8 } from 'fflate';
import { gridOf } from '../../../document/grid';
import { readOptions } from '../../ooxml/test-support';
import { flatOdf, odfFile } from '../test-support';
import { read } from './read';
import { readSheets } from './rows';

function getSheets(bytes: Uint8Array) {
  const sheets = [];
  for (const { rows, ...sheet } of readSheets(bytes, readOptions('a.ods'))) sheets.push({ ...sheet, rows: [...rows] });
  return sheets;
}
const cell = (text: string, more = '') =>
  `<table:table-cell office:value-type="string" ${more}><text:p>${text}</text:p></table:table-cell>`;
const number = (value: number, shown: string) =>
  `<table:table-cell office:value-type="float" office:value="${value}"><text:p>${shown}</text:p></table:table-cell>`;
const row = (cells: string, more = '') => `<table:table-row ${more}>${cells}</table:table-row>`;
const table = (name: string, rows: string, style = '') =>
  `<table:table table:name="${name}" ${style}>${rows}</table:table>`;
const styles =
  '<style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style>';

test('every sheet has its filled rows as shown, and hidden sheets are marked', () => {
  const body =
    table(
      'One',
      `<table:table-header-rows>${row(cell('name') + cell('sum'))}</table:table-header-rows>` +
        row('<table:table-cell table:number-columns-repeated="1024"/>', 'table:number-rows-repeated="1048570"') +
        row(`<table:table-cell/>${number(0.062, '6.2 %')}`) +
        row(cell('same', 'table:number-columns-repeated="2"'), 'table:number-rows-repeated="2"') +
        row('<table:table-cell office:value-type="boolean" office:boolean-value="true"/>'),
    ) +
    table('Two', row(cell('secret')), 'table:style-name="ta2"') +
    table('Three', '');
  expect(getSheets(odfFile('spreadsheet', body, { styles }))).toEqual([
    {
      name: 'One',
      isHidden: false,
      rows: [['name', 'sum'], ['', '6.2 %'], ['same', 'same'], ['same', 'same'], ['TRUE']],
    },
    { name: 'Two', isHidden: true, rows: [['secret']] },
    { name: 'Three', isHidden: false, rows: [] },
  ]);
});

test('white space, lines, links and tables of a cell are its text; comments, drawings and covered cells are not', () => {
  const rich =
    '<table:table-cell office:value-type="string"><office:annotation><text:p>comment</text:p></office:annotation>' +
    '<text:p>a<text:s text:c="2"/>b<text:tab/><text:span>c</text:span></text:p><text:p><text:a>d</text:a><text:line-break/>e</text:p>' +
    '<draw:frame><draw:text-box><text:p>box</text:p></draw:text-box></draw:frame>' +
    `${table('inner', row(cell('f')))}</table:table-cell>`;
  const covered = '<table:covered-table-cell><text:p>covered</text:p></table:covered-table-cell>';
  const [sheet] = getSheets(odfFile('spreadsheet', table('S', row(rich + covered + cell('end')))));
  expect(sheet?.rows).toEqual([['a  b\tc\nd\ne\nf', '', 'end']]);
});

test('a spreadsheet longer than one piece has the rows of the reader, in order, also as a flat file', () => {
  const rows = Array.from({ length: 5_000 }, (_, at) =>
    row(cell(`Text ${at} &amp; ${'é'.repeat(20)}`) + number(at, String(at))),
  );
  const body = table('Long', rows.join(''));
  const { tables } = read(odfFile('spreadsheet', body), readOptions('a.ods')) as Awaited<ReturnType<typeof read>>;
  const expected = gridOf(tables[0]!.data).map((cells) => cells.map(({ text }) => text));
  expect(getSheets(odfFile('spreadsheet', body))[0]?.rows).toEqual(expected);
  expect(getSheets(flatOdf('spreadsheet', body))[0]?.rows).toEqual(expected);
});

test('a caller may leave rows unread', () => {
  const body = table('One', row(cell('a')).repeat(3)) + table('Two', row(cell('b')));
  const names = [...readSheets(odfFile('spreadsheet', body), readOptions('a.ods'))].map(({ name }) => name);
  expect(names).toEqual(['One', 'Two']);
});

describe('attacks', () => {
  const code = (wanted: string) => expect.objectContaining({ code: wanted }) as Error;
  test.each([
    ['repeated rows', row(cell('x'), 'table:number-rows-repeated="200000000"'), 'DOCUMENT_TOO_LARGE'],
    ['wide rows', row(cell('x', 'table:number-columns-repeated="16384"')).repeat(7_000), 'DOCUMENT_TOO_LARGE'],
    [
      'a long text in many columns',
      row(cell('x'.repeat(10_000), 'table:number-columns-repeated="16384"')),
      'DOCUMENT_TOO_LARGE',
    ],
    ['an entity', row(cell('&lol;')), 'DOCUMENT_CORRUPT'],
  ])('%s', (_, rows, wanted) => {
    expect(() => getSheets(odfFile('spreadsheet', table('S', rows)))).toThrow(code(wanted));
  });

  test('a document that declares entities, and one that ends within a row', () => {
    const parts = (content: string) => odfFile('spreadsheet', '', { parts: { 'content.xml': strToU8(content) } });
    expect(() => getSheets(parts('<!DOCTYPE a [<!ENTITY lol "lol">]><a/>'))).toThrow(code('DOCUMENT_CORRUPT'));
    expect(() => getSheets(parts('<a><b>'))).toThrow(code('DOCUMENT_CORRUPT'));
  });
});
