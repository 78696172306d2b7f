import type { PoolClient } from 'pg';
import type { User } from '../../../model/access';
import { AppError } from '../../../model/errors';
import { writeReadableCondition, StatementValues } from '../../vector/pgvector-access';
import { connect, type Opened, withClient } from '../../vector/pgvector-connection';
import { toStorable } from '../../vector/pgvector-table';
import { type Admission, createAdmission, type Leave } from '../admission/admission';
import { followSignal } from '../admission/follow-signal';
import type { Turn } from '../admission/run-within';
import { createStopwatch, type Stopwatch } from '../admission/stopwatch';
import { createFieldError, findSearchField } from '../fields';
import type { DocumentReply, SearchRequest, SearchReply, SearchTarget } from '../ports';
import type { DocumentQueries } from '../query';
import type { RankingTools } from '../ranking/tools';
import { prepareSearch } from '../request';
import { type PageHit, readPage } from './page';
import { searchRanked } from './ranked';
import { suggest } from './suggest';
import { findTables, writeRecords } from './tables';
import { searchText } from './text';

/** The search over the tables of one database. The access rule is part of every statement. */
export interface PostgresSearch extends Pick<DocumentQueries, 'get' | 'suggest'> {
  search(user: User, request: SearchRequest, signal?: AbortSignal): Promise<SearchReply>;
  close(): Promise<void>;
}

const deadlineMs = 9_000;
const maxConnections = 10;
/** Searches that run at a time. The other connections are for reads of single records, which wait for no turn. */
const maxSearches = maxConnections - 2;

/** Searches the PostgreSQL at the address that the operator of the installation set. Connects on first use. */
export function createPostgresSearch(
  address: string | undefined,
  queries: (user: User) => Pick<RankingTools, 'embedder' | 'mayAsk' | 'builtin'>,
): PostgresSearch {
  const admission = createAdmission(maxSearches);
  let opened: Promise<Opened> | undefined;
  const open = () => (opened ??= openPool(address));
  /** Runs a query in a transaction, the wait for the turn included. A connection that is still busy at the deadline is closed. */
  const queryInTransaction = async <T>(
    query: (client: PoolClient, signal: AbortSignal) => Promise<T>,
    { gone, enter }: Partial<Turn> = {},
  ): Promise<T> => {
    const server = await open();
    const deadline = new AbortController();
    const stopFollowing = followSignal(deadline, gone);
    const timer = setTimeout(() => deadline.abort(), deadlineMs);
    let leave: Leave | undefined;
    const work = async (client: PoolClient) => {
      // After the wait for a free connection. The connection is not closed: nothing runs on it.
      if (deadline.signal.aborted) throw createTimeoutError(server.address);
      return Promise.race([
        runInTransaction(client, () => query(client, deadline.signal)),
        waitForAbort(deadline.signal),
      ]);
    };
    try {
      leave = await enter?.(deadline.signal);
      return await withClient(server, work);
    } catch (error) {
      gone?.throwIfAborted();
      throw deadline.signal.aborted ? createTimeoutError(server.address, error) : error;
    } finally {
      leave?.();
      clearTimeout(timer);
      stopFollowing();
    }
  };
  return {
    get: (user, id) => queryInTransaction((client) => readRecord(client, user, id)),
    suggest: (user, request, gone) =>
      queryInTransaction(
        async (client) => suggest(client, await findTables(client, request), user, request),
        takeTurn(admission, user, gone),
      ),
    async search(user, request, gone) {
      checkRequest(user, request);
      const turn = takeTurn(admission, user, gone);
      const query = async (client: PoolClient, signal: AbortSignal) => {
        const asked = measureEmbedder(queries(user), turn.elsewhere);
        const tools = { ...asked, client, user, request, signal, tables: await findTables(client, request) };
        const isRanked = request.mode === 'vector' || request.mode === 'hybrid';
        return isRanked ? searchRanked(tools) : searchText(tools);
      };
      return queryInTransaction(query, turn);
    },
    async close() {
      await (await opened?.catch(() => undefined))?.pool.end();
    },
  };
}

