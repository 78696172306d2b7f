import { charsetEncodings } from '../text/charsets';

/** Returns the encoding of a character set; undefined for that of the file. */
export function findCharsetEncoding(charset: number): string | undefined {
  return charset === 0 ? 'cp1252' : charsetEncodings[charset];
}

/** Returns the encoding of `\ansicpg`. */
export function getPageEncoding(page: number): string {
  if (page === 10_000) return 'macintosh';
  return page === 65_001 ? 'utf8' : `cp${page}`;
}
