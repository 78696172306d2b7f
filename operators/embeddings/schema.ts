import { type Static, Type } from '@sinclair/typebox';
import { accessColumns } from '../../model/access-list';
import type { OperatorProblem } from '../../model/flow/operator';
import { originColumns } from '../../model/flow/row';
import { literals } from '../../model/literals';
import {
  defaultEmbeddingsType,
  defaultOverlapRatio,
  defaultTokenLimit,
  EmbeddingsProviderConfig,
  EmbeddingsTextConfig,
  type EmbeddingsType,
  embeddingsTypes,
  findEmbeddingsType,
} from '../../model/llm/embeddings';
import { findUnknownMembers } from '../../model/llm/model-host';
import type { DeclaredOperator } from '../operator';
import { createProblem, findReservedName } from '../problem';
import { inspection } from './inspect';

/** The column used when the configuration names none. */
export const defaultColumn = 'embeddings';
const names = Object.entries(embeddingsTypes).flatMap(([type, { aliases }]) => [type, ...aliases]);
const reservedColumns: readonly string[] = [
  ...originColumns,
  'acl_hash',
  'content',
  'pages_processed',
  ...accessColumns,
  'metadata',
  'document_ref',
  'document_id',
  'chunk_index',
  'start_index',
  'headings',
  'page_numbers',
  'bbox',
];

export const config = Type.Object(
  {
    type: Type.Optional(
      literals(names, {
        // No `default` keyword, because a filled-in value would hide `provider`.
        description:
          Object.entries(embeddingsTypes)
            .map(([type, { aliases, text }]) => `\`${[type, ...aliases].join('`, `')}\`: ${text}`)
            .join('. ') + `. Default: ${defaultEmbeddingsType}.`,
      }),
    ),
    provider: Type.Optional(literals(names, { description: 'Alias of `type`; `type` takes precedence.' })),
    provider_config: Type.Optional(EmbeddingsProviderConfig),
    ...EmbeddingsTextConfig.properties,
    context: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Embeds title and headings of a chunk in front of its text. The text itself stays as it is. Needs a chunker before.',
      }),
    ),
    embeddings_column: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        default: defaultColumn,
        description: 'The column for the vectors.',
      }),
    ),
  },
  { additionalProperties: true },
);
export type EmbeddingsConfig = Static<typeof config>;

export const embeddings = {
  name: 'embeddings',
  label: 'Embeddings',
  category: 'Functional',
  scope: 'row',
  queue: 'io',
  needs: ['embedder'],
  reads: ['content'],
  writes: ['embeddings'],
  named: { writes: ['embeddings_column'] },
  config,
  summary: 'Adds a vector of the text to every row that has text.',
  validate,
  embeds: ({ token_limit: size, overlap_ratio: overlap }) => [
    typeof size === 'number' && size >= 1 ? size : defaultTokenLimit,
    typeof overlap === 'number' ? overlap : defaultOverlapRatio,
  ],
  inspection,
  place: {
    // Vectors of whole documents are allowed, but models truncate long texts.
    expects: {
      column: 'chunk_index',
      from: 'chunker',
      messageCode: 'CHUNKER_OPERATOR_MISSING',
      message: (operator) =>
        `'${operator}' produces one vector per document; with a chunker before it, each chunk gets its own.`,
    },
  },
} as const satisfies DeclaredOperator;

function validate(input: Record<string, unknown>): OperatorProblem[] {
  const problems: OperatorProblem[] = [];
  const member = input['type'] === undefined && input['provider'] !== undefined ? 'provider' : 'type';
  const name = input[member] ?? defaultEmbeddingsType;
  const type = typeof name === 'string' ? findEmbeddingsType(name) : undefined;
  if (!type) {
    const message = `The embeddings ${member} is ${JSON.stringify(name)}; it must be one of ${names.join(', ')}.`;
    problems.push(createProblem(message, `/${member}`, 'EMBEDDINGS_INVALID_TYPE'));
  } else {
    problems.push(
      ...findModelProblems(type, input['provider_config']),
      ...findUnknownMembers(EmbeddingsProviderConfig, input['provider_config'], '/provider_config'),
    );
  }
  return [...problems, ...findReservedName('embeddings_column', input['embeddings_column'], reservedColumns)];
}

function findModelProblems(type: EmbeddingsType, value: unknown): OperatorProblem[] {
  if (type === 'hashing' || type === 'builtin') return [];
  const provider = (value ?? {}) as Record<string, unknown>;
  const requireMember = (name: string, meaning: string, messageCode?: string) => {
    if (provider[name] !== undefined) return [];
    const message = `The embeddings type ${type} needs provider_config.${name}, ${meaning}.`;
    return [createProblem(message, '/provider_config', messageCode)];
  };
  return [
    ...requireMember('model_id', 'the name of the model', 'MISSING_MODEL_ID_FOR_EMBEDDINGS'),
    ...(type === 'gateway' ? requireMember('api_base', 'its address') : []),
    ...(type === 'hosted' ? requireMember('container_id', 'the project or space that is billed') : []),
    ...(type === 'hosted' ? requireMember('api_key', 'a reference such as ${DOCLOOM_SECRET_MODEL_KEY}') : []),
  ];
}
