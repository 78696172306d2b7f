import { classHints } from '../template/class-hints';

/** The words of a text. Accents are removed from Latin letters only: in other scripts, marks are part of the letter. */
export const splitWords = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFC')
    .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];

/**
 * Derives the kind of documents from their names: their common words, without numbers and codes. More than four words
 * are not a kind.
 */
export function kindOf(names: readonly string[]): string {
  const [first = [], ...others] = names.map(listKindWords);
  const wordSets = others.map((other) => new Set(other.map((word) => word.toLowerCase())));
  const common = first.filter((word) => wordSets.every((item) => item.has(word.toLowerCase())));
  while (common.length > 0 && isSmall(common.at(-1) ?? '')) common.pop();
  while (common.length > 0 && isSmall(common[0] ?? '')) common.shift();
  return common.length > 0 && common.length <= maxKindWords ? common.join(' ') : noKind;
}

/** The name of a class whose kind is unknown. */
export const noKind = 'Document';
const maxKindWords = 4;
const isSmall = (word: string) => /^(?:of|in|to|on|for|and|by|de|du|la|le)$/i.test(word);

/**
 * The words of a name, split at punctuation and at capitals after lowercase letters. A word with a digit or of two
 * letters is a code.
 */
function listKindWords(name: string): string[] {
  return splitWords(splitCapitals(name)).filter((word) => !/\d/.test(word) && (word.length > 2 || isSmall(word)));
}

/** `CompanyName` as two words; `NOx`, `kVA` and `eZweb` stay one. */
export const splitCapitals = (text: string): string =>
  text.replace(/(\p{Ll}{2})(?=\p{Lu})/gu, '$1 ').replace(/(\p{Lu}{2})(?=\p{Lu}\p{Ll}{2})/gu, '$1 ');

/** Kinds that the product knows: the words of a title, and the class. */
const knownKinds = new Map(
  Object.values(classHints).map(({ root }) => [splitCapitals(root).toLowerCase().replace(/ {2,}/g, ' '), root]),
);

/** The kind that a title names, such as `Invoice` of `INVOICE No. 17`; undefined for other titles. */
export function findTitleKind(title: string): string | undefined {
  const words = splitWords(title.replace(/\b(?:no|nr|number)\b.*$/i, '')).filter((word) => !/\d/.test(word));
  if (words.length > maxKindWords) return undefined;
  const text = ` ${words.join(' ').toLowerCase()} `;
  const kindName = [...knownKinds].find(([name]) => text.includes(` ${name} `))?.[1];
  if (kindName !== undefined) return kindName;
  const isKind = isKindOfDocument(words.join(' ')) && kindWord.test(words.at(-1) ?? '');
  return isKind ? words.join(' ') : undefined;
}

/** The last word of a title that names a kind of documents: `Retainer Agreement`. */
const kindWord =
  /^(?:agreement|contract|statement|report|certificate|declaration|licen[cs]e|permit|notice|warranty|waiver)$/i;

/** True for a title that could name a class: one to `maxWords` words without numbers, not a sentence. */
export function isKindTitle(title: string, maxWords = maxKindWords): boolean {
  const words = splitWords(trimLabel(title));
  return words.length > 0 && words.length <= maxWords && !/\d/.test(words.join('')) && isLabel(title);
}

/** A title that can name the kind of a document: up to three words without articles. */
export const isKindOfDocument = (title: string): boolean =>
  isKindTitle(title, 3) && !/\b(?:an?|the|my|our|your|after|before|with|sample)\b/i.test(title);

/**
 * Longer titles are not labels; a regular expression that ends at the end of a text reads a long one once per character.
 */
const maxTitleLength = 300;

/** The label without numbering before it, and without the colon and the note in brackets after it. */
export function trimLabel(title: string): string {
  if (title.length > maxTitleLength) return title;
  const plain = title
    .replace(/^\s*(?:\d+(?:\.\w{1,2})*[.)]|\d+(?:\.\w{1,2})+|\(\w{1,3}\)|\p{L}[.)])\s+(?=\p{L})/u, '')
    .replace(/[\s:*]+$/, '');
  const short = plain.replace(/\s*[([][^)\]]*[)\]]\s*$/, '');
  return /\p{L}{2}/u.test(short) ? short : plain;
}

