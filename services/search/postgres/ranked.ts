import { writeReadableCondition, StatementValues } from '../../vector/pgvector-access';
import { findNearest } from '../../vector/pgvector-nearest';
import { createFieldError, findSearchField } from '../fields';
import type { SearchReply } from '../ports';
import { bestHits, combineScores, fuseRankings, computeVectorWeight, type Ranked } from '../ranking/fusion';
import { listLanguages, listLanguageWarnings } from '../ranking/model-languages';
import {
  groupByDocument,
  describePage,
  hybridVectors,
  chooseProblem,
  rankingDepth,
  validateQuery,
} from '../ranking/ranking';
import { readLanguage } from '../ranking/read-language';
import { embedForAll, groupIndexes, type VectorGroup } from '../ranking/vectors';
import { findPlaces } from '../refine/explain';
import { prepareSearch } from '../request';
import { hasSearchableText } from '../text-query';
import { countFacets } from './matches';
import { readPage } from './page';
import { readMappings, writeRecords, formatRestrictions } from './tables';
import { readTerms, type Term } from './terms';
import { readFacets, type PostgresTools, rankByWords, readQuestion } from './text';

/** A search by vectors, or by words and vectors, fused as for OpenSearch. */
export async function searchRanked(tools: PostgresTools): Promise<SearchReply> {
  const { client, tables, user, request } = tools;
  const { limit = 10, offset = 0 } = request;
  const query = validateQuery(request, prepareSearch(user, { ...request, filters: {} }));
  const isHybrid = request.mode === 'hybrid';
  const { embedded, problems } = await embedQuestion(tools, query);
  if (!isHybrid && embedded.length === 0 && problems.length > 0) throw chooseProblem(problems);
  const near: Ranked[][] = [];
  for (const { group, vector } of embedded)
    near.push(await rankByVectors(tools, group, { vector, limit: isHybrid ? hybridVectors : rankingDepth }));
  const { terms, hits: text } = isHybrid ? await rankForgiving(tools) : { terms: [], hits: undefined };
  const best = text && (await addLanguages(tools, text));
  const vectorWeight = computeVectorWeight(query, best, listLanguages(embedded, tools));
  const notes = listLanguageWarnings(query, { text: best, near, embedded }, tools);
  const order = text ? combineScores(text, near, { textDepth: rankingDepth, vectorWeight }) : fuseRankings(near);
  const groups = request.group ? groupByDocument(order) : order.map((best) => ({ best, records: 1 }));
  const page = groups.slice(offset, offset + limit);
  const placed = findPlaces(text, near);
  const read = await readPage(client, tables, user, { request, hits: page.map(({ best }) => best), terms });
  const documents = read.map(({ hit, document }) => {
    const group = page.find(({ best }) => best.id === hit.id && best.index === hit.index);
    return {
      ...document,
      ...(request.group && group?.best.document !== undefined
        ? { group: { document_id: group.best.document, records: group.records } }
        : {}),
      ...(document.explanation ? { explanation: { ...document.explanation, ...placed(hit) } } : {}),
    };
  });
  const facets = await countRanked(tools, order);
  const hasMore = offset + limit < groups.length;
  return describePage(request, { documents, total: order.length, hasMore, facets, problems, notes });
}

/** The best hits with the languages of their texts. */
async function addLanguages({ client, tables, user }: PostgresTools, hits: readonly Ranked[]): Promise<Ranked[]> {
  const best = hits.slice(0, bestHits);
  if (best.length === 0) return [];
  const values = new StatementValues();
  const list = (of: (hit: Ranked) => string) => values.add(best.map(of), 'text[]');
  const { rows } = await client.query<{ index: string; id: string; language: string | null }>(
    `SELECT index_name AS index, id, metadata ->> 'language' AS language FROM ${writeRecords(tables)}
     WHERE (index_name, id) IN (SELECT * FROM unnest(${list(({ index }) => index)}, ${list(({ id }) => id)})) AND ${writeReadableCondition(user, values.add)}`,
    values.list,
  );
  return best.map((hit) => {
    const language = readLanguage(rows.find(({ index, id }) => index === hit.index && id === hit.id)?.language);
    return { ...hit, ...(language === undefined ? {} : { language }) };
  });
}

