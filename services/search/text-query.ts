/** Clauses of one query; the engine's own limit is 1,024. */
const mostClauses = 900;
/** Terms of a question that is longer than that: those that tell its documents apart best. */
const mostTerms = 60;
/** Neighbouring words of a question that lift documents which have them side by side. */
const mostPairs = 20;
const titleBoost = 0.5;
const alternativeBoost = 0.8;
const pairBoost = 0.1;
const exactBoost = 0.1;

/** Texts that stand for a part of a question, in the records of these indexes only. */
export interface Alternative {
  indexes: string[];
  text: string;
}
/** What is known before a question is asked. */
export interface TextKnowledge {
  /** Codes of the languages that occur in the indexes; long questions need to know them. */
  languages?: readonly string[];
  /** Words of the question that no document has: they may be typing errors. */
  unknown?: readonly string[];
  /** Other names of what the question names. */
  alternatives?: readonly Alternative[];
  /** Nothing was found: words that say nothing count, too. */
  isLastResort?: boolean;
}

/** The fields of every language that occurs, as the engine understands them. */
export const languageFields = { words: 'words.*', titles: 'titles.*' };
const word = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}_]+/gu;

/** The different words of a question, as far as they can be told without its language; `isWhole` keeps those that come again. */
export function wordsOf(query: string, { isWhole = false } = {}): string[] {
  const words = query.toLowerCase().match(word) ?? [];
  return isWhole ? words : [...new Set(words)];
}

/**
 * A question as a query, without any syntax of its own. Words count by their language (endings and stop words off), once more as they
 * stand, and in title and headings; neighbours lift. A document has to have one of the words.
 */
export function textQuery(
  question: string,
  { languages, unknown = [], alternatives = [], isLastResort }: TextKnowledge,
): Record<string, unknown> {
  // The engine takes what is around a colon for one word.
  const query = question.replace(/(?<=[\p{L}\p{N}]):(?=[\p{L}\p{N}])/gu, ' ');
  const pairs = getPairs(query).slice(0, mostPairs);
  const isLong = languages !== undefined && getClauses(wordsOf(query).length, pairs.length, languages) > mostClauses;
  const among = (field: string, boost: number): Record<string, unknown> =>
    isLong ? findSimilar([field], query, boost) : { match: { [field]: { query, boost } } };
  const byLanguage = isLong
    ? languages.flatMap((code) => [among(`words.${code}`, 1), among(`titles.${code}`, titleBoost)])
    : [inLanguages([languageFields.words, `${languageFields.titles}^${titleBoost}`], query)];
  const withoutLanguage = {
    bool: {
      should: [among('content', 1), among('title', titleBoost)],
      must_not: [{ exists: { field: 'language' } }],
    },
  };
  const exact = [among('content', exactBoost), among('title', exactBoost), among('metadata_text', exactBoost)];
  const near = isLong
    ? []
    : pairs.map((pair) =>
        inLanguages([languageFields.words], pair, { type: 'phrase', tie_breaker: 1, slop: 2, boost: pairBoost }),
      );
  return {
    bool: {
      must: [
        {
          bool: {
            should: [
              ...byLanguage,
              withoutLanguage,
              ...exact,
              ...alternatives.map(alternative),
              ...unknown.flatMap((one) => allowTypos(one)),
              ...(isLastResort
                ? [{ match: { content: { query, analyzer: 'standard' } } }, ...splitCompounds(query)]
                : []),
            ],
            minimum_should_match: 1,
          },
        },
      ],
      should: near,
    },
  };
}

/** The clauses that the engine makes of a question. */
function getClauses(words: number, pairs: number, { length }: readonly string[]): number {
  return words * (2 * length + 6) + 2 * pairs * length;
}

/** The sum of what the fields say; the engine looks up which languages there are. */
function inLanguages(fields: string[], query: string, how: Record<string, unknown> = {}): Record<string, unknown> {
  return { multi_match: { query, fields, type: 'most_fields', ...how } };
}

/** Another name counts in the records of the indexes that say so, and nowhere else. */
function alternative({ indexes, text }: Alternative): Record<string, unknown> {
  const fields = [languageFields.words, `${languageFields.titles}^${titleBoost}`, `content^${exactBoost}`];
  const how = { type: 'phrase', tie_breaker: 1, boost: alternativeBoost };
  return { bool: { filter: [{ terms: { _index: indexes } }], must: [inLanguages(fields, text, how)] } };
}

/** The terms of a long text that are rare in the index. */
function findSimilar(fields: string[], like: string, boost: number): Record<string, unknown> {
  return {
    more_like_this: {
      fields,
      like,
      boost,
      min_term_freq: 1,
      min_doc_freq: 1,
      max_query_terms: mostTerms,
      minimum_should_match: 1,
      fail_on_unsupported_field: false,
    },
  };
}

/** What the words of a question count in one field besides. */
export function inField(path: string, query: string, factor: number): Record<string, unknown> {
  const byName: Record<string, [string, number]> = {
    content: [languageFields.words, 1],
    title: [languageFields.titles, titleBoost],
  };
  const [field, usual] = byName[path] ?? [path, 0];
  const boost = usual === 0 ? factor : usual * (factor - 1);
  const plain = { match: { [path]: { query, boost } } };
  return usual === 0 ? plain : { bool: { should: [inLanguages([field], query, { boost }), plain] } };
}

/** Up to two letters may differ, by the length of the word; the first one is right. */
function allowTypos(query: string): Record<string, unknown>[] {
  return ['content', 'title'].map((field) => ({
    match: { [field]: { query, fuzziness: 'AUTO', prefix_length: 1, max_expansions: 20 } },
  }));
}

/** Codes that were typed without what is between their letters and digits: "sl40" for "SL-40". */
function splitCompounds(query: string): Record<string, unknown>[] {
  const codes = wordsOf(query).filter((one) => /^(?:\p{L}+\p{N}+|\p{N}+\p{L}+)$/u.test(one));
  return codes.slice(0, mostPairs).flatMap((code) => {
    const parts = code.replaceAll(/(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu, ' ');
    return ['content', 'title', 'metadata_text'].map((field) => ({ match_phrase: { [field]: { query: parts } } }));
  });
}

/** Whether a text says anything: it has a letter, a digit or a picture. */
export function hasSearchableText(text: string): boolean {
  return /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(text);
}

function getPairs(query: string): string[] {
  const words = query.match(word) ?? [];
  return words.slice(1).map((next, index) => `${words[index]} ${next}`);
}

/** Words that may be typing errors: letters alone, and enough of them. */
export function mayBeTypo(one: string): boolean {
  return /^\p{L}{4,}$/u.test(one);
}
