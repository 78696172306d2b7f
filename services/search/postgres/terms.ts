import type { PoolClient } from 'pg';
import { StatementValues } from '../../vector/pgvector-access';
import { quoteIdentifier } from '../../vector/pgvector-connection';
import { findConfiguration, foldWord, plainConfiguration, splitText } from '../../vector/pgvector-words';
import { listSuspects } from '../knowledge';
import type { SearchRequest } from '../ports';
import { detectQuestionLanguage, dropFunctionWords } from '../refine/function-words';
import { foreignBoost, mayBeTypo, pairBoost } from '../text-query';
import { formatPhrase, quoteLexeme } from './conditions';
import { writeRecords, type Tables } from './tables';

/** A part of a question, in the form in which records have it. */
export interface Term {
  /** `words`: as a language has it; `exact`: as written; `pair`: neighbouring words, which only lift records. */
  kind: 'words' | 'exact' | 'pair';
  /** For explanations. */
  text: string;
  /** A query of PostgreSQL. */
  query: string;
  /** Of `words`: the configurations of the records in which it counts. */
  analyses: string[];
  weight: number;
}

/** Words of a question that count; of a longer one the longest, which are the rarest in most languages. */
const maxWords = 100;
const maxPairs = 20;
const exactWeight = 0.1;
const typoWeight = 0.5;
const maxAlternatives = 20;
/** Rows that are looked through for words that resemble a word with a typing error. */
const maxLookedThrough = 2_000;
/** Words that are stop words in one of these are not searched as written, unless nothing else is found. */
const commonLanguages = ['english', 'german', 'french', 'spanish', 'italian'];

/** How a question is read. */
interface Reading {
  /** Words that no readable record has, with the words of readable records that resemble them. */
  typos?: ReadonlyMap<string, readonly string[]>;
  /** True if nothing was found: then stop words count, and codes match without their punctuation. */
  isLastResort?: boolean;
}

/** The words of a question. */
export function splitQueryWords(query: string): string[] {
  const words = [...new Set(splitText(dropFunctionWords(query.replaceAll('\0', ' '))))];
  if (words.length <= maxWords) return words;
  const longest = new Set(words.toSorted((a, b) => b.length - a.length).slice(0, maxWords));
  return words.filter((word) => longest.has(word));
}

/** The terms of a question for the languages of these tables. */
export async function readTerms(
  client: PoolClient,
  tables: Tables,
  query: string,
  { typos = new Map(), isLastResort }: Reading = {},
): Promise<Term[]> {
  const words = splitQueryWords(query);
  const own = findConfiguration(detectQuestionLanguage(query));
  const analyses = await readAnalyses(client, tables);
  const configurations = [...new Set([...analyses, ...commonLanguages])];
  const { rows } = await client.query<{ analysis: string; word: string; lexemes: string[] }>(
    `SELECT analysis, word, tsvector_to_array(to_tsvector(analysis::regconfig, word)) AS lexemes
     FROM unnest($1::text[]) AS analysis, unnest($2::text[]) AS word`,
    [configurations, words],
  );
  const terms = new Map<string, Term>();
  for (const { analysis, lexemes } of rows.filter((row) => analyses.includes(row.analysis)))
    for (const lexeme of lexemes) {
      const isForeign = own !== undefined && analysis !== own && analysis !== plainConfiguration;
      const weight = isForeign ? foreignBoost : 1;
      const parsed = quoteLexeme(lexeme);
      const key = `${weight} ${parsed}`;
      const term = terms.get(key) ?? { kind: 'words', text: lexeme, query: parsed, analyses: [], weight };
      if (!term.analyses.includes(analysis)) term.analyses.push(analysis);
      terms.set(key, term);
    }
  const isStop = (word: string) =>
    !isLastResort &&
    rows.some((row) => row.word === word && row.lexemes.length === 0 && commonLanguages.includes(row.analysis));
  const exact = words.filter((word) => !isStop(word)).map((word) => buildTerm([word], 'exact', exactWeight));
  const similar = [...typos.values()].flat().map((word) => buildTerm([word], 'exact', typoWeight));
  const pairs = words.slice(1, maxPairs + 1).map((next, at) => buildTerm([words[at] ?? '', next], 'pair', pairBoost));
  const codes = isLastResort ? words.flatMap(splitCode) : [];
  return [...terms.values(), ...exact, ...similar, ...pairs, ...codes];
}

function buildTerm(words: readonly string[], kind: Term['kind'], weight: number): Term {
  const folded = words.map(foldWord);
  return { kind, text: folded.join(' '), query: formatPhrase(folded, '', false), analyses: [], weight };
}

