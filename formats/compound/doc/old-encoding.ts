import { decode } from 'iconv-lite';
import { charsetEncodings } from '../../text/charsets';
import { guessEncoding } from '../../text/guess';
import { readChanges } from './old-properties';
import { readRangesWithLayout } from './properties';

/** Decodes bytes of the main stream into one character per byte, so that positions stay valid. */
export type Encodings = (from: number, to: number) => string;

/** Code pages of non-Western primary languages (MS-LCID 2.2). */
const pages: Readonly<Record<number, string>> = {
  0x01: 'cp1256',
  0x02: 'cp1251',
  0x04: 'cp936',
  0x05: 'cp1250',
  0x08: 'cp1253',
  0x0d: 'cp1255',
  0x0e: 'cp1250',
  0x11: 'cp932',
  0x12: 'cp949',
  0x15: 'cp1250',
  0x18: 'cp1250',
  0x19: 'cp1251',
  0x1e: 'cp874',
  0x1f: 'cp1254',
  0x22: 'cp1251',
};
const header = { language: 0x06, characterSet: 0x14 } as const;
const [macintosh, traditionalChinese, fontChange] = [256, 0x0404, 93];

/**
 * Determines the encodings in the text of Word 6 or 95: by the typeface of each range, else by the language of the file, else
 * by guessing from the bytes.
 */
export function findEncodings(main: Buffer, { characters, fonts }: { characters: Buffer; fonts: Buffer }): Encodings {
  const byFont = findFontEncodings(fonts);
  const stretches = readRangesWithLayout(main, characters, {
    numberBytes: 2,
    entryBytes: 1,
    listOf: (page, at) => page.subarray(at + 1, at + 1 + page[at]!),
  }).flatMap(({ start, end, properties }) => {
    for (const { number, value } of readChanges(properties)) {
      const encoding = number === fontChange && value.length === 2 ? byFont[value.readUInt16LE(0)] : undefined;
      if (encoding !== undefined) return [{ start, end, encoding }];
    }
    return [];
  });
  const declaredEncoding = findDeclaredEncoding(main);
  return (from, to) => {
    const encodingOutside = declaredEncoding ?? guessCodePage(main.subarray(from, to));
    let text = '';
    let at = from;
    for (const { start, end, encoding } of stretches) {
      if (end <= at || start >= to) continue;
      text += decodeByPosition(main.subarray(at, Math.max(at, start)), encodingOutside);
      at = Math.max(at, start);
      text += decodeByPosition(main.subarray(at, Math.min(end, to)), encoding);
      at = Math.max(at, Math.min(end, to));
    }
    return text + decodeByPosition(main.subarray(at, to), encodingOutside);
  };
}

function findDeclaredEncoding(main: Buffer): string | undefined {
  if (main.readUInt16LE(header.characterSet) === macintosh) return 'macintosh';
  const language = main.readUInt16LE(header.language);
  return language === traditionalChinese ? 'cp950' : pages[language & 0x3ff];
}

/** Windows code pages for the encodings that the guess returns; all others have none. */
const windowsPages: Readonly<Record<string, string>> = {
  shift_jis: 'cp932',
  'euc-kr': 'cp949',
  gb18030: 'cp936',
  big5: 'cp950',
  'windows-1251': 'cp1251',
};

function guessCodePage(bytes: Buffer): string {
  return windowsPages[guessEncoding(bytes)] ?? 'cp1252';
}

/** Returns the encoding of each typeface in order; undefined for Western typefaces and symbol fonts. */
function findFontEncodings(table: Buffer): (string | undefined)[] {
  const encodings: (string | undefined)[] = [];
  for (let at = 2; at < table.length; at += 1 + table[at]!) encodings.push(charsetEncodings[table[at + 4] ?? 0]);
  return encodings;
}

const twoBytes: ReadonlySet<string> = new Set(['cp932', 'cp936', 'cp949', 'cp950']);

/** Decodes bytes. The second byte of a double-byte character becomes an invisible character. */
function decodeByPosition(bytes: Buffer, encoding: string): string {
  if (!twoBytes.has(encoding)) return decode(bytes, encoding);
  let text = '';
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    const isLead = byte >= 0x81 && !(encoding === 'cp932' && byte >= 0xa0 && byte < 0xe0);
    const isPair = isLead && at + 1 < bytes.length && bytes[at + 1]! >= 0x40;
    if (isPair) text += `${decode(bytes.subarray(at, at + 2), encoding).slice(0, 1)}\0`;
    else text += decode(bytes.subarray(at, at + 1), encoding).slice(0, 1) || '\0';
    if (isPair) at += 1;
  }
  return text;
}
