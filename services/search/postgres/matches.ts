import type { AddValue } from '../../vector/pgvector-access';
import type { Described } from '../../vector/pgvector-catalogue';
import { quoteText } from '../../vector/pgvector-connection';
import type { SearchField } from '../fields';
import type { SearchRequest } from '../ports';
import type { PreparedSearch } from '../request';
import { writeText, writeValues } from './conditions';
import { writeRecords } from './tables';
import type { Term } from './terms';

/**
 * The usual constants of BM25, and the weight of a title. Titles and unchanged words weigh otherwise than in OpenSearch: its weights
 * cost 0.007 of nDCG@10 on Cranfield here.
 */
const [k1, b, titleWeight] = [1.2, 0.75, 0.5];
/** Ranks of a single word are a sum over its positions of 1/n², divided by π²/6; the remainder gives the number of positions. */
const limit = Math.PI ** 2 / 6;
const timeColumns: Readonly<Record<string, string>> = { created_at: 'created_time', updated_at: 'updated_time' };

/** The parts of a statement for matches. */
export interface MatchInput {
  tables: ReadonlyMap<string, Described>;
  request: SearchRequest;
  /** The access rule and the restrictions of the request. */
  condition: string;
  /** Empty if the request has no words. */
  terms: readonly Term[];
  sort: PreparedSearch['sort'];
  add: AddValue;
}

/**
 * Common table expressions up to `matches`: the rows that satisfy the condition and have one of the words, with their scores by BM25.
 * Frequencies are counted in rows that the user may read, so that the order reveals nothing about others.
 */
export function buildMatches(input: MatchInput): { expressions: string[]; order: string } {
  const { tables, request, condition, terms, add } = input;
  const sorts = buildSorts(input);
  const ownColumns = ['index_name', 'id', 'document_id', 'created_time', 'updated_time'];
  const columns = [...ownColumns, ...sorts.columns].join(', ');
  const names = [...ownColumns, ...sorts.columns.map((column) => column.replace(/^.* AS /s, ''))].join(', ');
  if (terms.length === 0)
    return {
      expressions: [`matches AS (SELECT ${columns}, 0 AS score FROM ${writeRecords(tables)} WHERE ${condition})`],
      order: sorts.order ?? 'created_time DESC NULLS LAST, id COLLATE "C", index_name',
    };
  const any = (kind: Term['kind']) => {
    const queries = terms.filter((term) => term.kind === kind).map(({ query }) => `(${query})`);
    return queries.length === 0 ? "''::tsquery" : add(queries.join(' | '), 'tsquery');
  };
  const factor = (name: string) => add(request.boost?.fields?.[name] ?? 1, 'float8');
  const frequency = (weights: string) =>
    `(SELECT CASE WHEN rank < 0.5 THEN 0 ELSE 1 / greatest(${limit} * (1 - rank), 0.004) - 0.5 END
      FROM ts_rank('${weights}'::real[], words, term.query) AS rank)`;
  return {
    order: sorts.order ?? 'score DESC, id COLLATE "C", index_name',
    expressions: [
      `terms AS MATERIALIZED (SELECT ordinality AS n, item ->> 'kind' AS kind, (item ->> 'query')::tsquery AS query,
         ARRAY(SELECT jsonb_array_elements_text(item -> 'analyses')) AS analyses, (item ->> 'weight')::float8 AS weight
       FROM jsonb_array_elements(${add(JSON.stringify(terms), 'jsonb')}) WITH ORDINALITY AS items (item, ordinality))`,
      // One pass over the rows: joined with the terms, each pair of row and term would decompress the words again.
      `candidates AS MATERIALIZED (
         SELECT ${names}, word_count, found.* FROM
           (SELECT ${columns}, analysis, word_count, words || '' AS words, exact || '' AS exact FROM ${writeRecords(tables)}
            WHERE (words @@ ${any('words')} OR exact @@ ${any('exact')}) AND ${condition} OFFSET 0) AS row,
           LATERAL (SELECT array_agg(n) AS terms,
             array_agg(CASE kind WHEN 'words' THEN ${frequency('{1,0,0,0}')} ELSE 1 END) AS contents,
             array_agg(CASE kind WHEN 'words' THEN ${frequency('{0,0,0,1}')} ELSE 0 END) AS titles
           FROM terms AS term
           WHERE CASE kind WHEN 'words' THEN analysis = ANY(term.analyses) AND words @@ term.query ELSE exact @@ term.query END
           OFFSET 0) AS found)`,
      `facts AS MATERIALIZED (SELECT greatest(count(*), ${estimateRows(tables)}) AS rows, greatest(avg(word_count), 1) AS length FROM candidates)`,
      `found AS MATERIALIZED (
         SELECT index_name, id, word_count, term.n, term.kind, term.weight, one.contents, one.titles
         FROM candidates, unnest(terms, contents, titles) AS one (n, contents, titles) JOIN terms AS term USING (n))`,
      `rarities AS (SELECT n, ln(1 + (facts.rows - count(*) + 0.5) / (count(*) + 0.5)) AS rarity FROM found, facts GROUP BY n, facts.rows)`,
      `scores AS (
         SELECT index_name, id, sum(weight * rarity * (
           ${factor('content')} * contents * ${k1 + 1} / (contents + ${k1} * (1 - ${b} + ${b} * word_count / facts.length))
           + ${titleWeight} * ${factor('title')} * titles * ${k1 + 1} / (titles + ${k1}))) AS score
         FROM found JOIN rarities USING (n), facts GROUP BY index_name, id HAVING bool_or(kind <> 'pair'))`,
      `matches AS (SELECT ${names},
         score * ${formatRecency(request, add)} AS score FROM scores JOIN candidates USING (index_name, id))`,
    ],
  };
}

