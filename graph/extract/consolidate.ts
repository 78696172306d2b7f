import { castInstance } from '../build/typed-input';
import { createIdentityText } from '../core/identity';
import { jsonText } from '../core/json-text';
import { type Attributes, type GraphValue, isEmpty, isRecord, setMember } from '../core/value';
import type { GraphTemplate, TemplateClass } from '../template/model';
import { getClass } from '../template/template';

/**
 * Merges partial instances of one class: the first non-empty value stays, lists are combined, and items with the same identity
 * are merged recursively.
 */
export function consolidate(template: GraphTemplate, name: string, parts: readonly Attributes[]): Attributes {
  const templateClass = getClass(template, name);
  const consolidated: Attributes = {};
  for (const field of templateClass.fields) {
    const values = parts.map((part) => part[field.name] ?? null).filter((value) => !isEmpty(value));
    if (values.length === 0) continue;
    setMember(
      consolidated,
      field.name,
      field.isList ? uniteValues(template, field.model, values) : consolidateSingle(template, field.model, values),
    );
  }
  return consolidated;
}

// Objects of one field are the same if their identities match or one of them has none.
function consolidateSingle(
  template: GraphTemplate,
  model: string | undefined,
  values: readonly GraphValue[],
): GraphValue {
  const [first = null] = values;
  if (!model || !isRecord(first)) return first;
  const key = findKey(template, getClass(template, model), first);
  const same = values.filter(isRecord).filter((value) => {
    const other = findKey(template, getClass(template, model), value);
    return other === key || other === undefined || key === undefined;
  });
  return consolidate(template, model, same);
}

function uniteValues(template: GraphTemplate, model: string | undefined, values: readonly GraphValue[]): GraphValue[] {
  const items = values.flatMap((value) => (Array.isArray(value) ? value : [value]));
  const groups = new Map<string, GraphValue[]>();
  for (const item of items) {
    const key =
      (model && isRecord(item) ? findKey(template, getClass(template, model), item) : undefined) ?? jsonText(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups.values()].map((group) =>
    model && group.every(isRecord) ? consolidate(template, model, group) : (group[0] ?? null),
  );
}

// Without id fields, items are the same only if they are completely equal.
function findKey(template: GraphTemplate, templateClass: TemplateClass, item: Attributes): string | undefined {
  if (templateClass.idFields.length === 0 || templateClass.idFields.every((field) => isEmpty(item[field])))
    return undefined;
  return createIdentityText(templateClass, castInstance(template, templateClass.name, item));
}