/** By words; if nothing is found, as `searchText` does. */
async function rankForgiving(tools: PostgresTools): Promise<{ terms: readonly Term[]; hits: Ranked[] }> {
  const terms = await readQuestion(tools);
  const hits = await rankByWords(tools, terms, rankingDepth);
  if (hits.length > 0 || tools.tables.size === 0) return { terms, hits };
  const wide = await readTerms(tools.client, tools.tables, tools.request.query ?? '', { isLastResort: true });
  return { terms: wide, hits: await rankByWords(tools, wide, rankingDepth) };
}

/** The question as a vector of each group of tables that hold readable vectors, and why that did not work for others. */
async function embedQuestion(tools: PostgresTools, query: string) {
  const { client, tables, user, request, mayAsk } = tools;
  const mappings = await readMappings(client, tables, user, request);
  const { groups, left } = groupIndexes(mappings, request.embedding, mayAsk);
  if (request.mode !== 'hybrid' && groups.length === 0 && left.length === 0 && (await hasReadable(tools)))
    throw createFieldError(
      request.embedding === undefined ? 'mode' : 'embedding',
      `None of the tables with documents that you may read holds vectors${request.embedding ? ' of this embedder' : ''}. Use the mode text.`,
    );
  // Feature hashing only compares words; punctuation alone has no meaning.
  const isOfUse = ({ embedding }: VectorGroup) => hasSearchableText(query) && embedding.type !== 'hashing';
  const used = request.mode === 'hybrid' ? groups.filter(isOfUse) : groups;
  const { embedded, failed } = await embedForAll(tools, query, used);
  return { embedded, problems: [...left, ...failed] };
}

async function hasReadable({ client, tables, user, request }: PostgresTools): Promise<boolean> {
  if (tables.size === 0) return false;
  const values = new StatementValues();
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM ${writeRecords(tables)} WHERE ${formatRestrictions(user, request, values)}) AS found`,
    values.list,
  );
  return rows[0]?.found ?? false;
}

async function rankByVectors(
  { client, user, request }: PostgresTools,
  { indexes, space = 'l2' }: VectorGroup,
  { vector, limit }: { vector: number[]; limit: number },
): Promise<Ranked[]> {
  const rankings: Ranked[] = [];
  for (const index of indexes) {
    const values = new StatementValues();
    const condition = formatRestrictions(user, request, values);
    const rows = await findNearest(client, index, { vector, limit, space, condition, values });
    for (const { id, document_id: document, distance } of rows)
      rankings.push({ index, id, document, score: computeScore(distance, space) });
  }
  return rankings.toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1)).slice(0, limit);
}

/** Higher for nearer vectors, and as far apart as the vectors are. */
function computeScore(distance: number, space: string): number {
  if (space === 'cosinesimil') return 1 - distance;
  return space === 'l2' ? -(distance ** 2) : -distance;
}

async function countRanked({ client, tables, user, request }: PostgresTools, order: readonly Ranked[]) {
  if (!request.facets?.length) return undefined;
  if (order.length === 0) return readFacets(request, {});
  const values = new StatementValues();
  const { add } = values;
  const list = (of: (hit: Ranked) => string) => add(order.map(of), 'text[]');
  const facets = countFacets(request, tables, { add, fieldOf: (name) => findSearchField('facets', name) });
  const matches = `matches AS (SELECT ranked.* FROM unnest(${list(({ index }) => index)}, ${list(({ id }) => id)}) AS ranked (index_name, id)
    JOIN ${writeRecords(tables)} ON records.index_name = ranked.index_name AND records.id = ranked.id WHERE ${writeReadableCondition(user, add)})`;
  const { rows } = await client.query<Record<string, unknown>>(
    `WITH ${[matches, ...facets.expressions].join(',\n')} SELECT ${facets.columns.join(', ')}`,
    values.list,
  );
  return readFacets(request, rows[0] ?? {});
}
