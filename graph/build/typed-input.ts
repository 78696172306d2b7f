import { asPython, type Attributes, floatValue, type GraphValue, isRecord, setMember, TypedValue } from '../core/value';
import type { AnnotatedContainer, AnnotatedType, GraphTemplate, TemplateField } from '../template/model';
import { getClass } from '../template/template';

/**
 * Converts the values of one instance to the types of the template: date strings to dates, numbers of float fields to floats. A
 * value that does not fit its type stays unchanged, an absent field becomes null or an empty list, and undeclared fields are
 * dropped.
 */
export function castInstance(template: GraphTemplate, name: string, raw: Attributes): Attributes {
  const values: Attributes = {};
  for (const field of getClass(template, name).fields) {
    const absent = field.isList ? [] : null;
    const value = Object.hasOwn(raw, field.name) ? (raw[field.name] ?? null) : absent;
    setMember(values, field.name, castField(template, field, value));
  }
  return values;
}

function castField(template: GraphTemplate, field: TemplateField, rawValue: GraphValue): GraphValue {
  if (field.container && rawValue !== null) return castContainer(template, field.container, rawValue);
  if (Array.isArray(rawValue)) return rawValue.map((value) => castField(template, field, value));
  if (field.model) return isRecord(rawValue) ? castInstance(template, field.model, rawValue) : rawValue;
  return field.choices ? castChoice(field.choices, rawValue) : castScalar(field, rawValue);
}

// Values in containers are typed by position, or all by the only item type.
function castContainer(template: GraphTemplate, { kind, items }: AnnotatedContainer, rawValue: GraphValue): GraphValue {
  const castValue = (value: GraphValue, index: number) => castAnnotated(template, items[index] ?? items[0], value);
  if (Array.isArray(rawValue)) return kind === 'dict' ? rawValue : asPython(rawValue.map(castValue), kind);
  if (kind !== 'dict' || !isRecord(rawValue)) return rawValue;
  return Object.fromEntries(Object.entries(rawValue).map(([key, value]) => [key, castValue(value, 0)]));
}

function castAnnotated(template: GraphTemplate, type: AnnotatedType | undefined, value: GraphValue): GraphValue {
  if (!type) return value;
  const name = type.name ?? '';
  if (isRecord(value) && template.classes.has(name))
    return asPython(castInstance(template, name, value), { model: name });
  const { type: scalar, isList, container } = type;
  return castField(template, { name: '', type: scalar, isList, container, isRequired: false }, value);
}

const textForms: Partial<Record<TemplateField['type'], RegExp>> = {
  date: /^\d{4}-\d\d-\d\d$/,
  datetime: /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/,
  time: /^\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/,
  uuid: /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
  decimal: /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/,
};

function castScalar({ type }: TemplateField, value: GraphValue): GraphValue {
  const number = value instanceof TypedValue && value.kind === 'float' ? Number(value.text) : value;
  if (typeof number === 'number' || typeof number === 'bigint') return castNumber(type, number) ?? value;
  if ((type === 'bytes' || type === 'path') && typeof value === 'string') return new TypedValue(type, value);
  const form = textForms[type];
  if (!form || typeof value !== 'string' || !form.test(value)) return value;
  const text = type === 'datetime' || type === 'time' ? toIsoTime(value) : value;
  return new TypedValue(type as 'date' | 'datetime' | 'time' | 'uuid' | 'decimal', text);
}

function castNumber(type: TemplateField['type'], value: number | bigint): GraphValue | undefined {
  if (type === 'float') return floatValue(Number(value));
  if (type === 'decimal') return new TypedValue('decimal', String(value));
  return type === 'int' && Number.isSafeInteger(value) ? value : undefined;
}

// Like Python's isoformat(): `T`, always with seconds, six fractional digits or none, `+00:00` for UTC.
function toIsoTime(text: string): string {
  const match = /^(.*?\d\d:\d\d)(:\d\d)?(\.\d+)?(Z|[+-]\d\d:\d\d)?$/.exec(text.replace(' ', 'T'));
  if (!match) return text;
  const [, start = '', seconds = ':00', fraction = '', zone = ''] = match;
  const micros = fraction.slice(1, 7).padEnd(6, '0');
  return `${start}${seconds}${Number(micros) === 0 ? '' : `.${micros}`}${zone === 'Z' ? '+00:00' : zone}`;
}

// Neither the template file nor JSON Schema names enumeration members. If members are spelled like their values, as currency
// codes are, assumes an enumeration of strings; otherwise a plain one, with `kind: goods` as Kind.GOODS.
function castChoice({ name, values }: { name?: string; values: string[] }, value: GraphValue): GraphValue {
  if (!name || typeof value !== 'string' || !values.includes(value)) return value;
  const spelled = value.toUpperCase().replace(/\W+/g, '_');
  return new TypedValue('enum', value, { name: `${name}.${spelled}`, isString: values.every(isOwnName) });
}

const isOwnName = (value: string) => /^[A-Z][A-Z0-9_]*$/.test(value);
