import type { User } from '../../../model/access';
import { AppError } from '../../../model/errors';
import { connect, type Opened, withClient } from '../../vector/pgvector-connection';
import { createFieldError, searchField } from '../fields';
import type { SearchRequest, SearchResponse, SearchTarget } from '../ports';
import type { RankingTools } from '../ranking/ranking';
import { prepareSearch } from '../request';
import { rankedSearch } from './ranked';
import { findTables } from './tables';
import { type PostgresTools, textSearch } from './text';

/** The search over the tables of one database. The access rule is part of every statement. */
export interface PostgresSearch {
  search(user: User, request: SearchRequest): Promise<SearchResponse>;
  close(): Promise<void>;
}

const deadlineMs = 9_000;
const mostConnections = 10;

/** Searches the PostgreSQL at the address that the operator of the installation set. Connects on first use. */
export function createPostgresSearch(
  address: string | undefined,
  queries: (user: User) => Pick<RankingTools, 'embedder' | 'mayAsk' | 'builtin'>,
): PostgresSearch {
  let opened: Promise<Opened> | undefined;
  const open = () => {
    if (address === undefined || address === '')
      throw createFieldError(
        'store',
        'The store pgvector is not available: the operator of this installation has not set DOCLOOM_SEARCH_POSTGRES.',
      );
    // The operator chose the server, so it may have any address.
    opened ??= connect(readTarget(address), { judge: async () => [] }, { mostConnections, timeoutMs: deadlineMs });
    return opened;
  };
  return {
    async search(user, request) {
      checkRequest(user, request);
      const server = await open();
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(), deadlineMs);
      try {
        return await withClient(server, (client) =>
          // A connection that is still busy at the deadline is closed.
          Promise.race([
            searchIn({ ...queries(user), client, user, request, signal: deadline.signal }),
            untilAborted(deadline.signal),
          ]),
        );
      } catch (error) {
        if (!deadline.signal.aborted) throw error;
        throw new AppError(
          'SEARCH_CONNECTION_FAILED',
          `PostgreSQL at ${server.address} did not answer within ${deadlineMs / 1_000} s.`,
          {},
          error,
        );
      } finally {
        clearTimeout(timer);
      }
    },
    async close() {
      const server = await opened?.catch(() => undefined);
      await server?.pool.end();
    },
  };
}

async function searchIn(input: Omit<PostgresTools, 'tables'>): Promise<SearchResponse> {
  const { client, request } = input;
  // All statements see the same rows, so that no record appears between the check of its access list and its reading.
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    const tools = { ...input, tables: await findTables(client, request) };
    const isRanked = request.mode === 'vector' || request.mode === 'hybrid';
    return await (isRanked ? rankedSearch(tools) : textSearch(tools));
  } finally {
    await client.query('ROLLBACK').catch(() => undefined);
  }
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

/** The same checks as for OpenSearch; then what this store does not support. */
function checkRequest(user: User, request: SearchRequest): void {
  prepareSearch(user, { ...request, filters: {} });
  for (const { field } of request.facets ?? []) searchField('facets', field);
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
