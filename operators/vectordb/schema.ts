import { type Static, Type } from '@sinclair/typebox';
import type { ConnectionType } from '../../model/connection/connection';
import { anyColumn } from '../../model/flow/flow-columns';
import type { OperatorProblem } from '../../model/flow/operator';
import { findCollectionNameProblem, findIndexNameProblem } from '../../model/llm/index-name';
import type { DeclaredOperator } from '../operator';
import { createProblem } from '../problem';
import { findFeatureProblems } from './features';
import { listKindNames, findParameterProblems } from './index-kinds';
import { inspection } from './inspect';
import {
  algorithms,
  engines,
  findSearchTarget,
  defineOptionalLiterals,
  ProviderConfig,
  providers,
  spaceTypes,
} from './provider-config';

/** The column used when the configuration names none. */
export const defaultColumn = 'embeddings';
export const config = Type.Object(
  {
    provider: defineOptionalLiterals(providers, {
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
  secrets: ({ provider }) => ({ types: [connectionKinds[provider as string] ?? 'opensearch'] }),
  summary: 'Writes rows with their access lists and vectors into a search index.',
  validate,
  index: (input) => ({
    name: String(input['index_name']),
    target: findSearchTarget(input),
    ...(typeof input['alias'] === 'string' ? { alias: input['alias'] } : {}),
  }),
  inspection,
} as const satisfies DeclaredOperator;

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

function validate(input: Record<string, unknown>, columns: ReadonlySet<string>): OperatorProblem[] {
  const problems: OperatorProblem[] = [];
  const addProblem = (message: string, pointer: string) => problems.push(createProblem(message, pointer));
  const kind = input['provider'] ?? 'opensearch';
  if (!providers.some((provider) => provider === kind)) {
    const message = `provider is ${JSON.stringify(kind)}; it must be one of ${providers.join(', ')}.`;
    return [createProblem(message, '/provider')];
  }
  for (const member of ['index_name', 'alias']) {
    const name = input[member];
    const problem = typeof name === 'string' ? findNameProblem(kind, member, name) : undefined;
    if (problem) addProblem(problem, `/${member}`);
  }
  if (input['alias'] !== undefined && input['alias'] === input['index_name'])
    addProblem('alias and index_name are the same; the alias is a second name.', '/alias');
  const provider = (input['provider_config'] ?? {}) as Record<string, unknown>;
  const providerName = kind as (typeof providers)[number];
  const allowedValues = { ...choices, index_type: listKindNames(providerName) };
  for (const [member, allowed] of Object.entries(allowedValues)) {
    const value = provider[member];
    if (value === undefined || allowed.includes(value as string)) continue;
    const message = `${member} is ${JSON.stringify(value)}; it must be one of ${allowed.join(', ')}.`;
    addProblem(message, `/provider_config/${member}`);
  }
  problems.push(
    ...findParameterProblems(providerName, provider, input['vector_dimension']),
    ...findFeatureProblems(input, columns),
  );
  return [...problems, ...findMissingVectors(input, columns)];
}

/** Warns when the index expects vectors that no operator adds. Cannot tell for a column that the flow names itself. */
function findMissingVectors(input: Record<string, unknown>, columns: ReadonlySet<string>): OperatorProblem[] {
  const { vector_dimension: dimension, embeddings_column: column = defaultColumn } = input;
  const areColumnsKnown = columns.size > 0 && !columns.has(anyColumn);
  if (dimension === undefined || column !== defaultColumn || !areColumnsKnown || columns.has(defaultColumn)) return [];
  return [
    {
      severity: 'warning',
      messageCode: 'VECTORS_MISSING',
      message: `vector_dimension is set, but no earlier operator provides the column '${defaultColumn}'; the index would hold no vectors.`,
      pointer: '/vector_dimension',
    },
  ];
}
