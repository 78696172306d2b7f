import { AppError } from '../../model/errors';
import { getConcreteName, findEngineError, type IndexHome } from './connection';
import { readIndexUuids } from './index';
import type { NearestQuery, NearestRecord } from './ports';
import { buildAccessRule } from './request';

/** Ids of clusters have 22 characters. */
const maxIdCharacters = 100;

/** Moves `alias` to the index, in one step with the read alias, so that searches never see both indexes or none. */
export async function pointAliasTo(home: IndexHome, alias: string, index: string): Promise<void> {
  if (alias === home.alias)
    throw new AppError(
      'SEARCH_INDEX_ERROR',
      `'${alias}' is the read alias of the API (SEARCH_DEFAULT_INDEX), which all indexes share; choose another alias.`,
    );
  const name = getConcreteName(index, home.alias);
  const call = { timeoutMs: home.timeoutMs };
  const { status, body } = await home.connection.send(
    { method: 'GET', path: `/_alias/${encodeURIComponent(alias)}` },
    { ...call, accept: [404] },
  );
  const before = status === 404 ? [] : Object.keys(body as Record<string, unknown>).filter((holder) => holder !== name);
  const aliases = [alias, ...(home.alias === undefined ? [] : [home.alias])];
  const actions = [
    ...before.flatMap((holder) => aliases.map((alias) => ({ remove: { index: holder, alias, must_exist: false } }))),
    ...aliases.map((alias) => ({ add: { index: name, alias } })),
  ];
  try {
    await home.connection.send({ method: 'POST', path: '/_aliases', body: { actions } }, call);
  } catch (error) {
    const said = findEngineError(error);
    if (!said) throw error;
    throw new AppError(
      'SEARCH_INDEX_ERROR',
      `'${alias}' cannot point at the index '${name}': ${said.reason}.`,
      {},
      error,
    );
  }
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
export async function listAliasHolders(home: IndexHome, alias: string): Promise<Record<string, string>> {
  const { status, body } = await home.connection.send(
    { method: 'GET', path: `/_alias/${encodeURIComponent(alias)}` },
    { timeoutMs: home.timeoutMs, accept: [404] },
  );
  return status === 404 ? {} : readIndexUuids(home, Object.keys(body as Record<string, unknown>));
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
