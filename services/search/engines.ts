import { AppError } from '../../model/errors';
import type { IndexHome } from './connection';

interface NodePlugins {
  nodes: Record<string, { modules?: { name: string }[] }>;
}
interface KnnStats {
  nodes: Record<string, Record<string, boolean>>;
}

/**
 * Rejects an engine whose native libraries the server lacks. A server accepts such an index and stops with a fatal error when
 * the first vectors are flushed (seen with 2.19.1), so this is checked before any index is created or written. Full
 * distributions have the libraries; a reduced one is recognized by the missing module `reindex`. A server that does not list
 * its modules is trusted.
 */
export async function checkEngine(home: IndexHome, engine: string, signal: AbortSignal): Promise<void> {
  if (engine === 'lucene') return;
  const ask = async (path: string) => {
    const answer = await home.connection.send(
      { method: 'GET', path },
      { timeoutMs: home.timeoutMs, signal, accept: [400, 401, 403, 404, 405] },
    );
    return answer.status === 200 ? answer.body : undefined;
  };
  const stats = (await ask(`/_plugins/_knn/stats/${encodeURIComponent(engine)}_initialized`)) as KnnStats | undefined;
  if (Object.values(stats?.nodes ?? {}).some((node) => node[`${engine}_initialized`])) return;
  const plugins = (await ask('/_nodes/plugins')) as NodePlugins | undefined;
  const nodes = Object.values(plugins?.nodes ?? {});
  const isReduced = nodes.some(
    ({ modules = [] }) => modules.length > 0 && !modules.some(({ name }) => name === 'reindex'),
  );
  if (!isReduced) return;
  throw new AppError(
    'SEARCH_INDEX_ERROR',
    `The engine '${engine}' is not available on ${home.connection.address}: it needs native libraries, and the server is a reduced distribution without them. Use the engine 'lucene', or a full OpenSearch distribution.`,
  );
}
