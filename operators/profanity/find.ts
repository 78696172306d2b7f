/** A passage that matches an entry of a list: its offsets in UTF-16 code units, and the entry. */
export interface ProfanityMatch {
  start: number;
  end: number;
  term: string;
}

/** Entries by their first word, and wildcard entries. */
export interface WordList {
  /** Phrases, word by word, by their first word. */
  phrases: ReadonlyMap<string, readonly string[][]>;
  /** Beginnings of words, each at least three letters, by their first three letters. */
  beginnings: ReadonlyMap<string, readonly string[]>;
  endings: readonly string[];
  /** Single words and beginnings, in the order of the list. */
  singles: readonly string[];
  allowed: ReadonlySet<string>;
}

const wordPattern = /[\p{L}\p{N}@$!*]+(?:['’][\p{L}]+)?/gu;
/** Digits and signs used instead of letters within a word. */
const lookalikes: Readonly<Record<string, string>> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  $: 's',
  '5': 's',
  '7': 't',
};

/**
 * The form in which words are compared: without accents and case, `ß` as `ss`, with letters for lookalike signs within words, and
 * letters that are repeated three times or more only once.
 */
export function foldWord(word: string): string {
  const plain = word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss');
  const spelled = /\p{L}/u.test(plain)
    ? plain.replace(/^!+|(?<!!)!+$/g, '').replace(/[@$!0-9]/g, (sign) => lookalikes[sign] ?? sign)
    : plain;
  return spelled.replace(/(\p{L})\1{2,}/gu, '$1');
}

/** Prepares lists of words and phrases; `allowed` words never count. */
export function prepareList(entries: readonly string[], allowed: readonly string[]): WordList {
  const phrases = new Map<string, string[][]>();
  const beginnings = new Map<string, string[]>();
  const endings: string[] = [];
  const singles: string[] = [];
  for (const entry of entries) {
    const folded = entry
      .split(/\s+/)
      .filter(Boolean)
      .map((word) => foldWord(word.replace(/^\*|\*$/g, '')));
    const [first = ''] = folded;
    if (first === '') continue;
    if (folded.length === 1 && !entry.startsWith('*')) singles.push(first);
    if (folded.length === 1 && entry.endsWith('*') && first.length >= 3) {
      const key = first.slice(0, 3);
      beginnings.set(key, [...(beginnings.get(key) ?? []), first]);
    } else if (folded.length === 1 && entry.startsWith('*')) endings.push(first);
    else phrases.set(first, [...(phrases.get(first) ?? []), folded]);
  }
  return { phrases, beginnings, endings, singles, allowed: new Set(allowed.map(foldWord)) };
}

/** The matches in order. Words are compared as wholes, so that a word within another one does not count. */
export function findProfanity(text: string, list: WordList): ProfanityMatch[] {
  const words = [...text.matchAll(wordPattern)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    word: foldWord(match[0]),
    raw: match[0],
  }));
  const matches: ProfanityMatch[] = [];
  for (const [index, { start, end, word, raw }] of words.entries()) {
    if (list.allowed.has(word) || start < (matches.at(-1)?.end ?? 0)) continue;
    const phrase = list.phrases
      .get(word)
      ?.find((parts) => parts.every((part, offset) => words[index + offset]?.word === part));
    const last = phrase && words[index + phrase.length - 1];
    if (phrase && last) matches.push({ start, end: last.end, term: phrase.join(' ') });
    else {
      const term = findSingleTerm(word, raw, list);
      if (term !== undefined) matches.push({ start, end, term });
    }
  }
  return matches;
}

function findSingleTerm(word: string, raw: string, list: WordList): string | undefined {
  const beginning = list.beginnings.get(word.slice(0, 3))?.find((value) => word.startsWith(value));
  if (beginning !== undefined) return `${beginning}*`;
  const ending = list.endings.find((item) => word.endsWith(item));
  if (ending !== undefined) return `*${ending}`;
  return raw.includes('*') ? findStarredTerm(word, list) : undefined;
}

/** No word of a list is longer; the expression for thousands of stars would be too large. */
const longestStarredWord = 100;

/** The entry that a word with stars for letters, such as `f**k`, stands for; the first letter is never a star. */
function findStarredTerm(word: string, list: WordList): string | undefined {
  if (word.length > longestStarredWord || !/^\p{L}\*+\p{L}+$/u.test(word)) return undefined;
  const pattern = new RegExp(`^${word.replaceAll('*', '\\p{L}')}$`, 'u');
  return list.singles.find((item) => pattern.test(item));
}
