import { copyText } from '../../../model/copy-text';
import { maxWord, splitCompound } from './german';

/** Stands between the parts of a compound in indexed texts: U+2060, which is invisible and does not end a word. */
export const joint = '\u2060';

/** Distinct words whose parts are kept, because texts repeat them. */
const maxKept = 50_000;
/** Each part is a clause of a query, in several fields. */
const maxQueryParts = 40;
const kept = new Map<string, string>();
const word = /[\p{L}\p{M}\p{N}_]+/gu;

/** A German text with marks between the parts of its compounds. Marks that it had are removed. */
export function markCompounds(text: string): string {
  return unmarkCompounds(text).replaceAll(word, (found) => {
    const known = kept.get(found);
    if (known !== undefined) return known;
    const marked = splitCompound(found).join(joint);
    if (found.length > maxWord) return marked;
    if (kept.size >= maxKept) kept.clear();
    kept.set(copyText(found), copyText(marked));
    return marked;
  });
}

/** The text without marks, as people see it. */
export function unmarkCompounds(text: string): string {
  return text.replaceAll(joint, '');
}

/** The parts of the German compounds among these words, and the sums of two of them, in small letters. */
export function listCompoundParts(words: readonly string[]): string[] {
  return words.flatMap((found) => {
    const parts = splitCompound(found).map((part) => part.toLowerCase());
    if (parts.length < 2) return [];
    return parts.length === 2 ? parts : [...parts, ...parts.slice(1).map((part, at) => `${parts[at]}${part}`)];
  });
}

/** The same for a question, whose nouns may lack their capitals; each part once, the first 40. */
export function listQueryParts(words: readonly string[]): string[] {
  return [...new Set(listCompoundParts(words.map(capitalize)))].slice(0, maxQueryParts);
}

/** The parts of a word of a question if it is a German compound, in small letters; else none. */
export function splitQueryWord(found: string): string[] {
  const parts = splitCompound(capitalize(found));
  return parts.length < 2 ? [] : parts.map((part) => part.toLowerCase());
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