/** "sl40" is written "SL-40" in many texts. */
function splitCode(word: string): Term[] {
  if (!/^(?:\p{L}+\p{N}+|\p{N}+\p{L}+)$/u.test(word)) return [];
  const parts = word.split(/(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u);
  return [buildTerm(parts, 'exact', 1)];
}

/** The configurations that the records of the tables have, without reading all of them. */
async function readAnalyses(client: PoolClient, tables: Tables): Promise<string[]> {
  const configurations = new Set([plainConfiguration]);
  for (const name of tables.keys()) {
    const table = quoteIdentifier(name);
    const { rows } = await client.query<{ analysis: string }>(
      `WITH RECURSIVE next AS (
         (SELECT analysis FROM ${table} ORDER BY analysis LIMIT 1)
         UNION ALL
         SELECT (SELECT analysis FROM ${table} WHERE analysis > next.analysis ORDER BY analysis LIMIT 1) FROM next
         WHERE next.analysis IS NOT NULL)
       SELECT analysis FROM next WHERE analysis <> ''`,
    );
    for (const { analysis } of rows) configurations.add(analysis);
  }
  return [...configurations];
}

/**
 * For each word of a short question that no readable record has, the words of readable records that resemble it. Records that the
 * user may not read contribute nothing.
 */
export async function findTypos(
  client: PoolClient,
  tables: Tables,
  request: SearchRequest,
  /** Adds the values of the access rule and returns it as a condition. */
  readable: (values: StatementValues) => string,
): Promise<Map<string, string[]>> {
  const suspects = [...new Set(listSuspects(request).map((word) => foldWord(word.toLowerCase())))].filter(mayBeTypo);
  const typos = new Map<string, string[]>();
  for (const word of suspects) {
    const values = new StatementValues();
    const exact = values.add(quoteLexeme(word), 'tsquery');
    const isThere = await client.query<{ found: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM ${writeRecords(tables)} WHERE exact @@ ${exact} AND ${readable(values)}) AS found`,
      values.list,
    );
    if (isThere.rows[0]?.found) continue;
    const alternatives = new StatementValues();
    const beginning = Array.from(word)[0] ?? '';
    const begins = alternatives.add(`${quoteLexeme(beginning)}:*`, 'tsquery');
    const maxEdits = word.length > 5 ? 2 : 1;
    const [shortest, longest] = [word.length - maxEdits, word.length + maxEdits].map((length) =>
      alternatives.add(length, 'int'),
    );
    const { rows } = await client.query<{ lexeme: string }>(
      `SELECT DISTINCT lexeme FROM
         (SELECT exact FROM ${writeRecords(tables)} WHERE exact @@ ${begins} AND ${readable(alternatives)} LIMIT ${maxLookedThrough}) AS rows,
         unnest(exact) AS parts
       WHERE starts_with(lexeme, ${alternatives.add(beginning, 'text')}) AND length(lexeme) BETWEEN ${shortest} AND ${longest}
       ORDER BY lexeme`,
      alternatives.list,
    );
    const near = rows.map(({ lexeme }) => ({ lexeme, edits: countEdits(word, lexeme) }));
    const nearTerms = near.filter(({ edits }) => edits <= maxEdits).toSorted((a, b) => a.edits - b.edits);
    if (nearTerms.length > 0)
      typos.set(
        word,
        nearTerms.slice(0, maxAlternatives).map(({ lexeme }) => lexeme),
      );
  }
  return typos;
}

/** Letters to insert, remove or replace, and neighbours to swap, until both are equal (optimal string alignment). */
export function countEdits(a: string, b: string): number {
  const [from, to] = [Array.from(a), Array.from(b)];
  let [earlier, before] = [[] as number[], to.map((_, at) => at)];
  before.push(to.length);
  for (const [row, letter] of from.entries()) {
    const line = [row + 1];
    for (const [at, targetLetter] of to.entries()) {
      const cost = letter === targetLetter ? 0 : 1;
      const isSwapped = row > 0 && at > 0 && letter === to[at - 1] && from[row - 1] === targetLetter;
      line.push(
        Math.min(
          (line[at] ?? 0) + 1,
          (before[at + 1] ?? 0) + 1,
          (before[at] ?? 0) + cost,
          isSwapped ? (earlier[at - 1] ?? 0) + 1 : Infinity,
        ),
      );
    }
    [earlier, before] = [before, line];
  }
  return before[to.length] ?? 0;
}
