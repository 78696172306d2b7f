import { type Static, Type } from '@sinclair/typebox';
import { literals } from '../../model/literals';
import type { SearchTarget } from '../../services/search/ports';
import { listKindNames } from './index-kinds';

/** Vector engines of OpenSearch. */
export const engines = ['lucene', 'faiss', 'nmslib'] as const;
/** Algorithms of OpenSearch's vector indexes, in both spellings that flows use. */
export const algorithms = ['hnsw', 'HNSW'];
/** Stores that an operator can write to. */
export const providers = ['opensearch', 'milvus', 'pgvector', 'lancedb'] as const;
/** Distance names in flows, mapped to those of OpenSearch. */
export const spaceTypes = {
  l2: 'l2',
  L2: 'l2',
  euclidean: 'l2',
  cosine: 'cosinesimil',
  cosinesimil: 'cosinesimil',
  COSINE: 'cosinesimil',
  innerproduct: 'innerproduct',
  inner_product: 'innerproduct',
  ip: 'innerproduct',
  IP: 'innerproduct',
  dot_product: 'innerproduct',
} as const;
/** An optional setting with these values. */
export const defineOptionalLiterals = (values: readonly string[], options: Record<string, unknown>) =>
  Type.Optional(literals(values, options));

/** No `default` keywords for members with two names: a filled-in value of one would hide the other. */
const IndexParameters = Type.Object(
  {
    M: Type.Optional(Type.Integer({ minimum: 2, maximum: 512, description: 'Links of a node; default 16.' })),
    m: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 16_000,
        description: 'Alias of M; for IVF_PQ the number of parts of a vector, a divisor of its dimension.',
      }),
    ),
    efConstruction: Type.Optional(
      Type.Integer({ minimum: 2, maximum: 3_200, description: 'Candidates while the graph is built; default 100.' }),
    ),
    ef_construction: Type.Optional(
      Type.Integer({ minimum: 2, maximum: 3_200, description: 'Alias of efConstruction.' }),
    ),
    nlist: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 65_536,
        description: 'For IVF indexes: the number of lists; milvus: default 128.',
      }),
    ),
    nbits: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 24, description: 'For IVF_PQ: bits per part of a vector; default 8.' }),
    ),
  },
  { additionalProperties: true },
);

/** The server of the store and its vector index, with the settings of all kinds of stores. */
export const ProviderConfig = Type.Object(
  {
    host: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'opensearch: a search server other than the configured one. With the host and port of the configured server, its own connection is used, whatever user is named. milvus and pgvector: the server (needed). The search of the API does not find documents there, except in the PostgreSQL of DOCLOOM_SEARCH_POSTGRES. Private addresses must be in DOCLOOM_ALLOWED_HOSTS.',
      }),
    ),
    port: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 65_535,
        description: 'Default 9200 for opensearch, 19530 for milvus, 5432 for pgvector.',
      }),
    ),
    username: Type.Optional(Type.String()),
    password: Type.Optional(
      Type.String({ secret: true, description: 'Use a reference such as `${DOCLOOM_SECRET_SEARCH_PASSWORD}`.' }),
    ),
    use_ssl: Type.Optional(Type.Boolean({ default: false })),
    verify_certs: Type.Optional(Type.Boolean({ default: true })),
    engine: defineOptionalLiterals(engines, {
      default: 'lucene',
      description: 'faiss and nmslib need native libraries on the server.',
    }),
    algorithm: defineOptionalLiterals(algorithms, { description: 'hnsw.' }),
    index_type: defineOptionalLiterals([...new Set(providers.flatMap(listKindNames))], {
      description:
        'The kind of vector index. opensearch: HNSW, an alias of algorithm; milvus: HNSW, FLAT, IVF_FLAT, IVF_SQ8, IVF_PQ, DISKANN or AUTOINDEX; pgvector and lancedb: HNSW or IVF_FLAT.',
    }),
    token: Type.Optional(
      Type.String({ secret: true, description: 'milvus: token instead of user name and password; use a reference.' }),
    ),
    database: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: 'milvus and lancedb: the database, default `default`; pgvector: default `postgres`.',
      }),
    ),
    space_type: defineOptionalLiterals(Object.keys(spaceTypes), {
      description: 'l2 (the default), cosine (cosinesimil) or innerproduct.',
    }),
    metric_type: defineOptionalLiterals(Object.keys(spaceTypes), { description: 'Alias of space_type.' }),
    index_parameters: Type.Optional(IndexParameters),
    engine_parameters: Type.Optional(IndexParameters),
  },
  { additionalProperties: true },
);
export type ProviderConfig = Static<typeof ProviderConfig>;

/** Distance and index parameters of a configuration, with aliases resolved and defaults filled in. */
export function buildVectorIndex({ provider_config: provider = {} }: { provider_config?: ProviderConfig }) {
  const parameters = { ...provider.engine_parameters, ...provider.index_parameters };
  return {
    engine: (provider.engine ?? 'lucene') as (typeof engines)[number],
    spaceType: spaceTypes[(provider.space_type ?? provider.metric_type ?? 'l2') as keyof typeof spaceTypes],
    m: parameters.M ?? parameters.m ?? 16,
    efConstruction: parameters.efConstruction ?? parameters.ef_construction ?? 100,
    ...(parameters.nlist === undefined ? {} : { lists: parameters.nlist }),
    ...(parameters.nbits === undefined ? {} : { bits: parameters.nbits }),
    ...(provider.index_type === 'IVF_PQ' && parameters.m !== undefined ? { cuts: parameters.m } : {}),
    ...(provider.index_type === undefined ? {} : { indexType: provider.index_type.toUpperCase() }),
  };
}

/** The server named in a vectordb configuration (with secrets resolved); undefined for the configured default. */
export function findSearchTarget(config: Record<string, unknown>): SearchTarget | undefined {
  const { provider: kind, provider_config: provider } = config as {
    provider?: string;
    provider_config?: ProviderConfig;
  };
  const { database } = provider ?? {};
  if (kind === 'lancedb')
    return { provider: 'lancedb', host: '', port: 0, ...(database === undefined ? {} : { database }) };
  if (kind === 'milvus') return buildMilvusTarget(provider ?? {});
  if (kind === 'pgvector') return buildPostgresTarget(provider ?? {});
  if (!provider?.host) return undefined;
  return {
    host: provider.host,
    port: provider.port ?? 9_200,
    useSsl: provider.use_ssl ?? false,
    verifyCerts: provider.verify_certs ?? true,
    ...(provider.username === undefined ? {} : { username: provider.username, password: provider.password ?? '' }),
  };
}

function buildPostgresTarget({
  host,
  port,
  use_ssl,
  verify_certs,
  username,
  password,
  database,
}: ProviderConfig): SearchTarget {
  return {
    provider: 'pgvector',
    host: host ?? 'localhost',
    port: port ?? 5_432,
    useSsl: use_ssl ?? false,
    verifyCerts: verify_certs ?? true,
    ...(username === undefined ? {} : { username, password: password ?? '' }),
    ...(database === undefined ? {} : { database }),
  };
}

function buildMilvusTarget({
  host,
  port,
  use_ssl: useSsl,
  username,
  password,
  token,
  database,
}: ProviderConfig): SearchTarget {
  return {
    provider: 'milvus',
    host: host ?? 'localhost',
    port: port ?? 19_530,
    useSsl: useSsl ?? false,
    ...(username === undefined ? {} : { username, password: password ?? '' }),
    ...(token === undefined ? {} : { token }),
    ...(database === undefined ? {} : { database }),
  };
}
