import type { User } from '../../model/access';
import { searchSettings } from '../../model/config/search';
import { createAdmission } from './admission/admission';
import { runWithin, type Turn } from './admission/run-within';
import { createAnswerError, getConcreteName, type SearchCall, type SearchConnection, type Send } from './connection';
import { getExactPath, type FieldTypes, createFieldError, type SearchField } from './fields';
import { listRangedFields } from './filters';
import { toDocument, buildGrouping, buildHighlighting, type Hit, type Hits, shownFields } from './hits';
import {
  type HoldingAnswer,
  readHoldings,
  buildHoldingsSearch,
  type JudgementAnswer,
  readJudgement,
  buildJudgementSearch,
} from './holdings';
import {
  chooseCopy,
  createKnowledge,
  buildHeadSearch,
  type SearchLines,
  sendChecked,
  widenKnowledge,
} from './knowledge';
import type { DocumentReply, IndexHoldings, SearchRequest, SearchReply, Suggestion, SuggestRequest } from './ports';
import { searchRanked } from './ranking/ranking';
import { listReadableIndexes } from './ranking/readable';
import type { RankingTools } from './ranking/tools';
import { buildExplainBody } from './refine/explain';
import { buildFacetAggregations, countApart, listIntervalFields, readFacets } from './refine/facets';
import { loadReadableTypes } from './refine/field-types';
import { loadNeighbours } from './refine/neighbours';
import { suggestBody, listSuggestions } from './refine/suggest';
import { findReadableAlternatives, createSynonyms } from './refine/synonyms';
import { findUnseenWords } from './refine/unseen-words';
import { buildAccessRule, type PreparedSearch, prepareSearch } from './request';
import type { TextKnowledge } from './text-query';

/** The queries of the api. All fail with SEARCH_CONNECTION_FAILED within 10 s when the server does not answer. */
export interface DocumentQueries extends IndexHoldings {
  get(user: User, id: string, store?: SearchRequest['store']): Promise<DocumentReply | undefined>;
  /** SEARCH_BUSY when too many searches wait. A search whose `signal` aborts is cancelled in the engine. */
  search(user: User, request: SearchRequest, signal?: AbortSignal): Promise<SearchReply>;
  /** Based only on documents that the user may read. */
  suggest(user: User, request: SuggestRequest, signal?: AbortSignal): Promise<Suggestion[]>;
}

/** The most hits that the engine pages through by offset. Later pages are read from a point in time. */
const window = 10_000;
const defaultMaxSearches = Number(searchSettings.SEARCH_CONCURRENCY.default);

/** Queries over everything that has joined the read alias. An alias that does not exist yet is empty. */
export function createQueries(
  connection: SearchConnection,
  alias: string,
  queries: (user: User) => Pick<RankingTools, 'embedder' | 'mayAsk' | 'builtin'>,
  maxSearches = defaultMaxSearches,
): DocumentQueries {
  const admission = createAdmission(maxSearches);
  const takeTurn = ({ username }: User, gone?: AbortSignal): Turn => ({
    gone,
    enter: (signal) => admission.enter(username, signal),
  });
  // Searches share what these calls read, so a caller that leaves must not end them.
  const sendShared: Send = (call) => runWithin(connection, (send) => send(call));
  const index = encodeURIComponent(alias);
  const readSynonyms = createSynonyms(index);
  const readKnowledge = createKnowledge(index);
  const absentIsEmpty = { ignore_unavailable: true, allow_no_indices: true };
  const searchCall = (body: Record<string, unknown>, user?: User): SearchCall => ({
    method: 'POST',
    path: `/${index}/_search`,
    query: { ...absentIsEmpty, allow_partial_search_results: false, ...(user ? { preference: chooseCopy(user) } : {}) },
    body,
  });

  return {
    ...createReads(connection, searchCall),
    suggest: (user, request, gone) => {
      const work = async (send: Send) => {
        const body = suggestBody(user, await resolveIndexes(send, request, alias));
        return body === undefined ? [] : listSuggestions((await send(searchCall(body))) as Hits | undefined, request);
      };
      return runWithin(connection, work, takeTurn(user, gone));
    },
    search: (user, request, gone) => {
      const work = async (send: Send, signal: AbortSignal) => {
        const paths = [...listRangedFields(request.filters), ...listIntervalFields(request)];
        const [textKnowledge, synonyms, types, located] = await Promise.all([
          readKnowledge(sendShared, request),
          readSynonyms(sendShared),
          loadReadableTypes(send, index, { user, paths }),
          resolveIndexes(send, request, alias),
        ]);
        const alternatives = await findReadableAlternatives(request.query ?? '', synonyms, () =>
          listReadableIndexes({ send, alias }, prepareSearch(user, located, textKnowledge, types).filter),
        );
        const knowledge = alternatives.length > 0 ? { ...textKnowledge, alternatives } : textKnowledge;
        if (request.mode === 'vector' || request.mode === 'hybrid') {
          const tools = { ...queries(user), send, alias, address: connection.address, signal, knowledge, types };
          return await searchRanked(tools, user, located);
        }
        const tools = { send, index, alias, address: connection.address, call: searchCall };
        return await searchText(tools, user, located, { knowledge, types });
      };
      return runWithin(connection, work, takeTurn(user, gone));
    },
  };
}

