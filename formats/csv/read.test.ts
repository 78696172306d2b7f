import { gridOf } from '../../document/grid';
import { convertBytes } from '../convert';
import { defaultLimits } from '../format';
import { findDelimiter } from './delimiter';
import { read } from './read';

async function getRows(source: string | Uint8Array): Promise<string[][]> {
  const bytes = typeof source === 'string' ? Buffer.from(source) : source;
  const document = await read(bytes, { name: 'data.csv', limits: defaultLimits });
  return gridOf(document.tables[0]!.data).map((row) => row.map(({ text }) => text));
}

describe('the CSV reader', () => {
  test('the first row is the header', async () => {
    const document = await read(Buffer.from('a,b\n1,2\n'), { name: 'data.csv', limits: defaultLimits });
    expect(document.tables[0]!.data.table_cells.map(({ text, column_header }) => [text, column_header])).toEqual([
      ['a', true],
      ['b', true],
      ['1', false],
      ['2', false],
    ]);
  });

  test.each([
    [
      'commas',
      'a,b;c\n1,2\n',
      [
        ['a', 'b;c'],
        ['1', '2'],
      ],
    ],
    [
      'semicolons with decimal commas',
      'a;b\n1,5;2,5\n3,5;4,5\n',
      [
        ['a', 'b'],
        ['1,5', '2,5'],
        ['3,5', '4,5'],
      ],
    ],
    [
      'tabs',
      'a\tb, c\n1\t2\n',
      [
        ['a', 'b, c'],
        ['1', '2'],
      ],
    ],
    [
      'pipes',
      'a|b\n1|2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['one column', 'name\nx\ny\n', [['name'], ['x'], ['y']]],
    [
      'a column of times',
      'time,n\n10:15:00,1\n10:16:00,2\n',
      [
        ['time', 'n'],
        ['10:15:00', '1'],
        ['10:16:00', '2'],
      ],
    ],
    [
      'quotes with delimiters and line ends',
      'a,b\n"x, ""y""\nz",2\n',
      [
        ['a', 'b'],
        ['x, "y"\nz', '2'],
      ],
    ],
    [
      'rows of other lengths',
      '1,2,3\na\na,b,c,d\n',
      [
        ['1', '2', '3', ''],
        ['a', '', '', ''],
        ['a', 'b', 'c', 'd'],
      ],
    ],
    [
      'CR LF and empty lines',
      'a,b\r\n\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['', ''],
        ['1', '2'],
      ],
    ],
    [
      'a quote inside a field',
      'a,b\n5" pipe,2\n',
      [
        ['a', 'b'],
        ['5" pipe', '2'],
      ],
    ],
    [
      'a quote that is never closed',
      'a,b\n"x,2\ny,3\n',
      [
        ['a', 'b'],
        ['"x', '2'],
        ['y', '3'],
      ],
    ],
  ])('%s', async (_name, source, rows) => {
    expect(await getRows(source)).toEqual(rows);
  });

  test('the encoding is detected', async () => {
    expect(await getRows(Buffer.from('\ufeffä,b\n1,2\n'))).toEqual([
      ['ä', 'b'],
      ['1', '2'],
    ]);
    expect(await getRows(Buffer.from('\ufeffä,b\n1,2\n', 'utf16le'))).toEqual([
      ['ä', 'b'],
      ['1', '2'],
    ]);
    expect(await getRows(Buffer.from([0xe4, 0x2c, 0x62, 0x0a, 0x31, 0x2c, 0x32]))).toEqual([
      ['ä', 'b'],
      ['1', '2'],
    ]);
  });

  test('a file without rows is empty, a table above the limit is too large', async () => {
    await expect(getRows('\n\n')).rejects.toMatchObject({ code: 'DOCUMENT_EMPTY' });
    await expect(getRows(`${','.repeat(100_000)}\n${'x\n'.repeat(1000)}`)).rejects.toMatchObject({
      code: 'DOCUMENT_TOO_LARGE',
    });
  });

  test('a text without delimiters uses the comma', () => {
    expect(findDelimiter('just words\n')).toBe(',');
  });
});

test('a quote after blanks starts a field; blanks after a comma are not text', async () => {
  const { document } = await convertBytes({
    bytes: new TextEncoder().encode('a, b, "c, d"\n1, 2, 3\n"x",,\n'),
    name: 'a.csv',
  });
  const { table_cells: cells } = document.tables[0]!.data;
  expect(cells.map(({ text }) => text)).toEqual(['a', 'b', 'c, d', '1', '2', '3', 'x', '', '']);
});
