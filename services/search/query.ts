import type { User } from '../../model/access';
import { AppError } from '../../model/errors';
import type { Embedder } from '../embedding/embedder';
import type { DocumentResponse, SearchRequest, SearchResponse } from './ports';
import { engineError, type SearchCall, type SearchConnection, type Send } from './connection';
import { documentOf, highlighting, type Hit, type Hits, shownFields } from './hits';
import { rankedSearch } from './ranking';
import { accessRule, exactPath, invalid, type PreparedSearch, prepareSearch, type SearchField } from './request';
import { know, lastResort } from './knowledge';
import type { MayAsk } from './vectors';

/** The two ways in. Both fail with SEARCH_CONNECTION_FAILED within 10 s when the server does not answer. */
export interface DocumentQueries {
  get(user: User, id: string): Promise<DocumentResponse | undefined>;
  search(user: User, request: SearchRequest): Promise<SearchResponse>;
}

/** All calls of one request together, so that a caller waits less than 10 s. */
const deadlineMs = 9_000;
/** The most hits that the engine pages through by offset; beyond, points in time are used. */
const window = 10_000;

/** Queries over everything that has joined the read alias. An alias that does not exist yet is empty. */
export function createQueries(
  connection: SearchConnection,
  alias: string,
  queries: { embedder: Embedder; mayAsk: MayAsk },
): DocumentQueries {
  const index = encodeURIComponent(alias);
  const absentIsEmpty = { ignore_unavailable: true, allow_no_indices: true };
  const searchCall = (body: Record<string, unknown>): SearchCall => ({
    method: 'POST',
    path: `/${index}/_search`,
    query: { ...absentIsEmpty, allow_partial_search_results: false },
    body,
  });

  return {
    get: (user, id) =>
      within(connection, async (send) => {
        const query = { bool: { filter: [{ ids: { values: [id] } }, accessRule(user)] } };
        const sort = [{ updated_at: { order: 'desc', unmapped_type: 'date' } }];
        const found = (await send(searchCall({ query, sort, size: 1, _source: shownFields }))) as Hits | undefined;
        const hit = found?.hits.hits[0];
        return hit && documentOf(hit);
      }),
    search: (user, request) =>
      within(connection, async (send, signal) => {
        if (request.mode === 'vector' || request.mode === 'hybrid') {
          const knowledge = await know(send, index, user, request);
          const tools = { ...queries, send, alias, address: connection.address, signal, knowledge };
          return await rankedSearch(tools, user, request);
        }
        const knowledge = await know(send, index, user, request);
        const prepared = prepareSearch(user, request, knowledge);
        const sort = await sortOf(prepared, request.query, (names) => fieldTypes(send, index, names));
        const { limit, offset } = prepared;
        const body = { query: prepared.query, sort, track_scores: true };
        const isDeep = offset + limit > window;
        const asked = { _source: shownFields, ...highlighting(request, prepared.fullText) };
        const page = isDeep ? { size: 0 } : { size: limit, from: offset, ...asked };
        const ask = async (some: typeof body) =>
          (await send(searchCall({ ...some, ...page, track_total_hits: true }))) as Hits | undefined;
        let first = await ask(body);
        if (first?.hits.total.value === 0 && prepared.fullText.length > 0) {
          body.query = prepareSearch(user, request, lastResort(knowledge, request)).query;
          first = await ask(body);
        }
        const total = first?.hits.total.value ?? 0;
        const hits =
          isDeep && offset < total
            ? await deepHits(send, index, body, { limit, offset, asked })
            : (first?.hits.hits ?? []);
        const documents = hits.map((hit) => documentOf(hit, request));
        return { documents, total, limit, offset, has_more: offset + documents.length < total && documents.length > 0 };
      }),
  };
}