/** Calls that take the engine little time, and therefore wait for no turn. */
function createReads(
  connection: SearchConnection,
  searchCall: (body: Record<string, unknown>) => SearchCall,
): Pick<DocumentQueries, 'get' | 'listHoldings' | 'judge'> {
  return {
    get: (user, id) =>
      runWithin(connection, async (send) => {
        const query = { bool: { filter: [{ ids: { values: [id] } }, buildAccessRule(user)] } };
        const sort = [{ updated_at: { order: 'desc', unmapped_type: 'date' } }];
        const hits = (await send(searchCall({ query, sort, size: 1, _source: shownFields }))) as Hits | undefined;
        const hit = hits?.hits.hits[0];
        return hit && toDocument(hit);
      }),
    listHoldings: (documentId) =>
      runWithin(connection, async (send) =>
        readHoldings((await send(searchCall(buildHoldingsSearch(documentId)))) as HoldingAnswer | undefined),
      ),
    judge: (documentId, reader) =>
      runWithin(connection, async (send) =>
        readJudgement(
          (await send(searchCall(buildJudgementSearch(documentId, reader)))) as JudgementAnswer | undefined,
        ),
      ),
  };
}

/** The input of a search by words. */
interface TextTools {
  send: Send;
  /** The read alias, encoded. */
  index: string;
  alias: string;
  /** The server, for messages. */
  address: string;
  call: (body: Record<string, unknown>, user: User) => SearchCall;
}

async function searchText(
  tools: TextTools,
  user: User,
  request: SearchRequest,
  { knowledge, types }: { knowledge: TextKnowledge; types: FieldTypes },
): Promise<SearchReply> {
  const { send, index } = tools;
  const prepared = prepareSearch(user, request, knowledge, types);
  const { limit, offset } = prepared;
  const isDeep = offset + limit > window;
  if (isDeep && request.group)
    throw createFieldError('offset', `offset plus limit is ${offset + limit}; with group, pages end at ${window}.`);
  const sort = await buildSort(prepared, request.query, (paths) => loadReadableTypes(send, index, { user, paths }));
  const buildWordingFor = (known: TextKnowledge) =>
    buildWording(request, known === knowledge ? prepared : prepareSearch(user, request, known, types), {
      sort,
      types,
      isDeep,
    });
  const { wording, answer } = await searchForgiving(tools, user, request, { knowledge, buildWordingFor });
  const { body, shown } = wording;
  const total = answer?.hits.total.value ?? 0;
  const pageOfHits =
    isDeep && offset < total
      ? await listDeepHits(send, index, body, { limit, offset, shown })
      : (answer?.hits.hits ?? []);
  const hits = pageOfHits.slice(0, limit);
  const responses = hits.map((hit) => toDocument(hit, request));
  const distance = request.expand ?? 0;
  const documents =
    distance > 0 ? await loadNeighbours(send, index, { user, hits, documents: responses, distance }) : responses;
  const hasMore = request.group ? pageOfHits.length > limit : offset + documents.length < total && documents.length > 0;
  const apart = await countApart(send, request, { types, query: body['query'] });
  const facets = readFacets(request, { ...answer?.aggregations, ...apart });
  return { documents, total, limit, offset, has_more: hasMore, ...(facets ? { facets } : {}) };
}

