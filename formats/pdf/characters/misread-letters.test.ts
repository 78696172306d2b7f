import { readRawPdf } from '../../../test/support/documents/raw-pdf-page';
import { readWingding } from '../engine/signs';
import { paragraphs } from '../pdf-test-support';

const text =
  'Le d\u00e9l\u00e9gu\u00e9 pr\u00e9f\u00e9r\u00e9 a d\u00e9cid\u00e9 d\u2019un ch\u00e2teau, et la cit\u00e9 est ferm\u00e9e.';
const font = '/Subtype/Type1/BaseFont/Helvetica';
const macintosh = new TextDecoder('macintosh');
const macCodes = new Map(Array.from({ length: 256 }, (_, code) => [macintosh.decode(Uint8Array.of(code)), code]));
const inMacRoman = Array.from(text, (sign) => String.fromCharCode(macCodes.get(sign)!)).join('');
const inLatin1 = text.replace('\u2019', "'");

const readLine = async (encoding: string, line: string) =>
  paragraphs(await readRawPdf([{ entries: `${font}${encoding}`, lines: [line] }]));

test.each([
  ['Mac Roman codes in the Windows encoding', '/Encoding/WinAnsiEncoding', inMacRoman],
  ['Latin 1 codes in the Mac Roman encoding', '/Encoding/MacRomanEncoding', inLatin1],
  ['Latin 1 codes in the standard encoding', '', inLatin1],
  ['Mac Roman codes in their encoding', '/Encoding/MacRomanEncoding', inMacRoman],
])('%s: accented letters are read', async (_, encoding, line) => {
  expect(await readLine(encoding, line)).toEqual([text.replace('\u2019', "'")]);
});

test('capitals and symbols that are right stay: names of products, abbreviations, formulas', async () => {
  const line =
    'The iEtat\u2122 of \u00c9tat and c\u00c9t\u00c9, x\u00b1y, caf\u00e9, no\u00ebl, \u00e9t\u00e9, d\u00e9j\u00e0, fen\u00eatre.';
  const [read] = await readLine('/Encoding/WinAnsiEncoding', line.replace('\u2122', '\u0099'));
  expect(read).toBe(line);
});

test('letters in a Wingdings font that names no signs are its signs', () => {
  expect(Array.from('\u00fcn\u00a7', (text) => readWingding(text, 'Wingdings-Regular'))).toEqual(['✓', '■', '▪']);
  expect(readWingding('P', 'Wingdings2')).toBe('✓');
  expect(['n', '\u00ae'].map((text, index) => readWingding(text, ['Arial', 'Wingdings'][index]!))).toEqual([
    undefined,
    undefined,
  ]);
});
