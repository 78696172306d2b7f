import { foldCase } from '../core/identity';

const letters: Readonly<Record<string, string>> = { ø: 'o', æ: 'ae', œ: 'oe', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' };

// Cyrillic and Greek letters that look like Latin ones, each before its twin.
const twins: Readonly<Record<string, string>> = Object.fromEntries(
  'аaвbеeкkмmнhоoрpсcтtуyхxіiјjѕsԁdѵvАAВBЕEКKМMНHОOРPСCТTУYХXІIЈJЅSαaοoρpνvιiΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX'
    .match(/../gu)!
    .map((pair) => [pair.charAt(0), pair.charAt(1)]),
);
const mixedWord =
  /[\p{L}\p{N}]*(?:\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}]|[\p{Script=Cyrillic}\p{Script=Greek}]\p{Script=Latin})[\p{L}\p{N}]*/gu;

/** A word of Latin and other letters together is a Latin word with letters that look the same. */
function foldTwins(text: string): string {
  return text.replace(mixedWord, (word) => Array.from(word, (letter) => twins[letter] ?? letter).join(''));
}

/** Scripts with letters that look like those of another one of them. */
const alikeScripts = ['Latin', 'Cyrillic', 'Greek', 'Coptic', 'Armenian', 'Cherokee', 'Lisu'].map(
  (script) => new RegExp(`\\p{Script=${script}}`, 'u'),
);

/** The words with letters of several scripts that look alike, such as the Cyrillic and Latin ones of `\u0410cme`. */
function listMixedWords(text: string): string[] {
  const words = stripMarks(text).match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => alikeScripts.filter((script) => script.test(word)).length > 1).map(foldCase);
}

/** True if one text has a word of mixed scripts that the other text does not have. Such a word may imitate another one. */
export function haveLookAlikes(text: string, other: string): boolean {
  const [left, right] = [new Set(listMixedWords(text)), new Set(listMixedWords(other))];
  return left.size !== right.size || [...left].some((word) => !right.has(word));
}

/** The words of a value that belongs to one thing only. Words of mixed scripts equal only themselves. */
export const listExactWords = (text: string): string[] => [...listWords(text), ...listMixedWords(text)];

const stripMarks = (text: string) => text.normalize('NFKD').replace(/\p{M}+/gu, '');

/**
 * The words of a name in lower case without accents. Letters with dots between them, as in I.B.M., are one word. Letters that look like
 * Latin ones count as those in a word that has Latin ones.
 */
