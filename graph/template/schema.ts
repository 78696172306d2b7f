import type { Attributes } from '../core/value';
import type { GraphTemplate, TemplateClass, TemplateField } from './model';

/** The JSON Schema of a template's root, for language models and for the schema hash of a template without a schema. */
export function buildSchema(template: Pick<GraphTemplate, 'root' | 'classes'>): Attributes {
  const definitions: Attributes = {};
  for (const templateClass of template.classes.values())
    if (templateClass.name !== template.root) definitions[templateClass.name] = buildClassSchema(templateClass);
  const root = template.classes.get(template.root);
  const isRecursive = [...template.classes.values()].some(({ fields }) =>
    fields.some(({ model }) => model === template.root),
  );
  const body = root ? buildClassSchema(root) : {};
  if (isRecursive) return { $defs: { ...definitions, [template.root]: body }, $ref: `#/$defs/${template.root}` };
  return { ...(Object.keys(definitions).length > 0 ? { $defs: definitions } : {}), ...body };
}

function buildClassSchema(templateClass: TemplateClass): Attributes {
  const schema: Attributes = {
    properties: Object.fromEntries(templateClass.fields.map((field) => [field.name, buildFieldSchema(field)])),
    title: templateClass.name,
    type: 'object',
  };
  const required = templateClass.fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  if (required.length > 0) schema['required'] = required;
  if (templateClass.description) schema['description'] = templateClass.description;
  if (templateClass.idFields.length > 0) schema['graph_id_fields'] = templateClass.idFields;
  if (!templateClass.isEntity) schema['is_entity'] = false;
  return schema;
}

function buildFieldSchema(field: TemplateField): Attributes {
  const single = buildValueSchema(field);
  const list: Attributes = field.isList ? { type: 'array', items: single } : single;
  const schema: Attributes =
    field.isRequired || field.isList ? list : { anyOf: [list, { type: 'null' }], default: null };
  if (field.description) schema['description'] = field.description;
  if (field.examples) schema['examples'] = field.examples;
  if (field.edgeLabel) schema['edge_label'] = field.edgeLabel;
  if (field.reverseLabel) schema['reverse_label'] = field.reverseLabel;
  return schema;
}

function buildValueSchema(field: TemplateField): Attributes {
  if (field.model) return { $ref: `#/$defs/${field.model}` };
  if (field.choices) return { enum: field.choices.values, type: 'string' };
  switch (field.type) {
    case 'int':
      return { type: 'integer' };
    case 'float':
      return { type: 'number' };
    case 'bool':
      return { type: 'boolean' };
    case 'decimal':
      return { anyOf: [{ type: 'number' }, { type: 'string' }] };
    case 'date':
    case 'time':
    case 'uuid':
      return { format: field.type, type: 'string' };
    case 'datetime':
      return { format: 'date-time', type: 'string' };
    case 'any':
      return {};
    default:
      return { type: 'string' };
  }
}
