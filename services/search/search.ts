import path from 'node:path';
import type { User } from '../../model/access';
import type { Config } from '../../model/config';
import { type NetworkConfig, buildNetworkRules } from '../../model/network-rules';
import { getBuiltinEmbedding } from '../embedding/builtin';
import { createEmbedder } from '../embedding/embedder';
import { type AddressGuard, createAddressGuard } from '../net/address-guard';
import { createLanceStore } from '../vector/lancedb';
import { createMilvusStore } from '../vector/milvus';
import { createPgvectorStore } from '../vector/pgvector';
import type { IndexAccess } from './access';
import { createEmbedderRule, type EmbedderSettings } from './approved-embedders';
import { createHomes } from './connection';
import type { IndexInspector } from './index';
import { createIndexCalls } from './index-calls';
import type { Search, SearchRequest, SearchTarget } from './ports';
import { createPostgresSearch } from './postgres/search';
import { createQueries, type DocumentQueries } from './query';
import { createQueryVectors } from './ranking/query-vectors';
import { withVectorStores } from './stores';

/** The settings that the document index needs. */
export type SearchSettings = NetworkConfig &
  Pick<
    Config,
    | 'SEARCH_HOST'
    | 'SEARCH_PORT'
    | 'SEARCH_USE_SSL'
    | 'SEARCH_VERIFY_CERTS'
    | 'SEARCH_USERNAME'
    | 'SEARCH_PASSWORD'
    | 'SEARCH_DEFAULT_INDEX'
    | 'SEARCH_TIMEOUT'
    | 'SEARCH_MAX_RETRIES'
    | 'SEARCH_CONCURRENCY'
    | 'DOCLOOM_SEARCH_POSTGRES'
    | 'DOCLOOM_DATA'
  > &
  EmbedderSettings &
  Parameters<typeof createEmbedder>[0];

/** The search server of the settings. */
export function readConfiguredTarget(config: SearchSettings): SearchTarget {
  return {
    host: config.SEARCH_HOST,
    port: config.SEARCH_PORT,
    useSsl: config.SEARCH_USE_SSL,
    verifyCerts: config.SEARCH_VERIFY_CERTS,
    username: config.SEARCH_USERNAME,
    password: config.SEARCH_PASSWORD,
  };
}

/** Services that the index shares with others of its process. It creates missing ones, and closes only these. */
export interface SearchDeps {
  embedder?: ReturnType<typeof createEmbedder>;
  guard?: AddressGuard;
}

/** The document index on the configured server, and writing to servers that flows name. Connects on first use. */
export function createSearch(
  config: SearchSettings,
  { embedder: shared, guard = createAddressGuard(buildNetworkRules(config)) }: SearchDeps = {},
): Search & IndexInspector & DocumentQueries & IndexAccess {
  const timeoutMs = config.SEARCH_TIMEOUT * 1_000;
  const alias = config.SEARCH_DEFAULT_INDEX;
  const homes = createHomes(readConfiguredTarget(config), { alias, timeoutMs, guard });
  const embedder = shared ?? createEmbedder(config, { guard });
  const getBuiltin = () => getBuiltinEmbedding(config.DOCLOOM_MODELS_FOLDER);
  const vectorsFor = createQueryVectors(embedder.forPeople);
  const mayAsk = createEmbedderRule(config);
  const buildToolsFor = ({ username }: User) => ({ embedder: vectorsFor(username), mayAsk, builtin: getBuiltin() });
  const queries = createQueries(homes.own, alias, buildToolsFor, config.SEARCH_CONCURRENCY);
  const postgres = createPostgresSearch(config.DOCLOOM_SEARCH_POSTGRES, buildToolsFor);
  const getStore = (store: SearchRequest['store']) => (store === 'pgvector' ? postgres : queries);
  const search: Search & IndexInspector & DocumentQueries & IndexAccess = {
    ...queries,
    get: (user, id, store) => getStore(store).get(user, id),
    search: (user, request, signal) => getStore(request.store).search(user, request, signal),
    suggest: (user, request, signal) => getStore(request.store).suggest(user, request, signal),
    ...createIndexCalls(homes, { timeoutMs, maxRetries: config.SEARCH_MAX_RETRIES, builtin: getBuiltin }),
    async ping() {
      await homes.own.send({ method: 'GET', path: '/' }, { timeoutMs: 5_000 });
    },
    async close() {
      if (embedder !== shared) embedder.close();
      await Promise.all([homes.close(), postgres.close()]);
    },
  };
  return withVectorStores(search, {
    milvus: createMilvusStore({ guard }),
    pgvector: createPgvectorStore({ guard }),
    lancedb: createLanceStore({ folder: path.join(config.DOCLOOM_DATA, 'lancedb') }),
  });
}
