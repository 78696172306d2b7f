import { joint, markCompounds } from './compounds/mark';

/** How texts in one language become index terms, in addition to lowercasing and removing accents. */
interface Language {
  /** Filters of the engine before stop words are removed. */
  before?: readonly string[];
  /** The engine's name of its list of stop words; absent where it has none. */
  stop?: string;
  /** The engine's name of the stemmer. */
  stemmer?: string;
  /** True if the parts of compounds are indexed, too. */
  hasCompounds?: boolean;
  /** Pairs of neighbouring characters instead of words. */
  isBigram?: boolean;
}

/**
 * By ISO 639-1 code, as the language detector returns it. Light stemmers where there are several, because they do not merge
 * names.
 */
const languages: Readonly<Record<string, Language>> = {
  ar: { before: ['decimal_digit', 'arabic_normalization'], stop: '_arabic_', stemmer: 'arabic' },
  bg: { stop: '_bulgarian_', stemmer: 'bulgarian' },
  ca: { before: ['elision_romance'], stop: '_catalan_', stemmer: 'catalan' },
  cs: { stop: '_czech_', stemmer: 'czech' },
  da: { stop: '_danish_', stemmer: 'danish' },
  de: { before: ['german_normalization'], stop: '_german_', stemmer: 'light_german', hasCompounds: true },
  el: { stop: '_greek_', stemmer: 'greek' },
  en: { before: ['possessive'], stop: '_english_', stemmer: 'english' },
  es: { stop: '_spanish_', stemmer: 'light_spanish' },
  eu: { stop: '_basque_', stemmer: 'basque' },
  fi: { stop: '_finnish_', stemmer: 'finnish' },
  fr: { before: ['elision_romance'], stop: '_french_', stemmer: 'light_french' },
  gl: { stop: '_galician_', stemmer: 'galician' },
  hi: { before: ['decimal_digit', 'indic_normalization', 'hindi_normalization'], stop: '_hindi_', stemmer: 'hindi' },
  hu: { stop: '_hungarian_', stemmer: 'hungarian' },
  id: { stop: '_indonesian_', stemmer: 'indonesian' },
  it: { before: ['elision_romance'], stop: '_italian_', stemmer: 'light_italian' },
  ja: { isBigram: true },
  ko: { isBigram: true },
  lv: { stop: '_latvian_', stemmer: 'latvian' },
  nl: { stop: '_dutch_', stemmer: 'dutch' },
  no: { stop: '_norwegian_', stemmer: 'norwegian' },
  pt: { stop: '_portuguese_', stemmer: 'light_portuguese' },
  ro: { stop: '_romanian_', stemmer: 'romanian' },
  ru: { stop: '_russian_', stemmer: 'russian' },
  sv: { stop: '_swedish_', stemmer: 'swedish' },
  tr: { before: ['apostrophe'], stop: '_turkish_', stemmer: 'turkish' },
  zh: { isBigram: true },
};
/** Stop words in languages that people mix; they are searched only if nothing else is found. */
const commonStops = ['_english_', '_german_', '_french_', '_spanish_', '_italian_'];

/**
 * Signs that the tokenizer drops or that are written in two ways: CO₂ is found by CO2, and the micro sign by the Greek letter. Not
 * superscripts, which also mark footnotes.
 */
const mappedSigns = [
  ...Array.from({ length: 10 }, (_, digit) => `${String.fromCodePoint(0x20_80 + digit)}=>${digit}`),
  '\u00B5=>\u03BC',
];

/** French and Italian articles and pronouns before an apostrophe. */
const elidedArticles = 'l m t qu n s j d c jusqu quoiqu lorsqu puisqu all dell nell sull un'.split(' ');

/**
 * The parts of a marked compound, and their sums: of Kranken|versicherungs|beitrag also Krankenversicherung and
 * Versicherungsbeitrag. All of them stand at the place of the compound, so that its text does not count as longer.
 */
const partPatterns = [
  `([^${joint}]+)`,
  ...[1, 2].map((more) => `(?<![^${joint}])(?=([^${joint}]+(?:${joint}[^${joint}]+){${more}}))`),
];

/** True if the engine has a stemmer or stop words for the language. */
function hasAnalysis(language: unknown): language is string {
  return typeof language === 'string' && Object.hasOwn(languages, language);
}

