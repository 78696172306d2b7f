import type { PoolClient } from 'pg';
import type { User } from '../../../model/access';
import { StatementValues } from '../../vector/pgvector-access';
import { findSearchField } from '../fields';
import type { DocumentReply, Facet, SearchRequest, SearchReply } from '../ports';
import type { RankingTools } from '../ranking/tools';
import { prepareSearch } from '../request';
import { countFacets, buildMatches, type MatchInput } from './matches';
import { type PageHit, readPage } from './page';
import { formatRestrictions, type Tables } from './tables';
import { findTypos, readTerms, type Term, splitQueryWords } from './terms';

/** The input of one search in its transaction. */
export interface PostgresTools extends Pick<RankingTools, 'embedder' | 'mayAsk' | 'builtin' | 'signal'> {
  client: PoolClient;
  tables: Tables;
  user: User;
  request: SearchRequest;
}

/** The terms of the question: with corrected typing errors. */
export async function readQuestion(tools: PostgresTools): Promise<Term[]> {
  const { client, tables, user, request } = tools;
  const { query = '' } = request;
  if (splitQueryWords(query).length === 0 || tables.size === 0) return [];
  const typos = await findTypos(client, tables, request, (values) => formatRestrictions(user, request, values));
  return readTerms(client, tables, query, { typos });
}

interface Answer extends Record<string, unknown> {
  total: number;
  page: { index_name: string; id: string; document_id: string; records: number }[];
}

/** A search by words, or a list of everything without words. */
export async function searchText(tools: PostgresTools): Promise<SearchReply> {
  const { client, tables, request } = tools;
  const { limit = 10, offset = 0 } = request;
  const empty = { documents: [], total: 0, limit, offset, has_more: false };
  const facetsOfNone = request.facets?.length
    ? { facets: request.facets.map(({ field }) => createEmptyFacet(field)) }
    : {};
  if (tables.size === 0) return { ...empty, ...facetsOfNone };
  const isQuestion = (request.query ?? '').trim() !== '';
  let terms = await readQuestion(tools);
  if (isQuestion && splitQueryWords(request.query ?? '').length === 0) return { ...empty, ...facetsOfNone };
  let answer = await readMatches(tools, terms);
  if (answer.total === 0 && isQuestion) {
    terms = await readTerms(client, tables, request.query ?? '', { isLastResort: true });
    answer = await readMatches(tools, terms);
  }
  const pageHits = answer.page.slice(0, limit);
  const hits = pageHits.map(({ index_name: index, id }) => ({ index, id }));
  const read = await readPage(client, tables, tools.user, { request, hits, terms });
  const documents = read.map(({ hit, document }) => addGroup(document, pageHits, hit, request));
  const facets = readFacets(request, answer);
  return {
    documents,
    total: answer.total,
    limit,
    offset,
    has_more: answer.page.length > limit,
    ...(facets ? { facets } : {}),
  };
}

function addGroup(document: DocumentReply, groups: Answer['page'], hit: PageHit, { group }: SearchRequest) {
  const row = groups.find(({ index_name: index, id }) => index === hit.index && id === hit.id);
  return group && row ? { ...document, group: { document_id: row.document_id, records: row.records } } : document;
}

const createEmptyFacet = (field: string): Facet => ({ field, values: [], other: 0 });

/** The counted values of a statement with the columns of `countFacets`. */
export function readFacets({ facets }: SearchRequest, answer: Record<string, unknown>): Facet[] | undefined {
  if (!facets || facets.length === 0) return undefined;
  return facets.map(({ field }, at) => {
    const counted = answer[`facet_${at}`] as { values: { value: string; count: number }[]; all: number } | undefined;
    const values = counted?.values ?? [];
    return { field, values, other: (counted?.all ?? 0) - values.reduce((sum, { count }) => sum + count, 0) };
  });
}

async function readMatches({ client, tables, user, request }: PostgresTools, terms: readonly Term[]): Promise<Answer> {
  // A question without a word that counts finds nothing; no question finds everything.
  const isQuestion = (request.query ?? '').trim() !== '';
  if (isQuestion && !terms.some(({ kind }) => kind !== 'pair')) return { total: 0, page: [] };
  const values = new StatementValues();
  const { add } = values;
  const { limit = 10, offset = 0 } = request;
  const { sort } = prepareSearch(user, { ...request, filters: {} });
  const input: MatchInput = { tables, request, condition: formatRestrictions(user, request, values), terms, sort, add };
  const { expressions, order } = buildMatches(input);
  const facets = countFacets(request, tables, { add, fieldOf: (name) => findSearchField('facets', name) });
  const rows = request.group
    ? `SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY document_id ORDER BY ${order}) AS place, count(*) OVER (PARTITION BY document_id)::int AS records FROM matches) AS grouped WHERE place = 1`
    : 'SELECT *, 1 AS records FROM matches';
  const { rows: answers } = await client.query<Answer>(
    `WITH ${[...expressions, ...facets.expressions].join(',\n')}
     SELECT (SELECT count(*)::int FROM matches) AS total,
       (SELECT coalesce(json_agg(page), '[]') FROM (SELECT index_name, id, document_id, records FROM (${rows}) AS hits
         ORDER BY ${order} LIMIT ${add(limit + 1, 'int')} OFFSET ${add(offset, 'int')}) AS page) AS page
       ${facets.columns.map((column) => `, ${column}`).join('')}`,
    values.list,
  );
  return answers[0] ?? { total: 0, page: [] };
}

/** The best records by words, with their scores. */
export async function rankByWords(
  { client, tables, user, request }: PostgresTools,
  terms: readonly Term[],
  depth: number,
): Promise<{ index: string; id: string; document: string; score: number }[]> {
  if (!terms.some(({ kind }) => kind !== 'pair')) return [];
  const values = new StatementValues();
  const condition = formatRestrictions(user, request, values);
  const { expressions, order } = buildMatches({ tables, request, condition, terms, sort: [], add: values.add });
  const { rows } = await client.query<{ index: string; id: string; document: string; score: number }>(
    `WITH ${expressions.join(',\n')} SELECT index_name AS index, id, document_id AS document, score FROM matches ORDER BY ${order} LIMIT ${values.add(depth, 'int')}`,
    values.list,
  );
  return rows;
}
