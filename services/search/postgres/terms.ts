import type { PoolClient } from 'pg';
import { StatementValues } from '../../vector/pgvector-access';
import { quoteIdentifier } from '../../vector/pgvector-connection';
import {
  compoundConfiguration,
  findConfiguration,
  foldWord,
  plainConfiguration,
  splitText,
} from '../../vector/pgvector-words';
import { listQueryParts } from '../compounds/mark';
import { listSuspects } from '../knowledge';
import type { SearchRequest } from '../ports';
import { detectQuestionLanguage, dropFunctionWords } from '../refine/function-words';
import { foreignBoost, mayBeTypo, pairBoost, weighParts } from '../text-query';
import { formatPhrase, quoteLexeme } from './conditions';
import { writeRecords, type Tables } from './tables';

/** A part of a question, in the form stored in records. */
export interface Term {
  /** `words`: stemmed as in a language; `exact`: as written; `pair`: neighbouring words, which only raise the score. */
  kind: 'words' | 'exact' | 'pair';
  /** For explanations. */
  text: string;
  /** A query of PostgreSQL. */
  query: string;
  /** For `words`: the configurations of the records that it applies to. */
  analyses: string[];
  weight: number;
}

/** Maximum words searched of a question. The longest are used, which are the rarest in most languages. */
const maxWords = 100;
const maxPairs = 20;
const exactWeight = 0.1;
const typoWeight = 0.5;
const maxAlternatives = 20;
/** Maximum rows scanned for words that resemble a word with a typing error. */
const maxScannedRows = 2_000;
/** Words that are stop words in one of these are not searched as written, unless nothing else is found. */
const commonLanguages = ['english', 'german', 'french', 'spanish', 'italian'];

/** How a question is interpreted. */
interface Reading {
  /** Words that no readable record has, with the words of readable records that resemble them. */
  typos?: ReadonlyMap<string, readonly string[]>;
  /** True if nothing was found: then stop words count, and codes match without their punctuation. */
  isLastResort?: boolean;
}

/** The distinct words of a question, in order, without function words. */
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
  const analyses = await readAnalyses(client, tables);
  const configurations = [...new Set([...analyses, ...commonLanguages])];
  const language = findConfiguration(detectQuestionLanguage(query));
  const parts = (language ?? compoundConfiguration) === compoundConfiguration ? listQueryParts(words) : [];
  const { rows } = await client.query<{ analysis: string; word: string; lexemes: string[] }>(
    `SELECT analysis, word, tsvector_to_array(to_tsvector(analysis::regconfig, word)) AS lexemes
     FROM unnest($1::text[]) AS analysis, unnest($2::text[]) AS word`,
    [configurations, [...new Set([...words, ...parts])]],
  );
  const stemmed = buildStemmedTerms(
    rows.filter(({ analysis, word }) => analyses.includes(analysis) && words.includes(word)),
    language,
  );
  const isStop = (word: string) =>
    !isLastResort &&
    rows.some((row) => row.word === word && row.lexemes.length === 0 && commonLanguages.includes(row.analysis));
  const exact = words.filter((word) => !isStop(word)).map((word) => buildTerm([word], 'exact', exactWeight));
  const similar = [...typos.values()].flat().map((word) => buildTerm([word], 'exact', typoWeight));
  const pairs = words.slice(1, maxPairs + 1).map((next, at) => buildTerm([words[at] ?? '', next], 'pair', pairBoost));
  const ofCompounds = rows
    .filter(
      ({ analysis, word }) => analysis === compoundConfiguration && analyses.includes(analysis) && parts.includes(word),
    )
    .flatMap(({ lexemes }) => lexemes)
    .filter((lexeme, at, all) => all.indexOf(lexeme) === at)
    .map((lexeme) => buildPart(lexeme, weighParts(words.join(' '))));
  const codes = isLastResort ? words.flatMap(splitCode) : [];
  return [...stemmed, ...ofCompounds, ...exact, ...similar, ...pairs, ...codes];
}

