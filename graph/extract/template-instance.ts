import { type Attributes, type GraphValue, isRecord, TypedValue } from '../core/value';
import type { GraphTemplate } from '../template/model';
import { templateFrom, type TemplateFile } from '../template/template';
import { buildClassName, toFieldName, noKind, toSingular } from './template-names';

type ClassFile = TemplateFile['classes'][string];
type FieldFile = ClassFile['fields'][string];

/** Derives a template from an instance: objects become classes, lists of objects become listed classes. */
export function templateFromInstance(instance: Attributes, root = noKind): GraphTemplate {
  const classes: Record<string, ClassFile> = {};
  const rootName = buildClassName(root);
  readInstance(classes, rootName, [instance]);
  return templateFrom({ root: rootName, classes });
}

function readInstance(classes: Record<string, ClassFile>, name: string, instances: readonly Attributes[]): void {
  const fields: Record<string, FieldFile> = {};
  // Added first, so that the root comes first.
  classes[name] = { fields };
  for (const instance of instances) {
    for (const [key, value] of Object.entries(instance)) {
      const items = Array.isArray(value) ? value : [value];
      const objects = items.filter(isRecord);
      if (objects.length === 0) {
        fields[key] ??= { ...toScalarField(items.find((item) => item !== null) ?? null), ...markList(value) };
        continue;
      }
      const target = findFreeName(classes, buildClassName(toSingular(key)), objects);
      fields[key] = { model: target, edge_label: `HAS_${toFieldName(key).toUpperCase()}`, ...markList(value) };
      readInstance(classes, target, objects);
    }
  }
  classes[name] = buildClassFile(fields);
}

// The same fields under another key are the same class.
function findFreeName(classes: Record<string, ClassFile>, name: string, objects: readonly Attributes[]): string {
  const joinKeys = (fields: object) => Object.keys(fields).sort().join();
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? name : `${name}${count}`;
    const namedClass = classes[candidate];
    if (!namedClass || joinKeys(namedClass.fields) === joinKeys(objects[0] ?? {})) return candidate;
  }
}

const markList = (value: GraphValue) => (Array.isArray(value) ? { is_list: true } : {});

function toScalarField(value: GraphValue): FieldFile {
  if (typeof value === 'boolean') return { type: 'bool' };
  if (typeof value === 'number' || typeof value === 'bigint')
    return { type: typeof value === 'bigint' || Number.isInteger(value) ? 'int' : 'float' };
  if (value instanceof TypedValue) return { type: 'float' };
  return typeof value === 'string' ? { type: detectIsoType(value) } : { type: 'any' };
}

const detectIsoType = (text: string): 'date' | 'datetime' | 'str' => {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return 'date';
  return /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) ? 'datetime' : 'str';
};

// Fields named like a number, code or name identify the class; otherwise the first text field does.
function buildClassFile(fields: Record<string, FieldFile>): ClassFile {
  const scalars = Object.entries(fields).filter(([, { model, is_list }]) => !model && !is_list);
  const byName = /(^|_)(id|no|nr|number|code|key|sku|article)$/;
  const nameField =
    scalars.find(([name]) => byName.test(name)) ??
    scalars.find(([name]) => /(^|_)(name|title)$/.test(name)) ??
    scalars.find(([, { type }]) => type === 'str') ??
    scalars[0];
  return { ...(nameField ? { graph_id_fields: [nameField[0]] } : {}), fields };
}