/** The same tools; `elsewhere` measures the wait for vectors. */
function measureEmbedder<T extends Pick<RankingTools, 'embedder'>>(tools: T, elsewhere: Stopwatch): T {
  const { embedder } = tools;
  return { ...tools, embedder: { embed: (...input) => elsewhere.measure(() => embedder.embed(...input)) } };
}

/** The time that `elsewhere` measures is not that of the server: it waits for the vector of the question. */
function takeTurn(admission: Admission, { username }: User, gone?: AbortSignal): Turn & { elsewhere: Stopwatch } {
  const elsewhere = createStopwatch();
  const enter = async (signal: AbortSignal): Promise<Leave> => {
    const leave = await admission.enter(username, signal);
    const startedAt = performance.now();
    return () => leave(performance.now() - startedAt - elsewhere.totalMs());
  };
  return { gone, enter, elsewhere };
}

function openPool(address: string | undefined): Promise<Opened> {
  if (address === undefined || address === '')
    throw createFieldError(
      'store',
      'The store pgvector is not available: the operator of this installation has not set DOCLOOM_SEARCH_POSTGRES.',
    );
  // The operator chose the server, so it may have any address.
  return connect(readTarget(address), { judge: async () => [] }, { maxConnections, timeoutMs: deadlineMs });
}

/** All statements see the same rows, so that no record appears between the check of its access list and its reading. */
async function runInTransaction<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    return await work();
  } finally {
    await client.query('ROLLBACK').catch(() => undefined);
  }
}

/** The newest record with this id that the user may read. */
async function readRecord(client: PoolClient, user: User, id: string): Promise<DocumentReply | undefined> {
  const tables = await findTables(client, {});
  if (tables.size === 0) return undefined;
  const values = new StatementValues();
  const { rows } = await client.query<PageHit>(
    `SELECT index_name AS index, id FROM ${writeRecords(tables)} WHERE id = ${values.add(toStorable(id), 'text')} AND ${writeReadableCondition(user, values.add)}
     ORDER BY updated_time DESC NULLS LAST, index_name LIMIT 1`,
    values.list,
  );
  const [read] = await readPage(client, tables, user, { request: {}, hits: rows, terms: [] });
  return read?.document;
}

function createTimeoutError(address: string, cause?: unknown): AppError {
  const message = `PostgreSQL at ${address} did not answer within ${deadlineMs / 1_000} s.`;
  return new AppError('SEARCH_CONNECTION_FAILED', message, {}, cause);
}

function waitForAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

/** The same checks as for OpenSearch; then what this store does not support. */
function checkRequest(user: User, request: SearchRequest): void {
  prepareSearch(user, { ...request, filters: {} });
  for (const { field: name, interval } of request.facets ?? [])
    if (findSearchField('facets', name).kind !== 'date' && interval !== undefined)
      throw createFieldError(
        'facets',
        `The facet '${name}' has an interval, which the store pgvector supports for created_at and updated_at only.`,
        name,
      );
  if (request.passages && request.passages.length > 0)
    throw createFieldError('mode', 'The store pgvector does not support the mode graph. Use hybrid.');
  for (const name of Object.keys(request.boost?.fields ?? {}))
    if (name !== 'content' && name !== 'title')
      throw createFieldError(
        'boost',
        `The store pgvector boosts the fields content and title only, and not '${name}'.`,
        name,
      );
}

/** The server of a URL: postgres://user:password@host:port/database?sslmode=require. */
function readTarget(address: string): SearchTarget {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^postgres(ql)?:$/.test(url.protocol) || url.hostname === '')
    throw new AppError(
      'INVALID_CONFIGURATION',
      'DOCLOOM_SEARCH_POSTGRES is not an address like postgres://user:password@host:5432/database.',
    );
  const mode = url.searchParams.get('sslmode') ?? 'disable';
  const database = decodeURIComponent(url.pathname.slice(1));
  return {
    provider: 'pgvector',
    host: url.hostname,
    port: Number(url.port) || 5_432,
    useSsl: mode !== 'disable',
    verifyCerts: mode !== 'require',
    ...(url.username === ''
      ? {}
      : { username: decodeURIComponent(url.username), password: decodeURIComponent(url.password) }),
    ...(database === '' ? {} : { database }),
  };
}
