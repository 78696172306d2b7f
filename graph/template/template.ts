import { type Static, Type } from '@sinclair/typebox';
import { literals } from '../../model/literals';
import { listProblems } from '../../model/validate';
import { ConfigurationError } from '../core/errors';
import { type Attributes, isRecord } from '../core/value';
import { buildFieldType } from './annotation';
import { readJsonSchema } from './from-schema';
import { fieldTypes, type GraphTemplate, type TemplateClass, type TemplateField } from './model';
import { buildSchema } from './schema';

const Field = Type.Object({
  annotation: Type.Optional(Type.String()),
  type: Type.Optional(literals(fieldTypes)),
  is_list: Type.Optional(Type.Boolean()),
  required: Type.Optional(Type.Boolean()),
  model: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  edge_label: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  reverse_label: Type.Optional(Type.String({ minLength: 1 })),
  reference_closed_catalog: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  graph_reference: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  description: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  examples: Type.Optional(Type.Union([Type.Array(Type.Any()), Type.Null()])),
  labels: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
  enum: Type.Optional(Type.Array(Type.Union([Type.String(), Type.Number()]), { minItems: 1 })),
});
const Class = Type.Object({
  is_entity: Type.Optional(Type.Boolean()),
  graph_id_fields: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
  graph_max_instances: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
  graph_scope: Type.Optional(Type.Union([Type.Literal('corpus'), Type.Literal('document'), Type.Null()])),
  doc: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  fields: Type.Record(Type.String(), Field),
});
/** The file form of a template: `{root, classes: {Name: {graph_id_fields, fields: {…}}}}`. Further members are ignored. */
export const TemplateFile = Type.Object({ root: Type.String(), classes: Type.Record(Type.String(), Class) });
export type TemplateFile = Static<typeof TemplateFile>;

/**
 * Creates a template from the language-neutral file form, or a JSON Schema with the graph members of `docs/graph.md`. `schema` replaces the schema used for the hash. Throws a ConfigurationError with all problems.
 */
export function templateFrom(value: unknown, schema?: Attributes): GraphTemplate {
  if (!isRecord(value)) throw new ConfigurationError('The template must be an object', { found: typeof value });
  const template = 'classes' in value ? readTemplateFile(value, schema) : readJsonSchema(value);
  const problems = templateProblems(template);
  if (problems.length > 0)
    throw new ConfigurationError(`The template is invalid: ${problems.join('; ')}`, { problems });
  return schema ? { ...template, schema } : template;
}

function readTemplateFile(value: Attributes, schema?: Attributes): GraphTemplate {
  const problems = listProblems(TemplateFile, value).map(({ pointer, message }) => `${pointer || '/'} ${message}`);
  if (problems.length > 0)
    throw new ConfigurationError(`The template is invalid: ${problems.join('; ')}`, { problems });
  const file = value as unknown as TemplateFile;
  const choices = buildChoices(schema);
  const classes = Object.entries(file.classes).map(([name, body]): [string, TemplateClass] => [
    name,
    {
      name,
      isEntity: body.is_entity ?? true,
      idFields: body.graph_id_fields ?? [],
      maxInstances: body.graph_max_instances ?? undefined,
      isDocumentScoped: body.graph_scope === 'document' || undefined,
      description: body.doc || undefined,
      fields: Object.entries(body.fields).map(([field, fieldFile]) => readField(field, fieldFile, choices)),
    },
  ]);
  const template = { root: file.root, classes: new Map(classes), schema: {} };
  return { ...template, schema: schema ?? buildSchema(template) };
}

function readField(name: string, input: Static<typeof Field>, choices: Map<string, string[]>): TemplateField {
  const annotated = buildFieldType(input.annotation ?? '');
  const values = input.enum?.map(String) ?? choices.get(annotated.name ?? '');
  const model = annotated.container ? undefined : (input.model ?? undefined);
  return {
    name,
    type: model ? 'model' : (input.type ?? annotated.type),
    isList: input.is_list ?? annotated.isList,
    isRequired: input.required ?? false,
    model,
    container: annotated.container,
    edgeLabel: input.edge_label || undefined,
    reverseLabel: input.reverse_label,
    isClosedCatalog: input.reference_closed_catalog || undefined,
    isReference: input.graph_reference || undefined,
    description: input.description || undefined,
    examples: findTexts(input.examples),
    labels: findTexts(input.labels),
    choices: values && { name: annotated.name, values },
  };
}

function findTexts(values: unknown): string[] | undefined {
  if (!Array.isArray(values)) return undefined;
  const texts = values.flatMap((value: unknown) =>
    typeof value === 'string' || typeof value === 'number' ? [String(value)] : [],
  );
  return texts.length > 0 ? texts : undefined;
}

// The enumerations of a JSON Schema, by name. The file form has only their names.
function buildChoices(schema: Attributes | undefined): Map<string, string[]> {
  const definitions = schema?.['$defs'];
  const choices = new Map<string, string[]>();
  if (!isRecord(definitions)) return choices;
  for (const [name, body] of Object.entries(definitions)) {
    const values = isRecord(body) ? body['enum'] : undefined;
    if (Array.isArray(values))
      choices.set(
        name,
        values.filter((value) => typeof value === 'string'),
      );
  }
  return choices;
}

/** Problems that make a template unusable, one sentence each; empty for a valid template. */
export function templateProblems({ root, classes }: GraphTemplate): string[] {
  const problems: string[] = [];
  const rootClass = classes.get(root);
  const known = classes.size === 0 ? ': there are none' : ` ${[...classes.keys()].join(', ')}`;
  if (!rootClass) problems.push(`the root '${root}' is not among the classes${known}`);
  for (const { name, idFields, isEntity, fields } of classes.values()) {
    const fieldsByName = new Map(fields.map((field) => [field.name, field]));
    for (const id of idFields) {
      const field = fieldsByName.get(id);
      if (!field) problems.push(`${name} has the id field '${id}', which it does not declare`);
      else if (field.model) problems.push(`${name}.${id} cannot identify: its value is an object`);
    }
    if (!isEntity && idFields.length > 0) problems.push(`${name} is a component and cannot have id fields`);
    for (const field of fields) {
      if (field.model && !classes.has(field.model))
        problems.push(`${name}.${field.name} names the class '${field.model}', which does not exist`);
    }
  }
  return problems;
}

/** The class of that name. Throws a ConfigurationError when the template has none. */
export function getClass(template: GraphTemplate, name: string): TemplateClass {
  const templateClass = template.classes.get(name);
  if (!templateClass) throw new ConfigurationError(`The template has no class '${name}'`, { class: name });
  return templateClass;
}

/** The classes reachable from the root: root first, each class followed by those of its fields. */
export function reachableClasses(template: GraphTemplate): TemplateClass[] {
  const reached = new Map<string, TemplateClass>();
  const visit = (name: string) => {
    const templateClass = template.classes.get(name);
    if (!templateClass || reached.has(name)) return;
    reached.set(name, templateClass);
    for (const field of templateClass.fields) if (field.model) visit(field.model);
  };
  visit(template.root);
  return [...reached.values()];
}
