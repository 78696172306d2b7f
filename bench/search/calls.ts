import type { User } from '../../model/access';
import { readConfig } from '../../model/config';
import type { SearchCall } from '../../services/search/connection';
import type { SearchRequest } from '../../services/search/ports';
import { createQueries } from '../../services/search/query';
import { indexName } from './fill';

const model = { type: 'onnx', model_id: 'bench' };

/** A user for whom only the name matters. */
export const createReader = (username: string): User => ({ username, email: '', full_name: '', groups: [] });

/** The search that the api sends to the engine for a text query, built by its own code. */
export async function buildTextBody(user: User, request: SearchRequest): Promise<Record<string, unknown>> {
  const sent = await recordCalls(user, request, []);
  return sent.find(({ path }) => path.endsWith('/_search'))?.body ?? {};
}

/** The search by a vector that the api sends, in one of the modes that have one. */
export async function buildVectorBody(
  user: User,
  vector: readonly number[],
  mode: 'vector' | 'hybrid',
): Promise<Record<string, unknown>> {
  const sent = await recordCalls(user, { query: 'x', mode }, vector);
  const found = listBodies(sent).find((body) => JSON.stringify(body).includes('"knn"'));
  if (!found) throw new Error('The search sent no vector.');
  return found;
}

function listBodies(calls: readonly SearchCall[]): Record<string, unknown>[] {
  const lines = calls.flatMap(({ path, bulk = [] }) => (path === '/_msearch' ? bulk : []));
  return lines.filter((_, position) => position % 2 === 1).map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** All calls of a search, sent to an engine that finds nothing and whose index fits `vector`. */
async function recordCalls(user: User, request: SearchRequest, vector: readonly number[]): Promise<SearchCall[]> {
  const sent: SearchCall[] = [];
  const getAnswer = ({ path }: SearchCall): unknown => {
    if (path.endsWith('/_mapping')) {
      const embedding = { dimension: vector.length, method: { engine: 'lucene', space_type: 'l2' } };
      return { [indexName]: { mappings: { _meta: { embedding: model }, properties: { embedding } } } };
    }
    // So many records that vectors are searched in the graph.
    const hits = { total: { value: Number.MAX_SAFE_INTEGER }, hits: [] };
    if (path !== '/_msearch') return { hits, aggregations: { indexes: { buckets: [{ key: indexName }] } } };
    return { responses: Array.from({ length: 20 }, () => ({ status: 200, hits: { ...hits, total: { value: 1 } } })) };
  };
  const connection = {
    address: '',
    send: async (call: SearchCall) => {
      sent.push(call);
      return { status: 200, body: getAnswer(call) };
    },
    close: async () => undefined,
  };
  const embedder = { embed: async () => [[...vector]] };
  await createQueries(connection, readConfig(process.env).SEARCH_DEFAULT_INDEX, () => ({
    embedder,
    mayAsk: () => true,
    builtin: model,
  })).search(user, request);
  return sent;
}