/** A search with one reading of its words. */
interface Wording extends Pick<PreparedSearch, 'filter'> {
  /** Query and order. */
  body: Record<string, unknown>;
  /** The requested parts of each hit. */
  shown: Record<string, unknown>;
  hasWords: boolean;
  /** The body for the page and the counts. */
  page: Record<string, unknown>;
}

function buildWording(
  request: SearchRequest,
  { query, fullText, filter, limit, offset }: PreparedSearch,
  { sort, types, isDeep }: { sort: Record<string, unknown>[]; types: FieldTypes; isDeep: boolean },
): Wording {
  const body = { query, sort, track_scores: true };
  const shown = { _source: shownFields, ...buildExplainBody(request), ...buildHighlighting(request, fullText) };
  // Groups are not counted; one more than requested shows whether there is a next page.
  const size = limit + (request.group && offset + limit < window ? 1 : 0);
  // The hits of a deep page are read separately.
  const hits = isDeep ? { size: 0 } : { size, from: offset, ...buildGrouping(request), ...shown };
  const counts = { track_total_hits: true, ...buildFacetAggregations(request, types) };
  return { body, shown, filter, hasWords: fullText.length > 0, page: { ...body, ...hits, ...counts } };
}

/**
 * Searches for the exact words, and corrects typing errors in words that no record contains that rights and filters leave. If the page shows all
 * matches, words that it lacks most likely occur nowhere, so the check is sent together with the corrected search. Otherwise
 * most of them occur in records beyond the page, and the corrected search, which takes several times as long, waits for the
 * check.
 */
async function searchForgiving(
  { send, alias, address, call }: TextTools,
  user: User,
  request: SearchRequest,
  { knowledge, buildWordingFor }: { knowledge: TextKnowledge; buildWordingFor: (known: TextKnowledge) => Wording },
): Promise<{ wording: Wording; answer: Hits | undefined }> {
  const ask = async (wording: Wording) => ({
    wording,
    answer: (await send(call(wording.page, user))) as Hits | undefined,
  });
  let reply = await ask(buildWordingFor(knowledge));
  const suspects = findUnseenWords(reply.answer, request);
  if (suspects.length > 0) {
    const wording = buildWordingFor({ ...knowledge, unknown: suspects });
    const isAllShown = showsAll(reply.answer);
    const searches: SearchLines[] = isAllShown ? [[buildHeadSearch(alias, user), wording.page]] : [];
    const checked = { user, alias, suspects, filter: wording.filter };
    const { answers, unknown } = await sendChecked(send, searches, checked);
    const [answer] = answers;
    if (answer?.error) throw createAnswerError(answer, address);
    if (answer && unknown.length === suspects.length) reply = { wording, answer };
    else if (unknown.length > 0) reply = await ask(buildWordingFor({ ...knowledge, unknown }));
  }
  const isInVain = reply.answer?.hits.total.value === 0 && reply.wording.hasWords;
  return isInVain ? ask(buildWordingFor(widenKnowledge(knowledge, request))) : reply;
}

function showsAll(answer: Hits | undefined): boolean {
  return answer === undefined || answer.hits.total.value <= answer.hits.hits.length;
}

/** The request with the index names of the engine: an alias is replaced by its indexes, the read alias by its own. */
async function resolveIndexes<Scoped extends Pick<SearchRequest, 'scope'>>(
  send: Send,
  request: Scoped,
  alias: string,
): Promise<Scoped> {
  const { indexes, ...scope } = request.scope ?? {};
  if (!indexes) return request;
  const concreteNames = await Promise.all(
    indexes.map(async (name) => {
      const held = (await send({ method: 'GET', path: `/_alias/${encodeURIComponent(name)}` })) as object | undefined;
      return held ? Object.keys(held) : [name, getConcreteName(name, alias)];
    }),
  );
  return { ...request, scope: { ...scope, indexes: [...new Set(concreteNames.flat())] } };
}

