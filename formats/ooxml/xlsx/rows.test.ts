import { gridOf } from '../../../document/grid';
import { readOptions, rootXml, sheetData, workbookFile } from '../test-support';
import { read } from './read';
import { readSheets } from './rows';

function getSheets(bytes: Uint8Array) {
  return [...readSheets(bytes, readOptions('a.xlsx'))].map(({ rows, ...sheet }) => ({ ...sheet, rows: [...rows] }));
}

test('every sheet has the same rows as with the reader, and hidden sheets are marked', () => {
  const strings = rootXml('x:sst', '<x:si><x:t>shared</x:t></x:si>');
  const dated = `<x:sheetData><x:row r="1"><x:c r="A1" t="s"><x:v>0</x:v></x:c><x:c r="C1" t="b"><x:v>1</x:v></x:c></x:row><x:row r="5"><x:c r="B5"><x:v>0.5</x:v></x:c></x:row></x:sheetData>`;
  const bytes = workbookFile(
    { One: dated, Two: sheetData([['b', 2]]), Three: '<x:sheetData/>' },
    {
      sheetAttributes: { Two: 'state="hidden"' },
      parts: { 'xl/sharedStrings.xml': strings },
      relationships: [['s', 'sharedStrings', 'sharedStrings.xml']],
    },
  );
  expect(getSheets(bytes)).toEqual([
    {
      name: 'One',
      isHidden: false,
      rows: [
        ['shared', '', 'TRUE'],
        ['', '0.5'],
      ],
    },
    { name: 'Two', isHidden: true, rows: [['b', '2']] },
    { name: 'Three', isHidden: false, rows: [] },
  ]);
});

test('a sheet longer than one piece has the rows of the reader, in order', () => {
  const rows = Array.from({ length: 20_000 }, (_, at) => [
    `Text ${at} & more`.replace('&', '&amp;'),
    at,
    'é'.repeat(20),
  ]);
  const bytes = workbookFile({ Long: sheetData(rows) });
  const { tables } = read(bytes, readOptions('a.xlsx'));
  const [sheet] = getSheets(bytes);
  expect(sheet?.rows).toEqual(gridOf(tables[0]!.data).map((row) => row.map(({ text }) => text)));
});

describe('attacks', () => {
  const code = (code: string) => expect.objectContaining({ code }) as Error;
  const sheet = (content: string) => workbookFile({ S: content });

  test('entities are not resolved', () => {
    expect(() =>
      getSheets(sheet('<x:sheetData><x:row><x:c t="str"><x:v>&lol;</x:v></x:c></x:row></x:sheetData>')),
    ).toThrow(code('DOCUMENT_CORRUPT'));
  });

  test('nearly empty but very wide rows are rejected before they are written', () => {
    const wide = '<x:row><x:c r="XFD1"><x:v>1</x:v></x:c></x:row>';
    const rows = Array.from({ length: 7_000 }, (_, at) => wide.replace('XFD1', `XFD${at + 1}`)).join('');
    expect(() => getSheets(sheet(`<x:sheetData>${rows}</x:sheetData>`))).toThrow(code('DOCUMENT_TOO_LARGE'));
  });

  test('an endless row and a truncated sheet are rejected', () => {
    const endless = `<x:sheetData><x:row>${'<x:c><x:v>1</x:v></x:c>'.repeat(3_000_000)}</x:row></x:sheetData>`;
    expect(() => getSheets(sheet(endless))).toThrow(code('DOCUMENT_TOO_LARGE'));
    expect(() => getSheets(sheet('<x:sheetData><x:row><x:c><x:v>1</x:v></x:c></x:row>'))).toThrow(
      code('DOCUMENT_CORRUPT'),
    );
  });
});
