import { parse, stringify } from 'yaml';
import { ConfigurationError } from '../core/errors';
import { parseJsonText } from '../core/json-text';
import type { Attributes } from '../core/value';
import type { GraphTemplate, TemplateField } from './model';
import { type TemplateFile, templateFrom } from './template';

/** Parses a template from JSON or YAML, in the file form or as JSON Schema. `name` is for messages. */
export function templateFromText(text: string, name: string, schema?: Attributes): GraphTemplate {
  return templateFrom(parseFile(text, name), schema);
}

// JSON is also YAML, but our own parser keeps floats and the order of keys.
function parseFile(text: string, name: string): unknown {
  const plain = text.replace(/^\uFEFF/, '');
  try {
    return /^\s*[{[]/.test(plain) ? parseJsonText(plain) : parse(plain, { maxAliasCount: 100 });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigurationError(`The template '${name}' cannot be read: ${reason}`, { path: name }, error);
  }
}

/** Converts a template to the file form, for YAML or JSON. Reading it returns the same template. */
export function templateToFile({ root, classes }: GraphTemplate): TemplateFile {
  const bodies = [...classes.values()].map((templateClass): [string, TemplateFile['classes'][string]] => [
    templateClass.name,
    {
      ...(templateClass.isEntity ? {} : { is_entity: false }),
      ...(templateClass.idFields.length > 0 ? { graph_id_fields: [...templateClass.idFields] } : {}),
      ...(templateClass.maxInstances === undefined ? {} : { graph_max_instances: templateClass.maxInstances }),
      ...(templateClass.isDocumentScoped ? { graph_scope: 'document' as const } : {}),
      ...(templateClass.description ? { doc: templateClass.description } : {}),
      fields: Object.fromEntries(templateClass.fields.map((field) => [field.name, toFieldFile(field)])),
    },
  ]);
  return { root, classes: Object.fromEntries(bodies) };
}

function toFieldFile(field: TemplateField): TemplateFile['classes'][string]['fields'][string] {
  return {
    ...(field.model ? { model: field.model } : field.choices ? {} : { type: field.type }),
    ...(field.isList ? { is_list: true } : {}),
    ...(field.isRequired ? { required: true } : {}),
    ...(field.edgeLabel ? { edge_label: field.edgeLabel } : {}),
    ...(field.reverseLabel ? { reverse_label: field.reverseLabel } : {}),
    ...(field.isClosedCatalog ? { reference_closed_catalog: true } : {}),
    ...(field.isReference ? { graph_reference: true } : {}),
    ...(field.description ? { description: field.description } : {}),
    ...(field.examples ? { examples: [...field.examples] } : {}),
    ...(field.labels ? { labels: [...field.labels] } : {}),
    ...(field.choices ? { enum: [...field.choices.values] } : {}),
  };
}

/** A template as YAML. */
export function templateToYaml(template: GraphTemplate): string {
  return stringify(templateToFile(template), { lineWidth: 120 });
}