export function listWords(name: string): string[] {
  const unaccented = foldTwins(stripMarks(name));
  const plain = foldCase(unaccented).replace(/[øæœłđðþı]/g, (letter) => letters[letter] ?? letter);
  const spelled = plain
    .replace(/\b([as])\/([as])\b/g, '$1$2')
    .replace(/['’]s\b/g, 's')
    .replace(/['’]/g, '')
    .replace(/[&+](?=\s)/g, ' and ')
    .replace(/\b(?:\p{L}\.){2,}(?!\p{L}{2})\p{L}?/gu, (all) => `${all.replaceAll('.', '')} `);
  return spelled.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

/** Spellings of the same sound are equal: Müller and Mueller, Schröder and Schroeder. */
export function foldSpelling(words: readonly string[]): string {
  return words.join(' ').replace(/([auo])e/g, '$1');
}

const sameForms: Readonly<Record<string, string>> = {
  limited: 'ltd',
  incorporated: 'inc',
  corporation: 'corp',
  company: 'co',
  aktiengesellschaft: 'ag',
};
const legalForms = new Set(
  'ltd inc corp co llc llp lp plc gmbh ag kg kgaa ug se sa sas sarl srl spa bv nv ab oy oyj aps pty kk mbh ohg ev eg cie asa spzoo sro doo'.split(
    ' ',
  ),
);
const fillers = new Set('the a an of and for de la le les du der die das und et y i e van von'.split(' '));

/** The groups of digits of a number, without leading zeros. */
export function listDigitGroups(text: string): string[] {
  return listWords(text)
    .flatMap((word) => word.match(/\d+/g) ?? [])
    .map((digits) => digits.replace(/^0+(?=\d)/, ''));
}

/** The letters and digits of a number, without leading zeros of its parts. */
export function toCodeText(text: string): string {
  return listWords(text)
    .map((word) => word.replace(/(?<!\d)0+(?=\d)/g, ''))
    .join('');
}

/** Legal forms in words, and in letters that listWords takes apart. */
const spelledForms = Object.entries({
  'gesellschaft mit beschrankter haftung': 'gmbh',
  'gesellschaft mbh': 'gmbh',
  kommanditgesellschaft: 'kg',
  'offene handelsgesellschaft': 'ohg',
  'public limited company': 'plc',
  'limited liability company': 'llc',
  'societe anonyme': 'sa',
  'societe a responsabilite limitee': 'sarl',
  'sa rl': 'sarl',
  'sa r l': 'sarl',
  's a rl': 'sarl',
  's a r l': 'sarl',
  'societa per azioni': 'spa',
  'societa a responsabilita limitata': 'srl',
  'sociedad anonima': 'sa',
  'besloten vennootschap': 'bv',
  'naamloze vennootschap': 'nv',
  aktiebolag: 'ab',
  osakeyhtio: 'oy',
  'sp z oo': 'spzoo',
  'sp z o o': 'spzoo',
});

// A name that is a legal form and nothing else stays as it is.
function abbreviateForms(words: readonly string[]): string[] {
  const [first = '', ...others] = words;
  const spelled = spelledForms.reduce(
    (text, [form, abbreviation]) => text.replaceAll(` ${form} `, ` ${abbreviation} `),
    ` ${others.join(' ')} `,
  );
  return [first, ...spelled.split(' ')].filter((word) => word !== '');
}

/** The words of an organisation's name, apart from its legal forms. */
export function splitCoreWords(words: readonly string[]): { core: string[]; forms: string[] } {
  const canonicalWords = abbreviateForms(words).map((word) => sameForms[word] ?? word);
  const forms = canonicalWords.filter((word, at) => at > 0 && legalForms.has(word));
  const core = canonicalWords
    .filter((word, at) => at === 0 || !legalForms.has(word))
    .filter((word, at) => at === 0 || word !== 'and');
  return { core: core[0] === 'the' && core.length > 1 ? core.slice(1) : core, forms };
}

/** The words without articles and prepositions; all words if there are no others. */
export function selectSignificantWords(words: readonly string[]): string[] {
  const matchingWords = words.filter((word) => !fillers.has(word));
  return matchingWords.length > 0 ? matchingWords : [...words];
}

/** The first letters of the significant words; undefined for fewer than two. */
export function findAcronym(words: readonly string[]): string | undefined {
  const significant = selectSignificantWords(words);
  return significant.length < 2 ? undefined : significant.map((word) => word[0] ?? '').join('');
}

/** The consonants of a text, without doubled ones: equal for most misspellings. */
export function toSkeleton(words: readonly string[]): string {
  return foldSpelling(words)
    .replace(/ph/g, 'f')
    .replace(/[ckq]+/g, 'k')
    .replace(/[sz]+/g, 's')
    .replace(/[\saeiouy]/g, '')
    .replace(/(.)\1+/g, '$1');
}

/** Characters; the time grows with their square. */
const maxCompared = 120;

/**
 * The similarity of two texts, 1 for equal ones: 1 minus the number of edits (a letter added, removed or changed, or two exchanged)
 * relative to the length of the longer text. Only the beginning of long texts is compared.
 */
export function compareSpelling(left: string, right: string): number {
  const [one, other] = [left.slice(0, maxCompared), right.slice(0, maxCompared)];
  if (one === other) return 1;
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    for (let to = 1; to <= other.length; to++) {
      const change = (row[to - 1] ?? 0) + (one[at - 1] === other[to - 1] ? 0 : 1);
      let distance = Math.min(change, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1);
      const isExchanged = at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1];
      if (isExchanged) distance = Math.min(distance, (before[to - 2] ?? 0) + 1);
      next.push(distance);
    }
    before = row;
    row = next;
  }
  return 1 - (row[other.length] ?? 0) / Math.max(one.length, other.length);
}
