import { type Static, Type } from '@sinclair/typebox';
import { anyColumn } from '../../model/flow/flow-columns';
import { findCollectionNameProblem, findIndexNameProblem } from '../../model/llm/index-name';
import type { ConnectionType } from '../../model/connection/connection';
import type { OperatorDefinition, OperatorProblem } from '../../model/flow/operator';
import type { SearchTarget } from '../../services/search/ports';
import { findFeatureProblems } from './features';
import { kindNames, findParameterProblems } from './index-kinds';

/** The column used when the configuration names none. */
export const defaultColumn = 'embeddings';
export const engines = ['lucene', 'faiss', 'nmslib'] as const;
const algorithms = ['hnsw', 'HNSW'];
const providers = ['opensearch', 'milvus', 'pgvector', 'lancedb'] as const;
/** Maps distance names in flows to those of the engine. */
const spaceTypes = {
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
const literals = (values: readonly string[], options: Record<string, unknown>) =>
  Type.Optional(
    Type.Union(
      values.map((value) => Type.Literal(value)),
      options,
    ),
  );

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

const ProviderConfig = Type.Object(
  {
    host: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'opensearch: another search server than the configured one; host and port of that one mean its own connection, whatever user is named. milvus and pgvector: the server (needed). Documents there are not found by the search of the API. Private addresses must be in DOCLOOM_ALLOWED_HOSTS.',
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
    engine: literals(engines, {
      default: 'lucene',
      description: 'faiss and nmslib need native libraries on the server.',
    }),
    algorithm: literals(algorithms, { description: 'hnsw.' }),
    index_type: literals([...new Set(providers.flatMap(kindNames))], {
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
    space_type: literals(Object.keys(spaceTypes), {
      description: 'l2 (the default), cosine (cosinesimil) or innerproduct.',
    }),
    metric_type: literals(Object.keys(spaceTypes), { description: 'Alias of space_type.' }),
    index_parameters: Type.Optional(IndexParameters),
    engine_parameters: Type.Optional(IndexParameters),
  },
  { additionalProperties: true },
);
type ProviderConfig = Static<typeof ProviderConfig>;

export const config = Type.Object(
  {
    provider: literals(providers, {
      default: 'opensearch',
      description:
        'opensearch; milvus: a server of that kind; pgvector: PostgreSQL with the extension; lancedb: a store in the data folder of the worker, without a server.',
    }),
    index_name: Type.String({
      description:
        'opensearch: lower case, no blanks, at most 255 bytes. milvus, pgvector and lancedb: letters, digits and underscore, under 255 characters (pgvector: at most 63).',
    }),
    writers: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
        description:
          'Users whose runs may also write into the index. Counts in runs of the owner of the index; without it, the grants stay as they are.',
      }),
    ),
    alias: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'An alias that is switched to the index when the run has finished, so that you can rebuild an index under a new index_name without a gap.',
      }),
    ),
    synonyms: Type.Optional(
      Type.Array(
        Type.Array(Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }), { minItems: 2, maxItems: 20 }),
        {
          maxItems: 1_000,
          description:
            'opensearch: groups of texts that mean the same, such as [["tide gauge", "Pegel"]]; a search for one also finds the others in this index. Without it, those of the index stay as they are.',
        },
      ),
    ),
    vector_dimension: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 16_000,
        description: 'Must equal the dimension of the embeddings; default: that of the first batch.',
      }),
    ),
    embeddings_column: Type.Optional(
      Type.String({
        minLength: 1,
        default: defaultColumn,
        description: 'The column with the vectors. Rows without a vector are indexed without one.',
      }),
    ),
    batch_size: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        default: 500,
        description: 'Records per request; a request is never larger than 5 MB.',
      }),
    ),
    available_features: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object(
          {
            type: Type.Optional(
              Type.String({ description: 'string, int64, double, boolean, date, timestamp, list or json.' }),
            ),
            available_for_vector_db: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
          },
          { additionalProperties: Type.Unknown() },
        ),
        {
          description:
            'Columns to write into `metadata` besides those that operators declare, with their types; `available_for_vector_db` false leaves a declared one out.',
        },
      ),
    ),
    feature_mappings: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 512 }), {
        description: 'Columns to write, each with its name below `metadata`, or `title`.',
      }),
    ),
    provider_config: Type.Optional(ProviderConfig),
  },
  { additionalProperties: true },
);
export type VectordbConfig = Static<typeof config>;

