import { Type } from '@sinclair/typebox';
import { accessColumns } from '../../model/access-list';
import type { OperatorProblem } from '../../model/flow/operator';
import { literals } from '../../model/literals';
import {
  ChatProviderConfig,
  findModelType,
  type ModelSettings,
  modelTypes,
  findUnknownMembers,
} from '../../model/llm/model-host';
import { createProblem, findReservedName } from '../problem';

const names = Object.entries(modelTypes).flatMap(([type, { aliases }]) => [type, ...aliases]);

/** Settings of operators that let a model write a text. */
export const modelMembers = {
  type: Type.Optional(
    literals(names, {
      default: 'local_api',
      description: 'What runs the model: `local_api`, `gateway` or `hosted`, or one of their aliases.',
    }),
  ),
  provider_config: Type.Optional(ChatProviderConfig),
  max_doc_chars: Type.Optional(
    Type.Integer({
      minimum: 500,
      maximum: 1_000_000,
      default: 24_000,
      description: 'Maximum characters per request; longer texts are cut into sections.',
    }),
  ),
  max_requests: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      default: 8,
      description: 'Maximum number of sections of a document; a warning is added if it is longer.',
    }),
  ),
  doc_column: Type.Optional(
    Type.String({ minLength: 1, default: 'content', description: 'The column with the text.' }),
  ),
} as const;

/** The setting for the column of the answer. */
export function defineOutputColumn(standard: string) {
  return Type.Optional(
    Type.String({
      pattern: '^[A-Za-z_][A-Za-z0-9_]{0,62}$',
      default: standard,
      description: 'The column for the answer.',
    }),
  );
}

/** The model of a configuration, with aliases resolved. */
export function buildModel({
  type,
  provider_config,
}: {
  type?: string;
  provider_config?: ChatProviderConfig;
}): ModelSettings {
  return { type: findModelType(type ?? 'local_api') ?? 'local_api', provider_config };
}

/** Columns that the answer of a model cannot replace. */
export const reservedOutputColumns: readonly string[] = [
  'id',
  'name',
  'path',
  'content',
  'pages_processed',
  'metadata',
  'document_ref',
  ...accessColumns,
];

/** Problems of the model and of the column for its answer. */
export function findModelProblems(input: Record<string, unknown>): OperatorProblem[] {
  const settings = input['provider_config'] as { model_id?: unknown } | undefined;
  const problems: OperatorProblem[] = [];
  if (settings?.model_id === undefined)
    problems.push(createProblem('A language model needs provider_config.model_id, its name.', '/provider_config'));
  return [
    ...problems,
    ...findReservedName('output_column', input['output_column'], reservedOutputColumns),
    ...findUnknownMembers(ChatProviderConfig, settings, '/provider_config'),
  ];
}
