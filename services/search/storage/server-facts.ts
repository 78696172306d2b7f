import type { IndexHome } from '../connection';

/** Properties of a search server that decide how a new index stores its records. */
export interface ServerFacts {
  /** True if scripts read the vectors of the engine `lucene` from its own format, so that no copy in columns is needed. */
  readsVectors: boolean;
  /** True if no other node can join the server as it is configured, so that no copy of an index has to catch up from its history. */
  isSingleNode: boolean;
}

/** Of a server that says nothing about itself: indexes as every server can keep them. */
export const unknownServer: ServerFacts = { readsVectors: false, isSingleNode: false };

/** Only versions with which both was tested: others may lack the settings. */
const testedVersion = /^2\.19\./;
/** Statuses of servers that keep facts about themselves from this user. */
const silentStatuses = [400, 401, 403, 404, 405];

interface Root {
  version?: { distribution?: unknown } | null;
}
interface NodeList {
  nodes?: Record<string, { version?: unknown; settings?: Record<string, unknown> | null } | null>;
}

/** Asks the server, and through it the other nodes of a cluster. */
export async function readServerFacts(
  { connection, timeoutMs }: Pick<IndexHome, 'connection' | 'timeoutMs'>,
  signal: AbortSignal,
): Promise<ServerFacts> {
  const ask = async (path: string, query = {}): Promise<unknown> => {
    const call = { method: 'GET', path, query } as const;
    const { status, body } = await connection.send(call, { timeoutMs, signal, accept: silentStatuses });
    return status === 200 && typeof body === 'object' ? body : undefined;
  };
  const root = (await ask('/')) as Root | undefined;
  if (root?.version?.distribution !== 'opensearch') return unknownServer;
  const query = { flat_settings: true, filter_path: 'nodes.*.version,nodes.*.settings' };
  const nodes = Object.values(((await ask('/_nodes/settings', query)) as NodeList | undefined)?.nodes ?? {});
  const isTested = nodes.length > 0 && nodes.every((node) => testedVersion.test(String(node?.version)));
  if (!isTested) return unknownServer;
  return {
    readsVectors: true,
    isSingleNode: nodes.length === 1 && nodes[0]?.settings?.['discovery.type'] === 'single-node',
  };
}
