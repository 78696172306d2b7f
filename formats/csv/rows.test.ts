import { gridOf } from '../../document/grid';
import { defaultLimits } from '../format';
import { read } from './read';
import { cutRecords } from './records';
import { readSheets } from './rows';

const options = { name: 'data.csv', limits: defaultLimits };

function getRows(bytes: Uint8Array): (readonly string[])[] {
  return [...readSheets(bytes, options)].flatMap(({ rows }) => [...rows]);
}

const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join('');

test('a file of several megabytes has the same rows as when read in one piece', async () => {
  const text = `n,text\n${lines(60_000, (at) => `${at},"line ${at}\nsaid ""no"", ${'ä'.repeat(20)}"\n`)}`;
  const bytes = Buffer.from(text);
  const cut = [...cutRecords(bytes, ',', 'data.csv')];
  expect(cut.length).toBeGreaterThan(3);
  expect(Buffer.concat(cut).equals(bytes)).toBe(true);
  expect(cut.slice(1).every((part) => /^\d+,"line/.test(Buffer.from(part.subarray(0, 20)).toString()))).toBe(true);
  const { tables } = await read(bytes, options);
  expect(getRows(bytes)).toEqual(gridOf(tables[0]!.data).map((row) => row.map((cell) => cell.text)));
});

test.each([
  ['UTF-16', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['Windows-1252', (text: string) => Buffer.from(text, 'latin1')],
  ['line ends of CR', (text: string) => Buffer.from(text.replaceAll('\n', '\r'))],
])('%s', (_name, encode) => {
  const rows = getRows(encode(`a;ü\n${lines(3, (at) => `${at};"x\ny"\n`)}`));
  expect(rows).toEqual([['a', 'ü'], ...['0', '1', '2'].map((at) => [at, 'x\ny'])]);
});

test('an unclosed quote is an ordinary character', () => {
  const text = `a,b\n"x,2\n${lines(900_000, (at) => `${at},word\n`)}`;
  const rows = getRows(Buffer.from(text));
  expect(rows).toHaveLength(900_002);
  expect(rows[1]).toEqual(['"x', '2']);
});

test('an endless record is too large', () => {
  expect(() => getRows(Buffer.alloc(65 * 1024 * 1024, 'a'))).toThrow(
    expect.objectContaining({ code: 'DOCUMENT_TOO_LARGE' }),
  );
});
