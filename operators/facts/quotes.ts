/** Where a value stands in the text of its document. */
export interface Evidence {
  /** The path of the value among the entities: `total_amount`, `line_items/0/amount`. */
  field: string;
  /** The text itself: `content.slice(start, end)`. */
  quote: string;
  /** Offsets in UTF-16 code units. */
  start: number;
  end: number;
  /** Where the document has pages; from 1. */
  page?: number;
}

/** Finds quotations whatever their letter case, white space and Markdown marks. */
export interface QuoteFinder {
  text: string;
  /** The first place at or after `from`, else the first of all; undefined for a quotation without a letter or digit. */
  find(quote: string, from?: number): { start: number; end: number } | undefined;
}

/** A finder for one text; takes time linear in it. */
export function createQuoteFinder(text: string): QuoteFinder {
  const whole = normalised(text);
  return {
    text,
    find(quote, from = 0) {
      const { letters } = normalised(quote);
      const wanted = letters.trim();
      if (!/[\p{L}\p{N}]/u.test(wanted)) return undefined;
      let low = 0;
      let high = whole.offsets.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((whole.offsets[middle] ?? 0) < from) low = middle + 1;
        else high = middle;
      }
      const at = place(whole.letters, wanted, low) ?? place(whole.letters, wanted, 0);
      if (at === undefined) return undefined;
      const last = whole.offsets[at + wanted.length - 1] ?? 0;
      return { start: whole.offsets[at] ?? 0, end: last + 1 };
    },
  };
}

/** A short value is no part of a word or number: `12` is not found in `2012`. */
function place(letters: string, wanted: string, from: number): number | undefined {
  for (let at = letters.indexOf(wanted, from); at >= 0; at = letters.indexOf(wanted, at + 1)) {
    const before = letters[at - 1] ?? ' ';
    const after = letters[at + wanted.length] ?? ' ';
    if (wanted.length > 12 || (!(isWord(before) && isWord(wanted[0])) && !(isWord(after) && isWord(wanted.at(-1)))))
      return at;
  }
  return undefined;
}

function isWord(char = ''): boolean {
  return /[\p{L}\p{N}]/u.test(char);
}

/** Lower case, blanks for runs of white space and marks, with the offset of each unit. */
function normalised(text: string): { letters: string; offsets: Uint32Array } {
  const parts: string[] = [];
  // A letter may become up to three in lower case.
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