/** Runs calls under one deadline. What the engine calls a bad request is the caller's: 422. */
async function within<T>(
  connection: SearchConnection,
  work: (send: Send, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = AbortSignal.timeout(deadlineMs);
  try {
    return await work(async (call) => {
      const { status, body } = await connection.send(call, { timeoutMs: deadlineMs, signal: deadline, accept: [404] });
      return status === 404 ? undefined : body;
    }, deadline);
  } catch (error) {
    if (deadline.aborted) {
      throw new AppError(
        'SEARCH_CONNECTION_FAILED',
        `The search server at ${connection.address} did not answer within ${deadlineMs / 1_000} s.`,
        {},
        error,
      );
    }
    const said = engineError(error);
    if (said?.status === 400)
      throw new AppError('VALIDATION_ERROR', `The search server refuses this search: ${said.reason}.`, {}, error);
    throw error;
  }
}

/** Field to the set of its types over all indexes. */
type FieldTypes = Map<string, Set<string>>;

async function fieldTypes(send: Send, index: string, names: readonly string[]): Promise<FieldTypes> {
  const answer = (await send({
    method: 'GET',
    path: `/${index}/_field_caps`,
    query: {
      fields: names.map((name) => name.replaceAll(/[,*]/g, '?')).join(','),
      ignore_unavailable: true,
      allow_no_indices: true,
    },
  })) as { fields: Record<string, Record<string, unknown>> } | undefined;
  return new Map(Object.entries(answer?.fields ?? {}).map(([name, types]) => [name, new Set(Object.keys(types))]));
}

/** The request's order, or best match first, or newest first; equal entries by id, so that pages do not overlap. */
async function sortOf(
  { sort }: PreparedSearch,
  query: string | undefined,
  typesOf: (names: string[]) => Promise<FieldTypes>,
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
  const types = metadata.length === 0 ? new Map<string, Set<string>>() : await typesOf(metadata);
  const entries = sort.map(({ field, order }) => {
    if (field === '_score') return { _score: { order } };
    const path = field.kind === 'metadata' ? sortablePath(field, types.get(field.path)) : exactPath(field);
    const unmapped_type =
      field.kind === 'date' ? 'date' : path === field.path && field.kind === 'metadata' ? 'double' : 'keyword';
    return { [path]: { order, missing: '_last', unmapped_type } };
  });
  return [...entries, tieBreak];
}

/** Numbers sort as numbers; texts, and fields that hold both, by their exact text. */
function sortablePath(field: SearchField, types: ReadonlySet<string> | undefined): string {
  if (!types || types.size === 0) {
    throw invalid(
      'sort',
      `Documents cannot be sorted by '${field.given}': no document has a value there.`,
      field.given,
    );
  }
  const isNumeric = [...types].every((type) => ['double', 'long', 'unmapped'].includes(type));
  return isNumeric ? field.path : exactPath(field);
}

/** A page beyond the engine's window, by walking there over a point in time. */
async function deepHits(
  send: Send,
  index: string,
  body: Record<string, unknown>,
  page: { limit: number; offset: number; asked: Record<string, unknown> },
): Promise<Hit[]> {
  const opened = (await send({
    method: 'POST',
    path: `/${index}/_search/point_in_time`,
    query: { keep_alive: '1m' },
  })) as { pit_id: string } | undefined;
  if (!opened) return [];
  let pit = opened.pit_id;
  const step = async (size: number, after: unknown[] | undefined, asked: Record<string, unknown>) => {
    const found = (await send({
      method: 'POST',
      path: '/_search',
      body: {
        ...body,
        pit: { id: pit, keep_alive: '1m' },
        size,
        ...asked,
        track_total_hits: false,
        ...(after ? { search_after: after } : {}),
      },
    })) as (Hits & { pit_id?: string }) | undefined;
    pit = found?.pit_id ?? pit;
    return found?.hits.hits ?? [];
  };
  try {
    let after: unknown[] | undefined;
    for (let left = page.offset; left > 0; left -= window) {
      const size = Math.min(left, window);
      const skipped = await step(size, after, { _source: false });
      if (skipped.length < size) return [];
      after = skipped.at(-1)?.sort;
    }
    return await step(page.limit, after, page.asked);
  } finally {
    await send({ method: 'DELETE', path: '/_search/point_in_time', body: { pit_id: [pit] } });
  }
}