const maxLabelWords = 6;
const notes =
  /^(?:notes?|n\.?b|warnings?|important|caution|tips?|hints?|examples?|e\.?g|https?|mailto|fig(?:ure)?|table)$/i;
const sentence = /\b(?:is|are|was|were|will|would|should|must|can|cannot|have|has|does|do|we|you|they)\b/i;

/** True for the few words before a value; false for sentences, notes, references, dates and numbers that end with a colon. */
export function isLabel(title: string): boolean {
  if (title.length > maxTitleLength) return false;
  const text = trimLabel(title);
  const words = splitWords(text);
  if (words.length === 0 || words.length > maxLabelWords || !/\p{L}{2}/u.test(text)) return false;
  if (/[?!;=<>{}\\@]|https?:|\.\p{L}{2,}/u.test(text) || sentence.test(text) || notes.test(words.join(' ')))
    return false;
  const digits = text.match(/\p{N}/gu)?.length ?? 0;
  return digits * 2 <= (text.match(/\p{L}/gu)?.length ?? 0);
}

/** The names of fields whose labels do not begin with a number. */
export type PlainNames = ReadonlySet<string>;

/**
 * The name of a field: the words of its label in lowercase letters; `#` is `no`. A name must not begin with a digit, so leading numbers
 * follow the first word: `1 week` becomes `week_1`, or `n_1_week` where that is the name of another label.
 */
export function toFieldName(text: string, plainNames: PlainNames = new Set()): string {
  const words = splitFieldWords(text);
  const first = words.findIndex((word) => !/^\p{N}/u.test(word));
  const reordered = [words[first], ...words.slice(0, first), ...words.slice(first + 1)];
  const name = joinName(first > 0 ? reordered : words);
  return first > 0 && plainNames.has(name) ? joinName(words) : name;
}

function splitFieldWords(text: string): string[] {
  const label = text.replace(/[#\u2116]/gu, ' no ');
  return splitWords(splitCapitals(isUpper(label.replaceAll(' no ', '')) ? label.toLowerCase() : label));
}

const joinName = (words: readonly (string | undefined)[]) =>
  words
    .join('_')
    .toLowerCase()
    .replace(/^(?=\p{N})/u, 'n_');

/** The names of labels, without those that begin with a number. */
export function collectPlainNames(labels: readonly string[]): Set<string> {
  const plainLabels = labels.map(trimLabel).filter((label) => !/^\p{N}/u.test(splitWords(label)[0] ?? ''));
  return new Set(plainLabels.map((label) => toFieldName(label)));
}

/** The label of the relation to a class. */
export const toRelationLabel = (name: string): string => `HAS_${toFieldName(name).toUpperCase()}`;

/** The name of a class: its words with capitals. A title all in capitals is written small; an abbreviation is not. */
export function buildClassName(text: string): string {
  const readableText = isUpper(text) && text.length > 4 ? text.toLowerCase() : text;
  const name = splitWords(readableText)
    .map(
      (word) =>
        word.charAt(0).toUpperCase() + (isUpper(word) && word.length > 4 ? word.slice(1).toLowerCase() : word.slice(1)),
    )
    .join('');
  return name.replace(/^(?=\p{N})/u, 'N') || noKind;
}

const isUpper = (text: string) => text === text.toUpperCase() && text !== text.toLowerCase();

const unchanged = /(?:ss|us|is|news|series|species|data|ves)$/i;

/** The singular of an English plural; other words stay. */
export function toSingular(text: string): string {
  if (!/[a-z]s$/i.test(text) || text.length <= 3 || unchanged.test(text)) return text;
  if (/[^aeiou]ies$/i.test(text)) return text.replace(/ies$/i, (end) => (end === 'IES' ? 'Y' : 'y'));
  return text.replace(/(?<=(?:ss|sh|ch|x|z))es$|s$/i, '');
}

/** The plural of an English word; words in other scripts stay. */
export function toPlural(text: string): string {
  if (!/[a-z]$/i.test(text) || (unchanged.test(text) && !/(?:ss|us|is)$/i.test(text))) return text;
  if (/[^aeiou]y$/i.test(text)) return `${text.slice(0, -1)}ies`;
  return /(?:s|sh|ch|x|z)$/i.test(text) ? `${text}es` : `${text}s`;
}
