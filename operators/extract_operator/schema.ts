import { type Static, Type } from '@sinclair/typebox';
import { accessColumns } from '../../model/access-list';
import { listSchemaFields } from '../../model/entity/entity-fields';
import { anyColumn } from '../../model/flow/flow-columns';
import type { OperatorDefinition, OperatorProblem } from '../../model/flow/operator';
import { originColumns } from '../../model/flow/row';
import { literals } from '../../model/literals';
import {
  ChatProviderConfig,
  findModelType,
  type ModelSettings,
  modelTypes,
  findUnknownMembers,
} from '../../model/llm/model-host';
import { RemoteConversion } from '../../model/page/remote-conversion';
import { defaultReviewBelow } from '../../model/review/quality';
import { createProblem } from '../problem';

/** Provider names of other systems, mapped to ours. */
const textProviders = {
  local: 'local',
  docling_library: 'local',
  service: 'service',
  docling_serve: 'service',
} as const;
const entityProviders = {
  none: 'none',
  model: 'model',
  rules: 'rules',
  local_api: 'model',
  gateway: 'model',
  hosted: 'model',
  ollama: 'model',
  openai: 'model',
  litellm: 'model',
  watsonx: 'model',
  docling: 'rules',
} as const;

/** Defaults of `entity_extraction`. */
export const defaultEntities = {
  column: 'entities',
  documentTypeColumn: 'document_type',
  maxCharacters: 24_000,
  maxRequests: 8,
} as const;

/** Default of `timeout`. */
export const defaultTimeoutSeconds = 60;

export const ExtractConfig = Type.Object(
  {
    text_extraction: Type.Optional(
      Type.Object(
        {
          provider: literals(Object.keys(textProviders), {
            default: 'local',
            description:
              '`local`: the built-in engine; `service`: a remote conversion service. Aliases: docling_library, docling_serve.',
          }),
          provider_config: Type.Optional(RemoteConversion),
          password: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 255,
              secret: true,
              description:
                '`local`: password of protected documents (PDF, Office, OpenDocument). Use a reference such as `${DOCLOOM_SECRET_DOCUMENTS_PASSWORD}`.',
            }),
          ),
          include_formulas: Type.Optional(
            Type.Boolean({
              default: false,
              description: '`local`: formulas of spreadsheet cells, in brackets after the text of the cell.',
            }),
          ),
          doc_column: Type.Optional(
            Type.String({
              pattern: '^[A-Za-z_][A-Za-z0-9_]{0,62}$',
              description:
                'A column for the Markdown of the document, besides `content`, which is the text as a person reads it.',
            }),
          ),
        },
        { additionalProperties: true, ownHost: true },
      ),
    ),
    entity_extraction: Type.Optional(
      Type.Object(
        {
          provider: Type.Optional(
            literals(Object.keys(entityProviders), {
              default: 'none',
              description:
                '`none`; `rules`: by the labels of fields, without a model; `model`: a language model of the `type`. Aliases: the types and their aliases; docling means rules.',
            }),
          ),
          type: Type.Optional(
            literals(Object.keys(modelTypes), {
              description:
                'What runs the model: `local_api`, `gateway` or `hosted`. Default: from the provider, else local_api.',
            }),
          ),
          provider_config: Type.Optional(ChatProviderConfig),
          document_type: Type.Optional(
            Type.String({
              minLength: 1,
              description: 'The class of all documents, which defines the fields to extract.',
            }),
          ),
          document_type_column: Type.Optional(
            Type.String({
              minLength: 1,
              default: defaultEntities.documentTypeColumn,
              description: 'The column that names the class of each document.',
            }),
          ),
          custom_schema: Type.Optional(
            Type.Object(
              {},
              {
                additionalProperties: true,
                description:
                  'Custom fields instead of a class: names with `string`, `int`, `float`, `boolean`, `date`, a nested object, or a list of one of these.',
              },
            ),
          ),
          output_column: Type.Optional(
            Type.String({
              pattern: '^[A-Za-z_][A-Za-z0-9_]{0,62}$',
              default: defaultEntities.column,
              description: 'The column for the entities; their positions are in `entity_evidence`.',
            }),
          ),
          expand_extracted_data: Type.Optional(
            Type.Boolean({ default: false, description: 'Also add a column `entity_<field>` per entity.' }),
          ),
          max_doc_chars: Type.Optional(
            Type.Integer({
              minimum: 500,
              maximum: 1_000_000,
              default: defaultEntities.maxCharacters,
              description: 'Maximum characters per request to a model; longer documents are split.',
            }),
          ),
          max_requests: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 1_000,
              default: defaultEntities.maxRequests,
              description: 'Maximum number of requests for a document; a warning is added if it is longer.',
            }),
          ),
        },
        { additionalProperties: true, ownHost: true },
      ),
    ),
    timeout: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 3600,
        default: defaultTimeoutSeconds,
        description: 'Timeout in seconds for the conversion of a document.',
      }),
    ),
    review_below: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        default: defaultReviewBelow,
        description:
          'Documents with a page of lower confidence wait in the review queue, as do those with pages or content that could not be read. They are already indexed while they wait. 0: no document waits.',
      }),
    ),
  },
  { additionalProperties: true },
);
export type ExtractConfig = Static<typeof ExtractConfig>;

/** The requested engine, with aliases resolved; `local` by default. */
export function getTextProvider(config: ExtractConfig): 'local' | 'service' {
  const provider = config.text_extraction?.provider ?? 'local';
  return textProviders[provider as keyof typeof textProviders];
}

/** The extraction method, with aliases resolved. */
export function getEntityProvider(config: ExtractConfig): 'none' | 'model' | 'rules' {
  return entityProviders[(config.entity_extraction?.provider ?? 'none') as keyof typeof entityProviders];
}

