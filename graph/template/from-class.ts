import type { DocumentClass } from '../../model/entity/document-class';
import { type EntityField, type EntityType, listClassFields } from '../../model/entity/entity-fields';
import { collectColumnLabels, listLabels } from '../../model/entity/entity-labels';
import { type ClassHint, classHints } from './class-hints';
import { classLabels } from './class-labels';
import type { FieldType, GraphTemplate } from './model';
import { type TemplateFile, templateFrom } from './template';

type ClassFile = TemplateFile['classes'][string];
type FieldFile = ClassFile['fields'][string];

const types: Readonly<Record<EntityType, FieldType>> = {
  string: 'str',
  date: 'date',
  money: 'decimal',
  weight: 'str',
  number: 'float',
  integer: 'int',
  boolean: 'bool',
};

/** Entities identified by a number instead of a name, with the name of that field, as in the template of their own class. */
const numberFields: Readonly<Record<string, string>> = {
  Invoice: 'invoice_number',
  PurchaseOrder: 'order_number',
  Policy: 'policy_number',
};

/**
 * The graph template of a document class. Documents are nodes, identified by their numbers; the people and things that they
 * name are nodes that documents share. A class without a hint is one node without relations, identified by its first field.
 */
export function templateOfClass(documentClass: DocumentClass): GraphTemplate {
  const { document_type: type, document_description: doc } = documentClass;
  const fields = listClassFields(documentClass);
  const hint = classHints[type] ?? { root: toPascalCase(type), ids: [fields[0]?.name ?? ''] };
  const classes: Record<string, ClassFile> = {};
  const labels = classLabels[type] ?? {};
  const fieldEntries = fields.map((field) => addLabels(buildField(field, hint, classes), labels));
  for (const field of fields) addPartLabels(fieldEntries, classes, { part: field.name, labels });
  return templateFrom({
    root: hint.root,
    classes: {
      [hint.root]: { graph_id_fields: [...hint.ids], doc, fields: Object.fromEntries(fieldEntries) },
      ...classes,
    },
  });
}

type Labels = Readonly<Record<string, string>>;

/** The field with the labels that forms of the class print beside it. */
function addLabels([name, field]: [string, FieldFile], labelsByField: Labels, key = name): [string, FieldFile] {
  const formLabels = labelsByField[key]?.split('|') ?? [];
  return formLabels.length === 0
    ? [name, field]
    : [name, { ...field, labels: [...new Set([...(field.labels ?? []), ...formLabels])] }];
}

function addPartLabels(
  entries: readonly [string, FieldFile][],
  classes: Record<string, ClassFile>,
  { part, labels }: { part: string; labels: Labels },
): void {
  const model = entries.find(([name]) => name === part)?.[1].model ?? undefined;
  const target = model === undefined ? undefined : classes[model];
  if (model === undefined || !target) return;
  const fields = Object.entries(target.fields).map((field) => addLabels(field, labels, `${part}.${field[0]}`));
  classes[model] = { ...target, fields: Object.fromEntries(fields) };
}

function buildField(field: EntityField, hint: ClassHint, classes: Record<string, ClassFile>): [string, FieldFile] {
  const thing = hint.things?.[field.name];
  if (thing) {
    const [model, edge_label] = thing;
    const id = numberFields[model];
    classes[model] ??= id
      ? { graph_id_fields: [id], fields: { [id]: { type: 'str', labels: ['number', 'no', 'nr', 'id'] } } }
      : { graph_id_fields: ['name'], fields: { name: { type: 'str' } } };
    // `supplier_name` is called "Supplier" in documents, and its value is the name.
    const name = field.name.replace(/_(?:name|number)$/, '');
    return [name, { model, edge_label, description: toLabel(field), labels: listOtherLabels(field, name) }];
  }
  if (field.fields) return buildPart(field, hint, classes);
  return [field.name, { ...buildPlainField(field), labels: listOtherLabels(field, field.name) }];
}

function buildPart(field: EntityField, hint: ClassHint, classes: Record<string, ClassFile>): [string, FieldFile] {
  const {
    type: model,
    relation,
    ids,
    isShared,
  } = hint.parts?.[field.name] ?? {
    type: toPascalCase(field.name),
    relation: `HAS_${field.name.toUpperCase()}`,
    ids: [field.fields?.[0]?.name ?? ''],
    isShared: false,
  };
  const inner = (field.fields ?? []).map((entityField): [string, FieldFile] => [
    entityField.name,
    {
      ...buildPlainField(entityField),
      labels: [...collectColumnLabels(entityField)].filter((label) => label !== toLabel(entityField)),
    },
  ]);
  const fields = classes[model]?.fields ?? {};
  classes[model] = {
    graph_id_fields: [...ids],
    ...(isShared ? {} : { graph_scope: 'document' as const }),
    fields: { ...fields, ...Object.fromEntries(inner) },
  };
  const labels = field.isList ? [] : listOtherLabels(field, field.name);
  return [
    field.name,
    { model, edge_label: relation, description: toLabel(field), ...(field.isList ? { is_list: true } : {}), labels },
  ];
}

function buildPlainField(field: EntityField): FieldFile {
  const { options, examples, isList } = field;
  return {
    ...(options ? { enum: [...options] } : { type: toFieldType(field) }),
    ...(isList ? { is_list: true } : {}),
    description: toLabel(field),
    ...(examples.length > 0 ? { examples: [...examples] } : {}),
  };
}

/** A text is an amount if all of its examples are: `412.80`. */
function toFieldType({ type, examples }: EntityField): FieldType {
  const areAmounts = examples.length > 0 && examples.every((example) => /^-?\d{1,3}(?:,?\d{3})*\.\d\d$/.test(example));
  return type === 'string' && areAmounts ? 'decimal' : types[type];
}

/** Labels in documents in addition to the name of the field itself. */
function listOtherLabels(field: EntityField, name: string): string[] {
  const ownLabel = name.replaceAll('_', ' ');
  return listLabels(field).filter((label) => label !== ownLabel);
}

const toLabel = ({ name }: Pick<EntityField, 'name'>) => {
  const text = name.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

const toPascalCase = (name: string) =>
  name
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
