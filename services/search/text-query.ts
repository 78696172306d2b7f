import { listQueryParts } from './compounds/mark';
import { detectQuestionLanguage, dropFunctionWords } from './refine/function-words';

/** Clauses of one query; the engine's own limit is 1,024. */
const maxClauses = 900;
/** Number of terms used of a longer query in each field: those that distinguish its documents best. */
const maxTerms = 60;
/** Number of words up to which all words of a longer query count in the texts of its own language. */
const maxWords = 450;
/**
 * Maximum number of words of a question that count in each boosted field; of a longer question, the rarest words count.
 */
const maxBoosted = 20;
/** Number of pairs of adjacent words that boost documents with the same pairs. */
const maxPairs = 20;
/** Of titles and headings. */
const titleBoost = 0.35;
/** Of synonyms. */
const alternativeBoost = 0.8;
/** Of the parts of German compounds in a question of up to four words. */
const partBoost = 0.5;
const shortQuestionWords = 4;
/** Where the parts of German compounds are indexed, and found. */
export const compoundFields = ['words.de', `titles.de^${titleBoost}`];
/** Of neighbouring words. */
export const pairBoost = 0.1;
/** Of the words of the text as written, and of those of titles and metadata. */
const exactBoost = 0.2;
const exactTitleBoost = 0.1;
/**
 * Weight of texts in other languages than that of the question. Words are rare there that are common in their own language, so
 * that a stray one would count more than the words that matter.
 */
export const foreignBoost = 0.5;

/** Alternatives for a part of a query, in the records of these indexes only. */
export interface Alternative {
  indexes: string[];
  text: string;
}
/** Facts that are read before the query is built. */
export interface TextKnowledge {
  /** Codes of the languages that occur in the indexes; long questions need to know them. */
  languages?: readonly string[];
  /** Words of the question that occur in no document and may be typing errors. */
  unknown?: readonly string[];
  /** Synonyms of words in the query. */
  alternatives?: readonly Alternative[];
  /** True if nothing was found: then stop words count too. */
  isLastResort?: boolean;
}

/** The fields of every language that occurs, as the engine understands them. */
export const languageFields = { words: 'words.*', titles: 'titles.*' };
const word = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}_]+/gu;

/** The distinct words of a query, as far as they can be split without knowing its language; `isWhole` keeps repetitions. */
export function splitWords(query: string, { isWhole = false } = {}): string[] {
  const words = query.toLowerCase().match(word) ?? [];
  return isWhole ? words : [...new Set(words)];
}

/**
 * A query built from plain text without syntax. Words match by language (stemmed, without stop words), additionally as
 * written, and in title and headings; adjacent words score higher. A document must contain one of the words.
 */
export function buildTextQuery(
  question: string,
  { languages, unknown = [], alternatives = [], isLastResort }: TextKnowledge,
): Record<string, unknown> {
  // The engine treats the text around a colon as one word.
  const whole = question.replace(/(?<=[\p{L}\p{N}]):(?=[\p{L}\p{N}])/gu, ' ');
  const pairs = getPairs(whole).slice(0, maxPairs);
  const query = isLastResort ? whole : dropFunctionWords(whole);
  // The engine makes a clause of every word, also of repeated ones.
  const { length } = splitWords(query, { isWhole: true });
  const own = detectQuestionLanguage(whole);
  const parts = own === undefined || own === 'de' ? listQueryParts(splitWords(query)) : [];
  const clauses = getClauses(length, pairs.length, languages ?? []) + compoundFields.length * parts.length;
  const isLong = languages !== undefined && clauses > maxClauses;
  const longFields = isLong ? listLongFields(own, languages, countIndexed(query)) : [];
  const terms = Math.min(maxTerms, Math.floor(maxClauses / (longFields.length + fieldsWithoutLanguage)));
  const among = (field: string, boost: number): Record<string, unknown> =>
    isLong ? findSimilar([field], query, { boost, terms }) : { match: { [field]: { query, boost } } };
  const byLanguage = isLong
    ? longFields.map(({ field, boost, isWhole }) =>
        isWhole ? { match: { [field]: { query, boost } } } : among(field, boost),
      )
    : [queryInLanguages(listWeightedFields(own), query)];
  const withoutLanguage = {
    bool: {
      should: [among('content', 1), among('title', titleBoost)],
      must_not: [{ exists: { field: 'language' } }],
    },
  };
  const exact = [
    among('content', exactBoost),
    among('title', exactTitleBoost),
    among('metadata_text', exactTitleBoost),
    ...splitNames(query),
    ...(isLong || parts.length === 0 ? [] : [queryParts(parts, weighParts(query))]),
  ];
  return {
    bool: {
      must: [
        {
          bool: {
            should: [
              ...byLanguage,
              withoutLanguage,
              ...exact,
              ...alternatives.map(getAlternative),
              ...unknown.flatMap((value) => allowTypos(value)),
              // A long question has too many words for that.
              ...(isLastResort && !isLong
                ? [{ match: { content: { query, analyzer: 'standard' } } }, ...splitCompounds(query)]
                : []),
            ],
            minimum_should_match: 1,
          },
        },
      ],
      should: isLong ? [] : pairs.map((pair) => queryNear(pair)),
    },
  };
}

