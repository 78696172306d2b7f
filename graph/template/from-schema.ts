import { ConfigurationError } from '../core/errors';
import { type Attributes, type GraphValue, isRecord } from '../core/value';
import type { FieldType, GraphTemplate, TemplateClass, TemplateField } from './model';

/**
 * Creates a template from a JSON Schema: every object with properties becomes a class, named by its `$defs` key or `title`. The
 * members `graph_id_fields`, `is_entity`, `graph_max_instances`, `graph_scope`, `edge_label`, `graph_reference`,
 * `reference_closed_catalog` and `labels` (also with the prefix `x-` and hyphens) add what JSON Schema cannot express.
 */
export function readJsonSchema(schema: Attributes): GraphTemplate {
  const classes = new Map<string, TemplateClass>();
  const context: Context = { schema, classes };
  const start = resolve(context, schema);
  const root = readText(start.body, 'title') ?? start.name ?? 'Root';
  if (!isRecord(start.body['properties']))
    throw new ConfigurationError('The JSON Schema has no properties at its root', { found: Object.keys(schema) });
  readClass(context, root, start.body);
  return { root, classes, schema };
}

interface Context {
  schema: Attributes;
  classes: Map<string, TemplateClass>;
}

function readClass(context: Context, name: string, body: Attributes): void {
  if (context.classes.has(name)) return;
  const properties = isRecord(body['properties']) ? body['properties'] : {};
  const required = Array.isArray(body['required']) ? body['required'] : [];
  const idFields = findMember(body, 'graph_id_fields');
  const maxInstances = findMember(body, 'graph_max_instances');
  const templateClass: TemplateClass = {
    name,
    isEntity: findMember(body, 'is_entity') !== false,
    idFields: Array.isArray(idFields) ? idFields.map(String) : [],
    maxInstances: typeof maxInstances === 'number' && maxInstances >= 1 ? Math.floor(maxInstances) : undefined,
    isDocumentScoped: findMember(body, 'graph_scope') === 'document' || undefined,
    description: readText(body, 'description'),
    fields: [],
  };
  context.classes.set(name, templateClass);
  for (const [field, property] of Object.entries(properties))
    if (isRecord(property))
      templateClass.fields.push(readField(context, { owner: name, name: field }, property, required.includes(field)));
}

function readField(
  context: Context,
  { owner, name }: { owner: string; name: string },
  attributes: Attributes,
  isRequired: boolean,
): TemplateField {
  const outer = resolve(context, omitNull(attributes));
  const isList = outer.body['type'] === 'array';
  const items = outer.body['items'];
  const inner = isList && isRecord(items) ? resolve(context, omitNull(items)) : outer;
  const isModel = isRecord(inner.body['properties']);
  const model = isModel ? (inner.name ?? readText(inner.body, 'title') ?? `${owner}_${name}`) : undefined;
  if (model) readClass(context, model, inner.body);
  const choices = inner.body['enum'];
  const examples = attributes['examples'];
  const labels = findMember(attributes, 'labels');
  return {
    name,
    type: model ? 'model' : findFieldType(inner.body),
    isList,
    isRequired,
    model,
    edgeLabel: toText(findMember(attributes, 'edge_label')) || undefined,
    reverseLabel: toText(findMember(attributes, 'reverse_label')),
    isClosedCatalog: findMember(attributes, 'reference_closed_catalog') === true || undefined,
    isReference: findMember(attributes, 'graph_reference') === true || undefined,
    description: readText(attributes, 'description'),
    labels: Array.isArray(labels) ? labels.filter((label) => typeof label === 'string') : undefined,
    examples: Array.isArray(examples) ? examples.filter((example) => typeof example === 'string') : undefined,
    choices: Array.isArray(choices)
      ? { name: inner.name, values: choices.filter((choice) => typeof choice === 'string') }
      : undefined,
  };
}

function findFieldType(body: Attributes): FieldType {
  const format = body['format'];
  const types = Array.isArray(body['anyOf'])
    ? body['anyOf'].map((variant) => isRecord(variant) && variant['type'])
    : [];
  // The schema of a decimal: a number or a string of digits.
  if (types.includes('number') && types.includes('string')) return 'decimal';
  if (format === 'date' || format === 'time' || format === 'uuid') return format;
  if (format === 'date-time') return 'datetime';
  if (format === 'decimal') return 'decimal';
  const byType: Record<string, FieldType> = { string: 'str', integer: 'int', number: 'float', boolean: 'bool' };
  return byType[toText(body['type']) ?? ''] ?? 'any';
}

// `anyOf: [X, null]` and `type: [X, null]` become X.
function omitNull(attributes: Attributes): Attributes {
  const types = attributes['type'];
  if (Array.isArray(types)) return { ...attributes, type: types.find((type) => type !== 'null') ?? 'null' };
  const variants = attributes['anyOf'] ?? attributes['oneOf'];
  if (!Array.isArray(variants)) return attributes;
  const withoutNull = variants.filter((variant) => isRecord(variant) && variant['type'] !== 'null');
  const [only] = withoutNull;
  return withoutNull.length === 1 && isRecord(only) ? only : { ...attributes, anyOf: withoutNull };
}

/** Longer chains of references are taken for a circle. */
const maxReferences = 20;

function resolve(context: Context, attributes: Attributes): { name?: string; body: Attributes } {
  let body = attributes;
  let name: string | undefined;
  const all = attributes['allOf'];
  if (Array.isArray(all) && all.length === 1 && isRecord(all[0])) body = all[0];
  for (let steps = 0; typeof body['$ref'] === 'string'; steps++) {
    const ref: string = body['$ref'];
    const path = ref === '#' ? [] : ref.replace(/^#\/?/, '').split('/').map(unescapePointer);
    const target = path.reduce<GraphValue>((at, key) => (isRecord(at) ? (at[key] ?? null) : null), context.schema);
    if (steps > maxReferences || !ref.startsWith('#') || !isRecord(target))
      throw new ConfigurationError(`The JSON Schema refers to '${ref}', which it does not contain`, { ref });
    body = target;
    // The title is more useful than a generated name.
    const last = path.at(-1) ?? '';
    name = path.length === 0 || /^__schema\d+$/.test(last) ? readText(target, 'title') : last;
  }
  return { name, body };
}

const unescapePointer = (part: string) => part.replace(/~1/g, '/').replace(/~0/g, '~');
const toText = (value: GraphValue | undefined) => (typeof value === 'string' ? value : undefined);
const readText = (body: Attributes, key: string) => toText(body[key]);

function findMember(body: Attributes, key: string): GraphValue | undefined {
  return body[key] ?? body[`x-${key}`] ?? body[`x-${key.replace(/_/g, '-')}`];
}
