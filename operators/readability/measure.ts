/** The inputs of the formulas. */
export interface TextCounts {
  words: number;
  sentences: number;
  syllables: number;
  letters: number;
  /** Words of three syllables and more. */
  polysyllables: number;
  /** Words of more than six letters. */
  longWords: number;
}

const wordPattern = /\p{L}[\p{L}\p{M}'’-]*/gu;
const sentenceEnd = /(?<![.!?…])[.!?…]+(?=["'”’)\]]*(?:\s|$))|[。！？]/gu;
/** A period after these does not end a sentence. */
const abbreviations =
  /\b(?:mr|mrs|ms|dr|prof|st|vs|etc|e\.g|i\.e|no|vol|fig|approx|inc|ltd|z\.b|d\.h|u\.a|bzw|ca|nr|str|sr|sra|p\.ej|art|\p{Lu})$/iu;
/** Characters before a period in which an abbreviation is looked for. */
const abbreviationReach = 12;

/** Counts words, sentences and syllables of a language. Lines without an end of a sentence, such as headings, end at a blank line. */
export function countText(text: string, language: string): TextCounts {
  const counts: TextCounts = { words: 0, sentences: 0, syllables: 0, letters: 0, polysyllables: 0, longWords: 0 };
  for (const paragraph of text.split(/\n\s*\n/)) {
    const words = paragraph.match(wordPattern) ?? [];
    if (words.length === 0) continue;
    counts.words += words.length;
    counts.sentences += countSentences(paragraph);
    for (const word of words) {
      const letters = word.match(/\p{L}/gu)?.length ?? 0;
      const syllables = countSyllables(word.toLowerCase(), language);
      counts.letters += letters;
      counts.syllables += syllables;
      if (syllables >= 3) counts.polysyllables += 1;
      if (letters > 6) counts.longWords += 1;
    }
  }
  return counts;
}

function countSentences(paragraph: string): number {
  let count = 0;
  let end = 0;
  for (const match of paragraph.matchAll(sentenceEnd)) {
    const before = paragraph.slice(Math.max(end, match.index - abbreviationReach), match.index);
    if (match[0] === '.' && abbreviations.test(before)) continue;
    count += 1;
    end = match.index + match[0].length;
  }
  // Text after the last sentence end is a sentence, too.
  return /\p{L}/u.test(paragraph.slice(end)) ? count + 1 : count;
}

const vowels: Readonly<Record<string, RegExp>> = {
  de: /ie|ei|ai|au|äu|eu|aa|ee|oo|[aeiouyäöü]/g,
  fr: /eau|oi|ou|ai|ei|au|eu|œu|ui|ie(?=$|[^n])|ia|io|[aeiouyàâéèêëîïôûùüœ]/g,
  es: /iu|ui|[iuü]?[aeoáéó][iuy]?|[iuüíú]/g,
  it: /[iu]?[aeoàèéò][iu]?|[iuìù]/g,
  nl: /aai|ooi|oei|eeu|ieu|aa|ee|oo|uu|oe|ie|eu|ij|ei|ui|au|ou|[aeiouyé]/g,
};

/** Syllables of a word in lower case: groups of vowels as the language writes them, at least one. */
export function countSyllables(word: string, language: string): number {
  const groups = vowels[language];
  if (!groups) return countEnglishSyllables(word);
  const silent = language === 'fr' ? word.replace(/(?<=.[^aeiouyéèê])(?:e|es|ent)$/, '') : word;
  return Math.max(1, silent.match(groups)?.length ?? 0);
}

/** A final e is silent except in -le after a consonant; -ed and -es are silent unless they must be pronounced. */
function countEnglishSyllables(value: string): number {
  const word = value.replace(/[^a-z]/g, '');
  if (word.length <= 3) return 1;
  const spoken = word
    .replace(/(?<=[^laeiouy])es$|(?<=[^td])ed$/, (ending) =>
      /(?:[sxz]|ch|sh|[cg])es$/.test(word) && ending === 'es' ? 'es' : '',
    )
    .replace(/(?<![^aeiouy]l)e$/, '');
  const groups = spoken.match(/[aeiouy]+/g)?.length ?? 0;
  const hiatus =
    spoken.match(/i[ao](?!u)|eo(?!u)|[^q]ua|uo|io(?=[^nu])|ying|^scie|quie|[dr]ea(?=s?$)|rea(?=t[eio])/g)?.length ?? 0;
  const contracted = spoken.match(/[ctsx]i(?:on|ous|a)|g[ei]ous|eopl|geon|[aeou]y[aeiou]/g)?.length ?? 0;
  return Math.max(1, groups + Math.max(0, hiatus - contracted));
}

/** The formulas for Flesch's reading ease, by language; higher is easier. */
const eases: Readonly<Record<string, (wordsPerSentence: number, syllablesPerWord: number) => number>> = {
  en: (words, syllables) => 206.835 - 1.015 * words - 84.6 * syllables,
  de: (words, syllables) => 180 - words - 58.5 * syllables,
  fr: (words, syllables) => 207 - 1.015 * words - 73.6 * syllables,
  es: (words, syllables) => 206.84 - 1.02 * words - 60 * syllables,
  it: (words, syllables) => 206 - words - 65 * syllables,
  nl: (words, syllables) => 206.84 - 0.93 * words - 77 * syllables,
};

/** The languages that have a readability formula. */
export const readabilityLanguages: readonly string[] = Object.keys(eases);

/** The measures of a text; null if the language has no such formula or the text has no words. */
export function measure(counts: TextCounts, language: string) {
  const { words, sentences, syllables, letters, polysyllables, longWords } = counts;
  const isEmpty = words === 0 || sentences === 0;
  const perSentence = words / sentences;
  const perWord = syllables / words;
  const round = (value: number) => Math.round(value * 100) / 100;
  const english = (value: number) => (isEmpty || language !== 'en' ? null : round(value));
  const ease = eases[language];
  return {
    read_words: words,
    read_sentences: sentences,
    read_flesch_ease: isEmpty || !ease ? null : round(ease(perSentence, perWord)),
    read_flesch_kincaid_grade: english(0.39 * perSentence + 11.8 * perWord - 15.59),
    read_gunning_fog: english(0.4 * (perSentence + (100 * polysyllables) / words)),
    read_smog: english(1.043 * Math.sqrt((polysyllables * 30) / sentences) + 3.1291),
    read_coleman_liau: english((0.0588 * 100 * letters) / words - (0.296 * 100 * sentences) / words - 15.8),
    read_ari: english((4.71 * letters) / words + 0.5 * perSentence - 21.43),
    read_lix: isEmpty ? null : round(perSentence + (100 * longWords) / words),
    read_gulpease: isEmpty || language !== 'it' ? null : round(89 + (300 * sentences - 10 * letters) / words),
  };
}