/** Texts in which the words of a pair are at most two words apart. */
function queryNear(pair: string): Record<string, unknown> {
  return queryInLanguages([languageFields.words], pair, { type: 'phrase', tie_breaker: 1, slop: 2, boost: pairBoost });
}

/** The clauses that the engine makes of a question. */
function getClauses(words: number, pairs: number, { length }: readonly string[]): number {
  return words * (2 * length + 6) + 2 * pairs * length;
}

/** The sum of the scores of the fields; the engine determines the languages of the index. */
function queryInLanguages(fields: string[], query: string, how: Record<string, unknown> = {}): Record<string, unknown> {
  return { multi_match: { query, fields, type: 'most_fields', ...how } };
}

/** Fields of a long query besides those of languages. */
const fieldsWithoutLanguage = 5;

/**
 * The fields of a long question, one by one, because the engine accepts no patterns in their names. With a known language, only
 * the fields of this language: all words count there, each as often as it occurs. Texts in other languages match by words as written.
 */
function listLongFields(
  own: string | undefined,
  languages: readonly string[],
  length: number,
): { field: string; boost: number; isWhole: boolean }[] {
  const isKnown = own !== undefined && languages.includes(own);
  return (isKnown ? [own] : languages).flatMap((code) => [
    { field: `words.${code}`, boost: 1, isWhole: isKnown && length <= maxWords },
    { field: `titles.${code}`, boost: titleBoost, isWhole: false },
  ]);
}

/** The most words that the analyzers make of a text: those with a sign in them, such as `order_number`, also count in parts. */
function countIndexed(query: string): number {
  const parts = query.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const joined = query.match(/[\p{L}\p{M}\p{N}]+(?:[^\p{L}\p{M}\p{N}\s]+[\p{L}\p{M}\p{N}]+)+/gu) ?? [];
  return parts.length + joined.length;
}

/** The engine multiplies the weights of a field that is named twice. */
function listWeightedFields(own: string | undefined): string[] {
  const { words, titles } = languageFields;
  if (own === undefined) return [words, `${titles}^${titleBoost}`];
  const double = 1 / foreignBoost;
  return [
    `${words}^${foreignBoost}`,
    `words.${own}^${double}`,
    `${titles}^${foreignBoost * titleBoost}`,
    `titles.${own}^${double}`,
  ];
}

/** A synonym counts only in the records of the indexes that define it. */
function getAlternative({ indexes, text }: Alternative): Record<string, unknown> {
  const fields = [languageFields.words, `${languageFields.titles}^${titleBoost}`, `content^${exactBoost}`];
  const how = { type: 'phrase', tie_breaker: 1, boost: alternativeBoost };
  return { bool: { filter: [{ terms: { _index: indexes } }], must: [queryInLanguages(fields, text, how)] } };
}

