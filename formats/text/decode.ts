import { decode, encodingExists } from 'iconv-lite';
import { AppError } from '../../model/errors';
import { guessEncoding } from './guess';

/** NUL characters, the sign of binary data, are looked for in this many characters. */
const checkedCharacters = 65_536;

/**
 * Decodes bytes to text by byte order mark, else the declared encoding, else UTF-8 if the bytes are valid, else a guess from
 * the characters. Line ends become `\n`. Throws DOCUMENT_CORRUPT for binary data.
 */
export function decodeText(bytes: Uint8Array, options: { name: string; declared?: string }): string {
  const text = decodeByMark(bytes) ?? decodeAsDeclared(bytes, options.declared) ?? decodeUnmarked(bytes);
  if (text.slice(0, checkedCharacters).includes('\0')) {
    throw new AppError('DOCUMENT_CORRUPT', `'${options.name}' is not text: it contains NUL characters.`);
  }
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

function decodeByMark(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return new TextDecoder().decode(bytes);
  if (first === 0xff && second === 0xfe) return decode(bytes, bytes[2] === 0 && bytes[3] === 0 ? 'utf32le' : 'utf16le');
  if (first === 0xfe && second === 0xff) return decode(bytes, 'utf16be');
  return undefined;
}

function decodeAsDeclared(bytes: Uint8Array, declared: string | undefined): string | undefined {
  // A declaration that is readable byte by byte cannot be in a 16-bit encoding, whatever it states.
  if (!declared || /^utf-?(?:8|16|32)|^ucs/i.test(declared) || !encodingExists(declared)) return undefined;
  return decode(bytes, declared);
}

function decodeUnmarked(bytes: Uint8Array): string {
  const wide = findWideEncoding(bytes);
  if (wide) return decode(bytes, wide);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return decode(bytes, guessEncoding(bytes));
  }
}

/** Western text in UTF-16 has a zero in every other byte. */
function findWideEncoding(bytes: Uint8Array): string | undefined {
  const length = Math.min(bytes.length, 1024);
  if (length < 8) return undefined;
  let [evenZeros, oddZeros] = [0, 0];
  for (let at = 0; at < length; at += 2) {
    if (bytes[at] === 0) evenZeros += 1;
    if (bytes[at + 1] === 0) oddZeros += 1;
  }
  const minZeros = length * 0.3;
  if (oddZeros > minZeros && evenZeros === 0) return 'utf16le';
  return evenZeros > minZeros && oddZeros === 0 ? 'utf16be' : undefined;
}