/** Distance and index parameters of a configuration, with aliases resolved and defaults filled in. */
export function getVectorIndex({ provider_config: provider = {} }: VectordbConfig) {
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
export function getSearchTarget(config: Record<string, unknown>): SearchTarget | undefined {
  const { provider: kind, provider_config: provider } = config as VectordbConfig;
  const { database } = provider ?? {};
  if (kind === 'lancedb')
    return { provider: 'lancedb', host: '', port: 0, ...(database === undefined ? {} : { database }) };
  if (kind === 'milvus') return milvusTarget(provider ?? {});
  if (kind === 'pgvector') return postgresTarget(provider ?? {});
  if (!provider?.host) return undefined;
  return {
    host: provider.host,
    port: provider.port ?? 9_200,
    useSsl: provider.use_ssl ?? false,
    verifyCerts: provider.verify_certs ?? true,
    ...(provider.username === undefined ? {} : { username: provider.username, password: provider.password ?? '' }),
  };
}

function postgresTarget({
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

function milvusTarget({
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

/** The connections that stores other than OpenSearch take. */
const connectionKinds: Readonly<Record<string, ConnectionType>> = { milvus: 'milvus', pgvector: 'postgresql' };

export const vectordb = {
  name: 'vectordb',
  label: 'Vector database',
  category: 'VectorDB',
  scope: 'row',
  stores: true,
  queue: 'io',
  needs: ['search'],
  reads: ['content'],
  writes: [],
  named: { reads: ['embeddings_column'] },
  config,
  secrets: ({ provider }) => ({ type: connectionKinds[provider as string] ?? 'opensearch' }),
  summary: 'Writes rows with their access lists and vectors into a search index.',
  validate,
} as const satisfies OperatorDefinition;

/** Names in PostgreSQL have at most 63 bytes. */
function findNameProblem(kind: unknown, member: string, name: string): string | undefined {
  if (kind === 'opensearch') return findIndexNameProblem(name);
  const isTooLong = kind === 'pgvector' && name.length > 63;
  if (!isTooLong) return findCollectionNameProblem(name);
  return `${member} has ${name.length} characters; names in PostgreSQL have at most 63.`;
}

/** Members of `provider_config` with a fixed set of values. */
const choices: Record<string, readonly string[]> = {
  engine: engines,
  algorithm: algorithms,
  space_type: Object.keys(spaceTypes),
  metric_type: Object.keys(spaceTypes),
};

function validate(given: Record<string, unknown>, columns: ReadonlySet<string>): OperatorProblem[] {
  const problems: OperatorProblem[] = [];
  const add = (severity: 'error' | 'warning', messageCode: string, message: string, pointer: string) =>
    problems.push({ severity, messageCode, message, pointer });
  const kind = given['provider'] ?? 'opensearch';
  if (!providers.some((known) => known === kind)) {
    const message = `provider is ${JSON.stringify(kind)}; it must be one of ${providers.join(', ')}.`;
    add('error', 'OPERATOR_VALIDATION_FAILED', message, '/provider');
    return problems;
  }
  for (const member of ['index_name', 'alias']) {
    const name = given[member];
    const problem = typeof name === 'string' ? findNameProblem(kind, member, name) : undefined;
    if (problem) add('error', 'OPERATOR_VALIDATION_FAILED', problem, `/${member}`);
  }
  if (given['alias'] !== undefined && given['alias'] === given['index_name'])
    add(
      'error',
      'OPERATOR_VALIDATION_FAILED',
      'alias and index_name are the same; the alias is a second name.',
      '/alias',
    );
  const provider = (given['provider_config'] ?? {}) as Record<string, unknown>;
  const known = kind as (typeof providers)[number];
  const kinds = { ...choices, index_type: kindNames(known) };
  for (const [member, allowed] of Object.entries(kinds)) {
    const value = provider[member];
    if (value === undefined || allowed.includes(value as string)) continue;
    add(
      'error',
      'OPERATOR_VALIDATION_FAILED',
      `${member} is ${JSON.stringify(value)}; it must be one of ${allowed.join(', ')}.`,
      `/provider_config/${member}`,
    );
  }
  problems.push(
    ...findParameterProblems(known, provider, given['vector_dimension']),
    ...findFeatureProblems(given, columns),
  );
  const column = given['embeddings_column'] ?? defaultColumn;
  const isCustom = typeof given['embeddings_column'] === 'string' && column !== defaultColumn;
  if (
    given['vector_dimension'] !== undefined &&
    !isCustom &&
    columns.size > 0 &&
    !columns.has(defaultColumn) &&
    !columns.has(anyColumn)
  ) {
    add(
      'warning',
      'VECTORS_MISSING',
      `vector_dimension is set, but no operator before gives the column '${defaultColumn}'; the index would hold no vectors.`,
      '/vector_dimension',
    );
  }
  return problems;
}