/** The planner's estimate of all rows, readable or not. It changes slowly and is never shown. */
function estimateRows(tables: MatchInput['tables']): string {
  const names = [...tables.keys()].map(quoteText).join(', ');
  return `(SELECT coalesce(sum(greatest(reltuples, 0)), 0) FROM pg_class WHERE relkind = 'r' AND relname IN (${names}) AND pg_table_is_visible(oid))`;
}

/** In whole days, so that all pages of a search have the same order. */
function formatRecency({ boost }: SearchRequest, add: AddValue): string {
  if (!boost?.recency) return '1';
  const { field = 'created_at', half_life_days: days, weight = 1 } = boost.recency;
  const age = `abs(extract(epoch FROM date_trunc('day', now()) - ${timeColumns[field]})) / 86400`;
  return `(1 + ${add(weight, 'float8')} * coalesce(power(0.5::float8, (${age})::float8 / ${add(Math.ceil(days), 'float8')}), 0))`;
}

/** The columns and the order of a sorted search: numbers before texts, rows without a value last. */
function buildSorts({ sort, add }: MatchInput): { columns: string[]; order: string | undefined } {
  if (sort.length === 0) return { columns: [], order: undefined };
  const columns: string[] = [];
  const order = sort.flatMap(({ field, order: direction }, at) => {
    const way = direction === 'desc' ? 'DESC' : 'ASC';
    if (field === '_score') return [`score ${way}`];
    if (field.kind !== 'metadata') {
      const column = field.kind === 'date' ? timeColumns[field.path] : `${writeText(field)} COLLATE "C"`;
      columns.push(`${column} AS sort_${at}`);
      return [`sort_${at} ${way} NULLS LAST`];
    }
    const choose = direction === 'desc' ? 'max' : 'min';
    const values = writeValues(field, add);
    const chosen = (value: string, type: string) =>
      `(${values.replace('SELECT 1', `SELECT ${choose}(${value})`)} AND jsonb_typeof(item) ${type} 'number')`;
    columns.push(
      `${chosen("CASE jsonb_typeof(item) WHEN 'number' THEN (item #>> '{}')::numeric END", '=')} AS sort_${at}`,
      `${chosen(`(item #>> '{}') COLLATE "C"`, '<>')} AS sort_${at}_text`,
    );
    return [`sort_${at} ${way} NULLS LAST`, `sort_${at}_text ${way} NULLS LAST`];
  });
  return { columns, order: [...order, 'id COLLATE "C"', 'index_name'].join(', ') };
}

const intervals = ['year', 'month', 'week', 'day'];

/** The values of one record that a facet counts. */
function writeFacetValues(field: SearchField, unit: string, add: AddValue): string {
  if (field.kind === 'date') {
    const column = timeColumns[field.path];
    return `SELECT to_char(date_trunc('${unit}', ${column} AT TIME ZONE 'UTC'), 'YYYY-MM-DD') AS value WHERE ${column} IS NOT NULL`;
  }
  if (field.kind !== 'metadata') return `SELECT ${writeText(field)} AS value`;
  return writeValues(field, add).replace('SELECT 1', "SELECT DISTINCT item #>> '{}' AS value");
}

/** Counts of values among `matches`: common table expressions, and a column of the answer for each facet. */
export function countFacets(
  { facets = [] }: SearchRequest,
  tables: MatchInput['tables'],
  { add, fieldOf }: { add: AddValue; fieldOf: (name: string) => SearchField },
): { expressions: string[]; columns: string[] } {
  const expressions: string[] = [];
  const columns: string[] = [];
  for (const [at, { field: name, limit = 10, interval }] of facets.entries()) {
    const field = fieldOf(name);
    const unit = intervals.find((item) => item === (interval ?? 'month')) ?? 'month';
    const value = writeFacetValues(field, unit, add);
    expressions.push(
      `facet_${at} AS (SELECT value, count(*)::int AS count FROM
         (SELECT records.* FROM matches AS hit JOIN ${writeRecords(tables)} ON records.index_name = hit.index_name AND records.id = hit.id) AS records,
         LATERAL (${value}) AS counted GROUP BY value)`,
    );
    const order = field.kind === 'date' ? 'value COLLATE "C" DESC' : 'count DESC, value COLLATE "C"';
    columns.push(
      `(SELECT json_build_object('values', coalesce(json_agg(top), '[]'), 'all', (SELECT coalesce(sum(count), 0)::int FROM facet_${at}))
        FROM (SELECT value, count FROM facet_${at} ORDER BY ${order} LIMIT ${add(limit, 'int')}) AS top) AS facet_${at}`,
    );
  }
  return { expressions, columns };
}
