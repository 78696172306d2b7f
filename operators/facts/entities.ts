import type { DocumentClass } from '../../model/entity/document-class';
import { getClassKey, type EntityField, listClassFields, listSchemaFields } from '../../model/entity/entity-fields';
import { AppError } from '../../model/errors';
import type { Row } from '../../model/flow/row';
import { addUsage, type ModelUsage, createEmptyUsage } from '../../model/llm/model-host';
import { defaultEntities, type ExtractConfig, getEntityProvider, buildModelSettings } from '../extract_operator/schema';
import type { OperatorContext } from '../operator';
import { extractByModel } from './entity-model';
import { extractByRules, type Extracted } from './entity-rules';
import { addPages } from './evidence-pages';
import { toNumber } from './numbers';

type Context = OperatorContext<'llm' | 'documentClasses'>;

/** Extracts entities from documents with one configuration, and keeps counts. */
export interface EntityExtractor {
  /** Returns the row with its entities, or unchanged without a known class. Page numbers come from `documentJson`. */
  extract(row: Row & { content: string }, documentJson?: string): Promise<Row>;
  usage: ModelUsage;
  counts: { found: number; unproven: number; withoutClass: number; unknownClass: number; unread: number };
}

/** Returns undefined when the configuration requests no entities. */
export function createEntityExtractor(config: ExtractConfig, context: Context): EntityExtractor | undefined {
  const provider = getEntityProvider(config);
  if (provider === 'none') return undefined;
  const settings = config.entity_extraction ?? {};
  const column = settings.output_column ?? defaultEntities.column;
  const chooseEntities = createEntityChooser(settings, context);
  const usage = createEmptyUsage();
  const counts = { found: 0, unproven: 0, withoutClass: 0, unknownClass: 0, unread: 0 };
  return {
    usage,
    counts,
    async extract(row, documentJson = '') {
      const wantedFacts = chooseEntities(row);
      if (typeof wantedFacts === 'string') {
        counts[wantedFacts] += 1;
        return row;
      }
      const { entities, evidence } =
        provider === 'rules'
          ? extractWithRules(row.content, wantedFacts)
          : await extractWithModel(row.content, wantedFacts);
      counts.found += countLeaves(entities);
      return {
        ...row,
        [column]: entities,
        [`${column === defaultEntities.column ? 'entity' : column}_evidence`]: addPages(
          evidence,
          row.content,
          documentJson,
        ),
        ...(settings.expand_extracted_data ? expandEntities(entities) : {}),
      };
    },
  };

  async function extractWithModel(text: string, wantedFacts: Wanted): Promise<Extracted> {
    const { entities, evidence, unproven, unread } = await extractByModel(text, wantedFacts.fields, {
      chat: (request) =>
        context.services.llm.chat(request, buildModelSettings(config), context.signal, (used) => addUsage(usage, used)),
      maxCharacters: settings.max_doc_chars ?? defaultEntities.maxCharacters,
      maxSections: settings.max_requests ?? defaultEntities.maxRequests,
      kind: wantedFacts.kind,
      isTyped: wantedFacts.isTyped,
    });
    counts.unproven += unproven.length;
    if (unread > 0) counts.unread += 1;
    return { entities, evidence };
  }
}

/** The entities to extract from a document. */
interface Wanted {
  fields: readonly EntityField[];
  kind: string;
  isTyped: boolean;
}
type Settings = NonNullable<ExtractConfig['entity_extraction']>;

/** Creates a function that chooses the entities for a row: the schema of the flow, else the class named in the flow or the row. */
function createEntityChooser(
  settings: Settings,
  { services, operator }: Context,
): (row: Row) => Wanted | 'withoutClass' | 'unknownClass' {
  if (settings.custom_schema) {
    const wantedFacts = { fields: listSchemaFields(settings.custom_schema), kind: 'a document', isTyped: true };
    return () => wantedFacts;
  }
  const classes = new Map(services.documentClasses.list().map((item) => [getClassKey(item.document_type), item]));
  const wantedByClass = new Map<string, Wanted>();
  const named = settings.document_type;
  if (named !== undefined && !classes.has(getClassKey(named))) {
    throw new AppError(
      'OPERATOR_CONFIGURATION_INVALID',
      `The document_type of '${operator}' is '${named}', which is not a document class; expected one of ${[...classes.keys()].join(', ')}.`,
    );
  }
  return (row) => {
    const type = named ?? row[settings.document_type_column ?? defaultEntities.documentTypeColumn];
    if (type === undefined || type === null || type === '') return 'withoutClass';
    const key = typeof type === 'string' ? getClassKey(type) : '';
    const documentClass = classes.get(key);
    if (!documentClass) return 'unknownClass';
    const wantedFacts = wantedByClass.get(key) ?? buildWantedForClass(documentClass);
    wantedByClass.set(key, wantedFacts);
    return wantedFacts;
  };
}

function buildWantedForClass(documentClass: DocumentClass): Wanted {
  const name = documentClass.document_type.replaceAll('_', ' ');
  return {
    fields: listClassFields(documentClass),
    kind: `a document of the class '${name}' (${documentClass.document_description})`,
    isTyped: false,
  };
}

function extractWithRules(text: string, { fields, isTyped }: Wanted): Extracted {
  const { entities, evidence } = extractByRules(text, fields);
  return { entities: isTyped ? convertObject(entities, fields) : entities, evidence };
}

/** Converts values to the types of the flow's schema; null when that is not possible. */
function convertObject(entities: Record<string, unknown>, fields: readonly EntityField[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field.name, convertValue(entities[field.name], field)]));
}

function convertValue(value: unknown, field: EntityField): unknown {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map((entry: unknown) => convertValue(entry, { ...field, isList: false }));
  if (field.fields) return convertObject(value as Record<string, unknown>, field.fields);
  const text = value as string;
  if (field.type === 'boolean') return /^(?:yes|true|ja|oui|s[ií]|x|✓|☒|☑)$/i.test(text.trim());
  if (field.type !== 'number' && field.type !== 'integer') return text;
  const number = toNumber(text);
  return number === undefined || (field.type === 'integer' && !Number.isInteger(number)) ? null : number;
}

function countLeaves(value: unknown): number {
  if (value === null || value === undefined || value === '') return 0;
  if (typeof value !== 'object') return 1;
  return Object.values(value).reduce<number>((sum, member) => sum + countLeaves(member), 0);
}

/** One column per entity: plain values unchanged, others as JSON. */
function expandEntities(entities: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entities).map(([name, value]) => [`entity_${name}`, value]));
}
