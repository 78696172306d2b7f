import { type Static, Type } from '@sinclair/typebox';
import type { OperatorDefinition, OperatorProblem } from '../../model/flow/operator';
import { literals } from '../../model/literals';
import {
  ChatProviderConfig,
  findModelType,
  type ModelType,
  modelTypes,
  findUnknownMembers,
} from '../../model/llm/model-host';
import { createProblem, findReservedName } from '../problem';
import { reservedOutputColumns } from '../rows/model-settings';

/** Defaults of a configuration. */
export const defaults = {
  column: 'document_type',
  threshold: 7,
  maxContentLength: 2_000,
  timeoutSeconds: 60,
} as const;
const names = ['rules', ...Object.entries(modelTypes).flatMap(([type, { aliases }]) => [type, ...aliases])];

export const config = Type.Object(
  {
    type: Type.Optional(
      literals(names, {
        // No `default` keyword: as a filled-in value it would hide `provider`.
        description:
          'How the class is determined: `rules`, without a model, by the name of a class and the labels of its fields; or a language model of the type `local_api` (`ollama`, `openai`), `gateway` (`litellm`) or `hosted` (`watsonx`). Default: rules.',
      }),
    ),
    provider: Type.Optional(literals(names, { description: 'Alias of `type`; `type` takes precedence.' })),
    provider_config: Type.Optional(ChatProviderConfig),
    document_types: Type.Optional(
      Type.Union(
        [
          Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { minItems: 1 }),
          Type.Record(Type.String({ minLength: 1 }), Type.String()),
        ],
        {
          description:
            'The classes to choose from: names, or names with descriptions. Bundled classes need no description. Default: all bundled classes.',
        },
      ),
    ),
    confidence_threshold: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 10,
        default: defaults.threshold,
        description: 'Below this confidence, the class of a document is null.',
      }),
    ),
    doc_column: Type.Optional(
      Type.String({
        minLength: 1,
        default: 'content',
        description: 'The column with the text; without one, the document is read.',
      }),
    ),
    output_column: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, default: defaults.column, description: 'The column for the class.' }),
    ),
    include_confidence: Type.Optional(
      Type.Boolean({ default: true, description: 'Adds `classification_confidence`, from 1 to 10.' }),
    ),
    include_reasoning: Type.Optional(
      Type.Boolean({ default: false, description: 'Adds `classification_reasoning`: the reason as text.' }),
    ),
    max_content_length: Type.Optional(
      Type.Integer({
        minimum: 100,
        maximum: 100_000,
        default: defaults.maxContentLength,
        description: 'Number of characters from the start of the text that are used.',
      }),
    ),
    timeout: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 3_600,
        default: defaults.timeoutSeconds,
        description: 'Timeout in seconds for reading a document.',
      }),
    ),
  },
  { additionalProperties: true },
);
export type ClassifierConfig = Static<typeof config>;

/** The classifier of a configuration, with aliases resolved. */
export function getClassifierType({ type, provider }: ClassifierConfig): 'rules' | ModelType {
  return findModelType(type ?? provider ?? 'rules') ?? 'rules';
}

export const documentClassifier = {
  name: 'document_classifier',
  label: 'Document classifier',
  category: 'Functional',
  scope: 'row',
  queue: 'cpu',
  needs: ['sources', 'members', 'converter', 'llm', 'documentClasses'],
  reads: ['id', 'name', 'path'],
  writes: ['document_type', 'classification_confidence', 'classification_reasoning'],
  named: { writes: ['output_column'] },
  columns: {
    document_type: { type: 'string', description: 'The class of the document; null if none fits.', indexed: true },
    classification_confidence: {
      type: 'double',
      description: 'Confidence of the class, from 1 to 10; also if it is below the threshold.',
      indexed: true,
    },
    classification_reasoning: {
      type: 'string',
      description: 'Why the class was chosen; with include_reasoning only.',
      indexed: false,
    },
  },
  config,
  summary: 'Classifies each document with a language model or by rules.',
  validate,
} as const satisfies OperatorDefinition;

function validate(input: Record<string, unknown>): OperatorProblem[] {
  const problems: OperatorProblem[] = [];
  const member = input['type'] === undefined && input['provider'] !== undefined ? 'provider' : 'type';
  const name = input[member] ?? 'rules';
  if (!names.includes(name as string))
    problems.push(
      createProblem(
        `The ${member} of the classifier is ${JSON.stringify(name)}; it must be one of ${names.join(', ')}.`,
        `/${member}`,
      ),
    );
  const model = (input['provider_config'] as { model_id?: unknown } | undefined)?.model_id;
  if (names.includes(name as string) && name !== 'rules' && model === undefined)
    problems.push(createProblem('A language model needs provider_config.model_id, its name.', '/provider_config'));
  return [
    ...problems,
    ...findUnknownMembers(ChatProviderConfig, input['provider_config'], '/provider_config'),
    ...findReservedName('output_column', input['output_column'], reservedOutputColumns),
  ];
}