/** The terms of a long text that are rare in the index, the rarest and most frequent ones with the highest weight. */
function findSimilar(
  fields: string[],
  like: string,
  { boost, terms }: { boost: number; terms: number },
): Record<string, unknown> {
  return {
    more_like_this: {
      fields,
      like,
      boost,
      boost_terms: 1,
      min_term_freq: 1,
      min_doc_freq: 1,
      max_query_terms: terms,
      minimum_should_match: 1,
      fail_on_unsupported_field: false,
    },
  };
}

/** The additional score of the query's words in one field. */
export function buildFieldQuery(path: string, query: string, factor: number): Record<string, unknown> {
  const byName: Record<string, [string, number]> = {
    content: [languageFields.words, 1],
    title: [languageFields.titles, titleBoost],
  };
  const [field, defaultBoost] = byName[path] ?? [path, 0];
  const boost = defaultBoost === 0 ? factor : defaultBoost * (factor - 1);
  const isLong = splitWords(query, { isWhole: true }).length > maxBoosted;
  if (isLong) return findSimilar([path], query, { boost, terms: maxBoosted });
  // Lenient: words of the query are no values of a field of numbers or dates.
  const plain = { match: { [path]: { query, boost, lenient: true } } };
  return defaultBoost === 0 ? plain : { bool: { should: [queryInLanguages([field], query, { boost }), plain] } };
}

/** Up to two letters may differ, by the length of the word; the first one is right. */
export function allowTypos(query: string): Record<string, unknown>[] {
  return ['content', 'title'].map((field) => ({
    match: { [field]: { query, fuzziness: 'AUTO', prefix_length: 1, max_expansions: 20 } },
  }));
}

/**
 * Texts with the parts of the German compounds of a question: Krankenversicherungsbeitrag also finds a Beitrag zur
 * Krankenversicherung. They rank below texts with the compound, whose parts are indexed as well.
 */
function queryParts(parts: readonly string[], boost: number): Record<string, unknown> {
  return queryInLanguages(compoundFields, parts.join(' '), { boost });
}

/** The weight of the parts of compounds. It falls with the square of the number of words: more of them say what is meant. */
export function weighParts(query: string): number {
  const words = splitWords(query, { isWhole: true }).length;
  return partBoost * Math.min(1, shortQuestionWords / words) ** 2;
}

/** Codes typed without the characters between their letters and digits: "sl40" for "SL-40". */
function splitCompounds(query: string): Record<string, unknown>[] {
  const codes = splitWords(query).filter((word) => /^(?:\p{L}+\p{N}+|\p{N}+\p{L}+)$/u.test(word));
  return codes.slice(0, maxPairs).flatMap((code) => {
    const parts = code.replaceAll(/(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu, ' ');
    return ['content', 'title', 'metadata_text'].map((field) => ({ match_phrase: { [field]: { query: parts } } }));
  });
}

/** Names such as MAX_SIZE, also where they are a part of a longer one, as in config.MAX_SIZE. */
function splitNames(query: string): Record<string, unknown>[] {
  const names = splitWords(query).filter((word) => /[\p{L}\p{N}]_+[\p{L}\p{N}]/u.test(word));
  return names
    .slice(0, maxPairs)
    .map((name) => ({ match_phrase: { content: { query: name.replaceAll('_', ' '), boost: exactBoost } } }));
}

/** Whether a text has a letter, a digit or a pictograph. */
export function hasSearchableText(text: string): boolean {
  return /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(text);
}

function getPairs(query: string): string[] {
  const words = query.match(word) ?? [];
  return words.slice(1).map((next, index) => `${words[index]} ${next}`);
}

/**
 * Words that may be typing errors: long enough, and letters only. Not those of hundreds of letters, for which the engine would look for
 * similar words for minutes.
 */
export function mayBeTypo(value: string): boolean {
  return /^\p{L}{4,60}$/u.test(value);
}
