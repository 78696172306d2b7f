/** The position of a value in the text of its document. */
export interface Evidence {
  /** The path of the value in the entities: `total_amount`, `line_items/0/amount`. */
  field: string;
  /** The quoted text: `content.slice(start, end)`. */
  quote: string;
  /** Offsets in UTF-16 code units. */
  start: number;
  end: number;
  /** Page number from 1, for documents with pages. */
  page?: number;
}

/** Finds quotes, ignoring letter case, white space and Markdown syntax. */
export interface QuoteFinder {
  text: string;
  /** The first match at or after `from`, else the first in the text. Undefined for a quote without letters and digits. */
  find(quote: string, from?: number): { start: number; end: number } | undefined;
}

/** Prepares one text for searching. Linear time. */
export function createQuoteFinder(text: string): QuoteFinder {
  const searched = normalize(text);
  return {
    text,
    find(quote, from = 0) {
      const letters = normalize(quote).letters.trim();
      if (!/[\p{L}\p{N}]/u.test(letters)) return undefined;
      const { letters: searchedLetters, offsets } = searched;
      const start = findFirstAtOrAfter(offsets, from);
      const at = findPlace(searchedLetters, letters, start) ?? findPlace(searchedLetters, letters, 0);
      if (at === undefined) return undefined;
      const last = offsets[at + letters.length - 1] ?? 0;
      return { start: offsets[at] ?? 0, end: last + 1 };
    },
  };
}

/** The index of the first offset that is not less than `from`; the offsets are in order. */
function findFirstAtOrAfter(offsets: Uint32Array, from: number): number {
  let low = 0;
  let high = offsets.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Longer quotes hardly occur by chance, so they may begin or end within a word. */
const longestWholeWord = 12;

/** Short values must be whole words or numbers: `12` does not match in `2012`. */
function findPlace(text: string, quote: string, from: number): number | undefined {
  for (let at = text.indexOf(quote, from); at >= 0; at = text.indexOf(quote, at + 1)) {
    const end = at + quote.length;
    const startsInWord = isLetter(text[at - 1]) && isLetter(quote[0]);
    const endsInWord = isLetter(text[end]) && isLetter(quote.at(-1));
    if (quote.length > longestWholeWord || (!startsInWord && !endsInWord)) return at;
  }
  return undefined;
}

/** True for a letter or digit of any script. */
function isLetter(char = ''): boolean {
  return /[\p{L}\p{N}]/u.test(char);
}

/**
 * Converts to lower case and replaces runs of white space and markup with one blank; `offsets` maps back to the original text.
 */
function normalize(text: string): { letters: string; offsets: Uint32Array } {
  const parts: string[] = [];
  // One letter may become up to three code units in lower case.
  const offsets = new Uint32Array(text.length * 3 + 1);
  let length = 0;
  let isBlank = true;
  for (let index = 0; index < text.length; index++) {
    const char = text[index] ?? '';
    if (/[\s|*_`\\#>~]/.test(char)) {
      if (!isBlank) {
        offsets[length++] = index;
        parts.push(' ');
      }
      isBlank = true;
      continue;
    }
    isBlank = false;
    const lower = char.toLowerCase();
    for (let unit = 0; unit < lower.length; unit++) offsets[length++] = index;
    parts.push(lower);
  }
  return { letters: parts.join(''), offsets: offsets.subarray(0, length) };
}