/** The analyzers of an index: `exact` for unstemmed words, `text_<code>` for those of a language. */
export function buildAnalysis(): Record<string, unknown> {
  const entries = Object.entries(languages);
  const filters = entries.flatMap(([code, { stop, stemmer }]) => [
    ...(stop ? [[`stop_${code}`, { type: 'stop', stopwords: stop }]] : []),
    ...(stemmer ? [[`stem_${code}`, { type: 'stemmer', language: stemmer }]] : []),
  ]);
  const buildAnalyzer = (...filter: string[]) => ({
    type: 'custom',
    char_filter: ['signs'],
    tokenizer: 'standard',
    filter,
  });
  return {
    char_filter: { signs: { type: 'mapping', mappings: mappedSigns } },
    filter: {
      ...(Object.fromEntries(filters) as Record<string, unknown>),
      ...Object.fromEntries(commonStops.map((stopwords) => [`common${stopwords}`, { type: 'stop', stopwords }])),
      // order_number is found as a whole, and by each of its words. Not the filter that builds a graph: flattened again for the
      // index, it gives the same words at the same positions, and writing a record takes a third longer.
      parts: {
        type: 'word_delimiter',
        preserve_original: true,
        split_on_case_change: false,
        split_on_numerics: false,
        stem_english_possessive: false,
      },
      compound_parts: { type: 'pattern_capture', preserve_original: true, patterns: partPatterns },
      unmark: { type: 'pattern_replace', pattern: joint, replacement: '' },
      possessive: { type: 'stemmer', language: 'possessive_english' },
      elision_romance: {
        type: 'elision',
        articles_case: true,
        articles: elidedArticles,
      },
    },
    analyzer: {
      exact: buildAnalyzer('parts', 'lowercase', 'asciifolding'),
      exact_query: buildAnalyzer('lowercase', ...commonStops.map((name) => `common${name}`), 'asciifolding'),
      ...Object.fromEntries(
        entries.flatMap(([code, language]) => [
          [
            `text_${code}`,
            buildAnalyzer(
              ...(language.hasCompounds ? ['compound_parts', 'unmark'] : []),
              'parts',
              ...listFilters(code, language),
              ...(language.hasCompounds ? ['remove_duplicates'] : []),
            ),
          ],
          [`text_${code}_query`, buildAnalyzer(...listFilters(code, language))],
        ]),
      ),
    },
  };
}

function listFilters(code: string, { before = [], stop, stemmer, isBigram }: Language): string[] {
  if (isBigram) return ['cjk_width', 'lowercase', 'cjk_bigram'];
  return [
    'lowercase',
    ...before,
    ...(stop ? [`stop_${code}`] : []),
    ...(stemmer ? [`stem_${code}`] : []),
    'asciifolding',
  ];
}

const compoundSimilarity = 'compounds';
/**
 * How fields with the parts of compounds are scored. The engine counts parts in the mean length of texts, so it must count them in
 * each text, too; otherwise every text would seem short, and rank before texts in other languages.
 */
export const similarities = { [compoundSimilarity]: { type: 'BM25', discount_overlaps: false } };

/** One field for each language that occurs: `words.<code>` with the text, `titles.<code>` with the title and the headings. */
export function buildLanguageTemplates(): Record<string, unknown>[] {
  return Object.entries(languages).flatMap(([code, language]) => {
    const field = {
      type: 'text',
      analyzer: `text_${code}`,
      search_analyzer: `text_${code}_query`,
      ...(language.hasCompounds ? { similarity: compoundSimilarity } : {}),
    };
    return [
      // Kept outside of the record, for highlights.
      { [`words_${code}`]: { path_match: `words.${code}`, mapping: { ...field, store: true } } },
      { [`titles_${code}`]: { path_match: `titles.${code}`, mapping: field } },
    ];
  });
}

/** Additional fields of a record if the index analyses languages; with marked compounds if it also knows their parts. */
export function buildAnalysedFields(
  language: unknown,
  texts: { content: string; title: string; headings: readonly string[] },
  { hasParts }: { hasParts: boolean },
): Record<string, unknown> {
  if (!hasAnalysis(language)) return {};
  const titles = [...new Set([texts.title, ...texts.headings])].join('\n');
  const mark = hasParts && languages[language]?.hasCompounds ? markCompounds : (text: string) => text;
  return { language, words: { [language]: mark(texts.content) }, titles: { [language]: mark(titles) } };
}
