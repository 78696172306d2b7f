/** Encodings by character set of a typeface (RTF 1.9.1, `\fcharset`). */
const charsets: Readonly<Record<number, string>> = {
  0: 'cp1252',
  77: 'macintosh',
  128: 'cp932',
  129: 'cp949',
  134: 'cp936',
  136: 'cp950',
  161: 'cp1253',
  162: 'cp1254',
  163: 'cp1258',
  177: 'cp1255',
  178: 'cp1256',
  186: 'cp1257',
  204: 'cp1251',
  222: 'cp874',
  238: 'cp1250',
};

/** Returns the encoding of a character set; undefined for that of the file. */
export function findCharsetEncoding(charset: number): string | undefined {
  return charsets[charset];
}

/** Returns the encoding of `\ansicpg`. */
export function getPageEncoding(page: number): string {
  if (page === 10_000) return 'macintosh';
  return page === 65_001 ? 'utf8' : `cp${page}`;
}