/** The model for entity extraction. */
export function buildModelSettings({ entity_extraction: settings }: ExtractConfig): ModelSettings {
  const provider = settings?.provider ?? '';
  const type = settings?.type ?? findModelType(provider) ?? 'local_api';
  return { type, provider_config: settings?.provider_config };
}

/** Columns of every flow, which no setting may name as its output. */
const reservedColumns: readonly string[] = [
  ...originColumns,
  'pages_processed',
  ...accessColumns,
  'metadata',
  'document_ref',
  'conversion_confidence',
  'content_left_out',
];

function validate(raw: Record<string, unknown>, columns: ReadonlySet<string> = new Set()): OperatorProblem[] {
  const config = raw as ExtractConfig;
  const problems: OperatorProblem[] = [];
  const column = config.text_extraction?.doc_column;
  if (column !== undefined && reservedColumns.includes(column)) {
    problems.push(
      createProblem(
        `doc_column is '${column}', which has another meaning; choose a name other than ${reservedColumns.join(', ')}.`,
        '/text_extraction/doc_column',
      ),
    );
  }
  if (getTextProvider(config) === 'service') {
    const pointer = '/text_extraction/provider_config';
    problems.push(...findUnknownMembers(RemoteConversion, config.text_extraction?.provider_config, pointer));
  }
  problems.push(...findEntityProblems(config, columns));
  return problems;
}

function findEntityProblems(config: ExtractConfig, columns: ReadonlySet<string>): OperatorProblem[] {
  const settings = config.entity_extraction;
  const provider = getEntityProvider(config);
  if (!settings || provider === 'none' || provider === undefined) return [];
  const problems: OperatorProblem[] = [];
  const addProblem = (message: string, member: string, messageCode?: string) =>
    problems.push(createProblem(message, `/entity_extraction${member}`, messageCode));
  if (settings.provider === 'docling')
    problems.push({
      severity: 'warning',
      messageCode: 'ENTITY_EXTRACTION_BY_RULES',
      message: "The entity extraction provider 'docling' means 'rules'; to use a model, set 'model'.",
      pointer: '/entity_extraction/provider',
    });
  if (provider === 'model') {
    if (settings.provider_config?.model_id === undefined)
      addProblem('Entity extraction with a model needs provider_config.model_id.', '/provider_config');
    const pointer = '/entity_extraction/provider_config';
    problems.push(...findUnknownMembers(ChatProviderConfig, settings.provider_config, pointer));
  }
  const column = settings.document_type_column ?? defaultEntities.documentTypeColumn;
  const hasFields = settings.custom_schema !== undefined || settings.document_type !== undefined;
  if (!hasFields && !columns.has(column) && !columns.has(anyColumn)) {
    addProblem(
      `The entities to find are missing: set document_type or custom_schema, or put a document_classifier before this operator, which adds the column '${column}'.`,
      '',
      'ENTITY_EXTRACTION_SCHEMA_MISSING',
    );
  }
  if (settings.output_column !== undefined && [...reservedColumns, 'content'].includes(settings.output_column))
    addProblem(`output_column is '${settings.output_column}', which has another meaning.`, '/output_column');
  return [...problems, ...findCustomSchemaProblems(settings.custom_schema)];
}

function findCustomSchemaProblems(schema: Record<string, unknown> | undefined): OperatorProblem[] {
  if (schema === undefined) return [];
  const unknown: string[] = [];
  const fields = listSchemaFields(schema, unknown);
  const pointer = '/entity_extraction/custom_schema';
  if (fields.length === 0 && unknown.length === 0) return [createProblem('custom_schema names no field.', pointer)];
  const message =
    'The type of a field of custom_schema must be string, int, float, boolean, date, an object of these, or a list with one of these.';
  return unknown.map((field) => createProblem(message, `${pointer}${field}`));
}

export const extractOperator = {
  name: 'extract_operator',
  label: 'Extract',
  category: 'Extract',
  scope: 'row',
  queue: 'cpu',
  needs: ['sources', 'members', 'converter', 'remoteConverter', 'files', 'originals', 'llm', 'documentClasses'],
  reads: ['id', 'name', 'path'],
  writes: [
    'content',
    'pages_processed',
    'document_ref',
    'conversion_confidence',
    'content_left_out',
    'entities',
    'entity_evidence',
  ],
  named: { writes: ['text_extraction/doc_column', 'entity_extraction/output_column'] },
  addsAny: (input) => (input as ExtractConfig).entity_extraction?.expand_extracted_data === true,
  columns: {
    conversion_confidence: {
      type: 'double',
      description: 'How sure the reader is of the text, from 0 to 1; null where it has no scores, as for Markdown.',
      indexed: false,
    },
    content_left_out: {
      type: 'json',
      description: 'Content of the file that is missing from the text: `kind`, `count` and `words` of each.',
      indexed: false,
    },
    entities: {
      type: 'json',
      description: 'The facts by field name, null if there are none; only with entity_extraction.',
      indexed: true,
      quotesText: true,
    },
    entity_evidence: {
      type: 'json',
      description: 'For each fact: the path of its field, the passage, and its position in `content`.',
      indexed: false,
    },
  },
  config: ExtractConfig,
  secrets: () => ({ types: ['conversion', 'model'] }),
  summary: 'Converts each document to text (and Markdown on request), and optionally extracts facts.',
  validate,
  place: {
    once: {
      messageCode: 'MULTIPLE_EXTRACTED_DETECTED',
      message: (operator, sources) =>
        `'${operator}' reads the documents again that ${sources.join(', ')} has read, and replaces their text.`,
    },
  },
} as const satisfies OperatorDefinition;