/** The request's order, or best match first, or newest first; equal entries by id, so that pages do not overlap. */
async function buildSort(
  { sort }: PreparedSearch,
  query: string | undefined,
  readTypes: (paths: string[]) => Promise<FieldTypes>,
): Promise<Record<string, unknown>[]> {
  const tieBreak = { id: { order: 'asc', unmapped_type: 'keyword' } };
  if (sort.length === 0) {
    const first =
      query === undefined || query.trim() === ''
        ? { created_at: { order: 'desc', unmapped_type: 'date' } }
        : { _score: { order: 'desc' } };
    return [first, tieBreak];
  }
  const metadata = sort.flatMap(({ field }) => (field === '_score' || field.kind !== 'metadata' ? [] : [field.path]));
  const types = await readTypes(metadata);
  const entries = sort.map(({ field, order }) => {
    if (field === '_score') return { _score: { order } };
    const path = field.kind === 'metadata' ? getSortablePath(field, types.get(field.path)) : getExactPath(field);
    const isNumeric = field.kind === 'metadata' && path === field.path;
    const onlyIn = isNumeric ? types.get(path)?.onlyIn : undefined;
    if (onlyIn) return sortWithin(onlyIn, path, order);
    const unmappedType = isNumeric ? 'double' : 'keyword';
    return { [path]: { order, missing: '_last', unmapped_type: field.kind === 'date' ? 'date' : unmappedType } };
  });
  return [...entries, tieBreak];
}

/** Sorts by numbers of these indexes, because the field has another type in others, which would refuse to sort. */
function sortWithin(indexes: readonly string[], path: string, order: 'asc' | 'desc'): Record<string, unknown> {
  const source =
    "if (!params.indexes.contains(doc['_index'].value) || doc[params.path].size() == 0) return params.missing;" +
    ' return doc[params.path][params.last ? doc[params.path].size() - 1 : 0];';
  const isLast = order === 'desc';
  const missing = isLast ? -Number.MAX_VALUE : Number.MAX_VALUE;
  const script = { lang: 'painless', source, params: { indexes, path, missing, last: isLast } };
  return { _script: { type: 'number', order, script } };
}

/** Numbers sort as numbers; texts, and fields that hold both, by their exact text. */
function getSortablePath(field: SearchField, types: ReadonlySet<string> | undefined): string {
  if (!types || types.size === 0) {
    throw createFieldError(
      'sort',
      `Documents cannot be sorted by '${field.given}': no document that you may read has a value there.`,
      field.given,
    );
  }
  const isNumeric = [...types].every((type) => ['double', 'long', 'unmapped'].includes(type));
  return isNumeric ? field.path : getExactPath(field);
}

/** A page beyond the engine's window, from a point in time: all hits before it are requested first, without their content. */
async function listDeepHits(
  send: Send,
  index: string,
  body: Record<string, unknown>,
  page: { limit: number; offset: number; shown: Record<string, unknown> },
): Promise<Hit[]> {
  const opened = (await send({
    method: 'POST',
    path: `/${index}/_search/point_in_time`,
    query: { keep_alive: '1m' },
  })) as { pit_id: string } | undefined;
  if (!opened) return [];
  let pit = opened.pit_id;
  const step = async (size: number, after: unknown[] | undefined, fields: Record<string, unknown>) => {
    const reply = (await send({
      method: 'POST',
      path: '/_search',
      body: {
        ...body,
        pit: { id: pit, keep_alive: '1m' },
        size,
        ...fields,
        track_total_hits: false,
        ...(after ? { search_after: after } : {}),
      },
    })) as (Hits & { pit_id?: string }) | undefined;
    pit = reply?.pit_id ?? pit;
    return reply?.hits.hits ?? [];
  };
  try {
    let after: unknown[] | undefined;
    for (let left = page.offset; left > 0; left -= window) {
      const size = Math.min(left, window);
      const skipped = await step(size, after, { _source: false });
      if (skipped.length < size) return [];
      after = skipped.at(-1)?.sort;
    }
    return await step(page.limit, after, page.shown);
  } finally {
    await send({ method: 'DELETE', path: '/_search/point_in_time', body: { pit_id: [pit] } });
  }
}
