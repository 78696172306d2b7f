/** Clauses of one query; the engine's own limit is 1,024. */
const mostClauses = 900;
/** Terms of a question that is longer than that: those that tell its documents apart best. */
const mostTerms = 60;
/** Neighbouring words of a question that lift documents which have them side by side. */
const mostPairs = 20;
const titleBoost = 0.5;
const pairBoost = 0.1;
const exactBoost = 0.1;

/** What is known before a question is asked. */
export interface TextKnowledge {
  /** Codes of the languages that occur in the indexes. */
  languages: readonly string[];
  /** Words of the question that no document has: they may be typing errors. */
  unknown?: readonly string[];
  /** Nothing was found: words that say nothing count, too. */
  isLastResort?: boolean;
}

const word = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}_]+/gu;

/** The different words of a question, as far as they can be told without its language. */
export function wordsOf(query: string): string[] {
  return [...new Set(query.toLowerCase().match(word))];
}

/**
 * A question as a query, without any syntax of its own. Words count by their language (endings and stop words off), once more as they
 * stand, and in title and headings; neighbours lift. A document has to have one of the words.
 */
export function textQuery(
  question: string,
  { languages, unknown = [], isLastResort }: TextKnowledge,
): Record<string, unknown> {
  // The engine takes what stands around a colon for one word.
  const query = question.replace(/(?<=[\p{L}\p{N}]):(?=[\p{L}\p{N}])/gu, ' ');
  const words = wordsOf(query);
  const fields = 2 * languages.length + 6;
  const pairs = pairsOf(query).slice(0, mostPairs);
  const isLong = words.length * fields + 2 * pairs.length * languages.length > mostClauses;
  const among = (field: string, boost: number): Record<string, unknown> =>
    isLong ? salient([field], query, boost) : { match: { [field]: { query, boost } } };
  const byLanguage = languages.flatMap((code) => [among(`words.${code}`, 1), among(`titles.${code}`, titleBoost)]);
  const withoutLanguage = {
    bool: {
      should: [among('content', 1), among('title', titleBoost)],
      must_not: [{ exists: { field: 'language' } }],
    },
  };
  const exact = [among('content', exactBoost), among('title', exactBoost), among('metadata_text', exactBoost)];
  const near = isLong
    ? []
    : languages.flatMap((code) =>
        pairs.map((pair) => ({ match_phrase: { [`words.${code}`]: { query: pair, slop: 2, boost: pairBoost } } })),
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
              ...unknown.flatMap((one) => forgiven(one)),
              ...(isLastResort ? [{ match: { content: { query, analyzer: 'standard' } } }] : []),
            ],
            minimum_should_match: 1,
          },
        },
      ],
      should: near,
    },
  };
}

/** The terms of a long text that are rare in the index. */
function salient(fields: string[], like: string, boost: number): Record<string, unknown> {
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

/** Up to two letters may differ, by the length of the word; the first one is right. */
function forgiven(query: string): Record<string, unknown>[] {
  return ['content', 'title'].map((field) => ({
    match: { [field]: { query, fuzziness: 'AUTO', prefix_length: 1, max_expansions: 20 } },
  }));
}

function pairsOf(query: string): string[] {
  const words = query.match(word) ?? [];
  return words.slice(1).map((next, index) => `${words[index]} ${next}`);
}

/** Words that may be typing errors: letters alone, and enough of them. */
export function mayBeTypo(one: string): boolean {
  return /^\p{L}{4,}$/u.test(one);
}