/** One term per lexeme and weight. Lexemes of other languages than that of the question weigh less. */
function buildStemmedTerms(
  rows: readonly { analysis: string; lexemes: readonly string[] }[],
  questionConfiguration: string | undefined,
): Term[] {
  const terms = new Map<string, Term>();
  for (const { analysis, lexemes } of rows) {
    const isOfQuestion = questionConfiguration === undefined || analysis === questionConfiguration;
    const weight = isOfQuestion || analysis === plainConfiguration ? 1 : foreignBoost;
    for (const lexeme of lexemes) {
      const query = quoteLexeme(lexeme);
      const key = `${weight} ${query}`;
      const term = terms.get(key) ?? { kind: 'words', text: lexeme, query, analyses: [], weight };
      if (!term.analyses.includes(analysis)) term.analyses.push(analysis);
      terms.set(key, term);
    }
  }
  return [...terms.values()];
}

function buildTerm(words: readonly string[], kind: Term['kind'], weight: number): Term {
  const folded = words.map(foldWord);
  return { kind, text: folded.join(' '), query: formatPhrase(folded, '', false), analyses: [], weight };
}

function buildPart(lexeme: string, weight: number): Term {
  return { kind: 'words', text: lexeme, query: quoteLexeme(lexeme), analyses: [compoundConfiguration], weight };
}

/** Splits a code between letters and digits: many texts contain `SL-40` for `sl40`. */
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
 * For each word of a short question that no record has which rights and filters leave, the words of such records that resemble it.
 * Other records contribute nothing.
 */
export async function findTypos(
  client: PoolClient,
  tables: Tables,
  request: SearchRequest,
  /** Adds the values of the access rule and of the filters, and returns them as a condition. */
  restrict: (values: StatementValues) => string,
): Promise<Map<string, string[]>> {
  const suspects = [...new Set(listSuspects(request).map((word) => foldWord(word.toLowerCase())))].filter(mayBeTypo);
  const typos = new Map<string, string[]>();
  for (const word of suspects) {
    const values = new StatementValues();
    const exact = values.add(quoteLexeme(word), 'tsquery');
    const existence = await client.query<{ found: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM ${writeRecords(tables)} WHERE exact @@ ${exact} AND ${restrict(values)}) AS found`,
      values.list,
    );
    if (existence.rows[0]?.found) continue;
    const alternatives = new StatementValues();
    const beginning = Array.from(word)[0] ?? '';
    const begins = alternatives.add(`${quoteLexeme(beginning)}:*`, 'tsquery');
    const maxEdits = word.length > 5 ? 2 : 1;
    const [shortest, longest] = [word.length - maxEdits, word.length + maxEdits].map((length) =>
      alternatives.add(length, 'int'),
    );
    const { rows } = await client.query<{ lexeme: string }>(
      `SELECT DISTINCT lexeme FROM
         (SELECT exact FROM ${writeRecords(tables)} WHERE exact @@ ${begins} AND ${restrict(alternatives)} LIMIT ${maxScannedRows}) AS rows,
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

/**
 * The number of edits that make both texts equal (optimal string alignment distance). An edit inserts, removes or replaces a letter,
 * or swaps neighbours.
 */
export function countEdits(a: string, b: string): number {
  const [from, to] = [Array.from(a), Array.from(b)];
  // The last two lines of the table of distances, by the number of letters of `to`.
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [row, letter] of from.entries()) {
    const line = [row + 1];
    for (const [at, targetLetter] of to.entries()) {
      const cost = letter === targetLetter ? 0 : 1;
      const isSwapped = row > 0 && at > 0 && letter === to[at - 1] && from[row - 1] === targetLetter;
      line.push(
        Math.min(
          (line[at] ?? 0) + 1,
          (last[at + 1] ?? 0) + 1,
          (last[at] ?? 0) + cost,
          isSwapped ? (beforeLast[at - 1] ?? 0) + 1 : Infinity,
        ),
      );
    }
    beforeLast = last;
    last = line;
  }
  return last[to.length] ?? 0;
}
