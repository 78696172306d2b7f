import { type Static, Type } from '@sinclair/typebox';
import type { OperatorDefinition, OperatorProblem } from '../../model/operator';

/** Values that other systems use for the same providers. */
const textProviders = {
  local: 'local',
  docling_library: 'local',
  service: 'service',
  docling_serve: 'service',
} as const;
const entityProviders = ['none', 'model', 'rules', 'litellm', 'watsonx', 'docling'] as const;

/** Default of `timeout`. */
export const defaultTimeoutSeconds = 60;

const literals = (values: readonly string[]) => values.map((value) => Type.Literal(value));

export const ExtractConfig = Type.Object(
  {
    text_extraction: Type.Optional(
      Type.Object(
        {
          provider: Type.Union(literals(Object.keys(textProviders)), {
            default: 'local',
            description:
              '`local`: the built-in engine; `service`: a remote conversion service. Also read: docling_library, docling_serve.',
          }),
          doc_column: Type.Optional(
            Type.String({
              pattern: '^[A-Za-z_][A-Za-z0-9_]{0,62}$',
              description: 'A further column that receives the Markdown, besides `content`.',
            }),
          ),
        },
        { additionalProperties: true },
      ),
    ),
    entity_extraction: Type.Optional(
      Type.Object(
        {
          provider: Type.Union(literals(entityProviders), {
            default: 'none',
            description: '`none`, `model` or `rules`.',
          }),
        },
        { additionalProperties: true },
      ),
    ),
    timeout: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 3600,
        default: defaultTimeoutSeconds,
        description: 'Seconds that the conversion of one document may take.',
      }),
    ),
  },
  { additionalProperties: true },
);
export type ExtractConfig = Static<typeof ExtractConfig>;

/** The engine that a configuration asks for, aliases resolved; `local` where it names none. */
export function textProvider(config: ExtractConfig): 'local' | 'service' {
  const provider = config.text_extraction?.provider ?? 'local';
  return textProviders[provider as keyof typeof textProviders];
}

const occupied = [
  'id',
  'name',
  'path',
  'source',
  'mimetype',
  'size',
  'modified_time',
  'content_hash',
  'pages_processed',
  'allowed_users',
  'metadata',
  'document_ref',
];

function validate(raw: Record<string, unknown>): OperatorProblem[] {
  const config = raw as ExtractConfig;
  const problems: OperatorProblem[] = [];
  if (textProvider(config) === 'service') {
    problems.push({
      severity: 'error',
      messageCode: 'OPERATOR_VALIDATION_FAILED',
      message:
        "The text extraction provider 'service' (a remote conversion service) is not available in this version; use 'local'.",
      pointer: '/text_extraction/provider',
    });
  }
  const column = config.text_extraction?.doc_column;
  if (column !== undefined && occupied.includes(column)) {
    problems.push({
      severity: 'error',
      messageCode: 'OPERATOR_VALIDATION_FAILED',
      message: `doc_column is '${column}', which holds something else; take another name than ${occupied.join(', ')}.`,
      pointer: '/text_extraction/doc_column',
    });
  }
  const entities = config.entity_extraction?.provider ?? 'none';
  if (entities !== 'none') {
    problems.push({
      severity: 'warning',
      messageCode: 'ENTITY_EXTRACTION_NOT_PERFORMED',
      message: `Entities are not extracted in this version: the provider '${entities}' has no effect.`,
      pointer: '/entity_extraction/provider',
    });
  }
  return problems;
}

export const extractOperator = {
  name: 'extract_operator',
  label: 'Extract',
  category: 'Extract',
  scope: 'row',
  queue: 'cpu',
  needs: ['sources', 'converter', 'files'],
  reads: ['id', 'name', 'path'],
  writes: ['content', 'pages_processed', 'document_ref'],
  config: ExtractConfig,
  summary: 'Reads each document and gives its text as Markdown.',
  validate,
} as const satisfies OperatorDefinition;
