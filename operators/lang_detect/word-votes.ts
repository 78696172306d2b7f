import { detectAll } from 'tinyld';
import { copyText } from '../../model/copy-text';

/** The languages of a word (ISO 639-1) with their weights. */
export type Votes = readonly (readonly [language: string, weight: number])[];

/** Weight of a word that occurs in one language only. A word of several languages weighs up to 1 in each. */
const uniqueWeight = 2;
/** About 10 MB of words. A batch of documents has a few thousand distinct ones. */
const maxKnownWords = 20_000;

/**
 * The votes of single words. The detector takes 25 µs or more for a word, and most words occur in many texts, so words stay known
 * until there are `maxWords` of them.
 */
export function createWordVotes(detect = detectAll, maxWords = maxKnownWords): (word: string) => Votes {
  const known = new Map<string, Votes>();
  return (word) => {
    const earlier = known.get(word);
    if (earlier) return earlier;
    if (known.size >= maxWords) known.clear();
    const languages = detect(word);
    const [only] = languages;
    const isUnique = languages.length === 1 && only?.accuracy === 1;
    // Three-letter codes are languages in which few documents are written. Accuracy is per character.
    const votes = languages
      .filter(({ lang }) => lang.length === 2)
      .map(({ lang, accuracy }) => [lang, isUnique ? uniqueWeight : accuracy * word.length] as const);
    known.set(copyText(word), votes);
    return votes;
  };
}
