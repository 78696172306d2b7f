import { AppError } from '../../model/errors';
import { getConcreteName, findEngineError, type IndexHome } from './connection';
import { readIndexUuids } from './index';
import type { AdmitHolders, NearestQuery, NearestRecord } from './ports';
import { buildAccessRule } from './request';

/** Ids of clusters have 22 characters. */
const maxIdCharacters = 100;

/** What is to have an alias, and the check of the indexes that have it. */
interface AliasMove {
  alias: string;
  index: string;
  admit?: AdmitHolders | undefined;
}

/**
 * Moves `alias` to the index, in one step with the read alias, so that searches never see both indexes or none. Only admitted
 * indexes lose it: if another one gets it in between, the index gives it back, and the error of `admit` is thrown.
 */
export async function pointAliasTo(home: IndexHome, { alias, index, admit }: AliasMove): Promise<void> {
  if (alias === home.alias)
    throw new AppError(
      'SEARCH_INDEX_ERROR',
      `'${alias}' is the read alias of the API (SEARCH_DEFAULT_INDEX), which all indexes share; choose another alias.`,
    );
  const name = getConcreteName(index, home.alias);
  const aliases = [alias, ...(home.alias === undefined ? [] : [home.alias])];
  const take = async (holders: readonly string[]) => {
    await admit?.(holders);
    const actions = [
      ...holders.flatMap((holder) => aliases.map((alias) => ({ remove: { index: holder, alias, must_exist: false } }))),
      ...aliases.map((alias) => ({ add: { index: name, alias } })),
    ];
    await changeAliases(home, actions).catch((error: unknown) => {
      const said = findEngineError(error);
      if (!said) throw error;
      const message = `'${alias}' cannot point at the index '${name}': ${said.reason}.`;
      throw new AppError('SEARCH_INDEX_ERROR', message, {}, error);
    });
  };
  await take(await listOtherHolders(home, alias, name));
  const late = await listOtherHolders(home, alias, name);
  if (late.length === 0) return;
  try {
    await take(late);
  } catch (error) {
    await changeAliases(home, [{ remove: { index: name, alias, must_exist: false } }]);
    throw error;
  }
}

async function changeAliases({ connection, timeoutMs }: IndexHome, actions: readonly object[]): Promise<void> {
  await connection.send({ method: 'POST', path: '/_aliases', body: { actions } }, { timeoutMs });
}

async function listOtherHolders({ connection, timeoutMs }: IndexHome, alias: string, name: string): Promise<string[]> {
  const call = { method: 'GET', path: `/_alias/${encodeURIComponent(alias)}` } as const;
  const { status, body } = await connection.send(call, { timeoutMs, accept: [404] });
  return status === 404 ? [] : Object.keys(body as Record<string, unknown>).filter((holder) => holder !== name);
}

/** Statuses of servers that keep the UUID to themselves. */
const silentStatuses = [400, 401, 403, 404, 405];

/** Identifies a search server by the UUID of its cluster; one that shows none is identified by its address. */
export async function findServerId({
  connection,
  timeoutMs,
}: Pick<IndexHome, 'connection' | 'timeoutMs'>): Promise<string> {
  const { body } = await connection.send({ method: 'GET', path: '/' }, { timeoutMs, accept: silentStatuses });
  const { cluster_uuid: uuid } = (body ?? {}) as { cluster_uuid?: unknown };
  return typeof uuid === 'string' && uuid !== '' ? `cluster ${uuid.slice(0, maxIdCharacters)}` : connection.address;
}

/** The indexes that an alias points at, by name, with their UUIDs. */
export async function listAliasHolders(
  home: IndexHome,
  alias: string,
  signal?: AbortSignal,
): Promise<Record<string, string>> {
  const { status, body } = await home.connection.send(
    { method: 'GET', path: `/_alias/${encodeURIComponent(alias)}` },
    { timeoutMs: home.timeoutMs, accept: [404], ...(signal ? { signal } : {}) },
  );
  return status === 404 ? {} : readIndexUuids(home, Object.keys(body as Record<string, unknown>), signal);
}

/** The nearest records that the user may read; the filter is inside the search, so that there are as many as there can be. */
export async function findNearest(
  home: IndexHome,
  index: string,
  { vector, reader, limit }: NearestQuery,
): Promise<NearestRecord[]> {
  const filter = buildAccessRule(reader);
  const body = {
    size: limit,
    query: { knn: { embedding: { vector, k: limit, filter } } },
    _source: ['document_id', 'content'],
  };
  const reply = await home.connection.send(
    { method: 'POST', path: `/${encodeURIComponent(getConcreteName(index, home.alias))}/_search`, body },
    { timeoutMs: home.timeoutMs },
  );
  const { hits } = (
    reply.body as { hits: { hits: { _id: string; _source: { document_id: string; content: string } }[] } }
  ).hits;
  return hits.map(({ _id: id, _source }) => ({ id, ..._source }));
}
