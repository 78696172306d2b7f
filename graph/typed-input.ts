import type { GraphTemplate, TemplateField } from './template';
import { classOf } from './template';
import { type Attributes, floatValue, type GraphValue, isRecord, setMember, TypedValue } from './value';

/**
 * The values of one instance as the template types them: texts of dates become dates, numbers of float fields floats. A
 * value that does not fit its type stays as it is, a field that is absent becomes null or an empty list, and what the
 * template does not declare is dropped.
 */
export function typedInstance(template: GraphTemplate, name: string, raw: Attributes): Attributes {
  const values: Attributes = {};
  for (const field of classOf(template, name).fields) {
    const given = Object.hasOwn(raw, field.name) ? (raw[field.name] ?? null) : field.isList ? [] : null;
    setMember(values, field.name, typedField(template, field, given));
  }
  return values;
}

function typedField(template: GraphTemplate, field: TemplateField, given: GraphValue): GraphValue {
  if (Array.isArray(given)) return given.map((one) => typedSingle(template, field, one));
  return typedSingle(template, field, given);
}

function typedSingle(template: GraphTemplate, field: TemplateField, given: GraphValue): GraphValue {
  if (field.model) return isRecord(given) ? typedInstance(template, field.model, given) : given;
  return field.choices ? choice(field.choices, given) : typedScalar(field, given);
}

const forms: Partial<Record<TemplateField['type'], RegExp>> = {
  date: /^\d{4}-\d\d-\d\d$/,
  datetime: /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/,
  time: /^\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/,
  uuid: /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
  decimal: /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/,
};

function typedScalar({ type }: TemplateField, given: GraphValue): GraphValue {
  if (type === 'float' && typeof given === 'number') return floatValue(given);
  if (type === 'decimal' && (typeof given === 'number' || typeof given === 'bigint'))
    return new TypedValue('decimal', String(given));
  const form = forms[type];
  if (!form || typeof given !== 'string' || !form.test(given)) return given;
  const text = type === 'datetime' || type === 'time' ? isoTime(given) : given;
  return new TypedValue(type as 'date' | 'datetime' | 'time' | 'uuid' | 'decimal', text);
}

// As Python's isoformat(): `T`, seconds always, six digits of a fraction or none, `+00:00` for UTC.
function isoTime(text: string): string {
  const match = /^(.*?\d\d:\d\d)(:\d\d)?(\.\d+)?(Z|[+-]\d\d:\d\d)?$/.exec(text.replace(' ', 'T'));
  if (!match) return text;
  const [, start = '', seconds = ':00', fraction = '', zone = ''] = match;
  const micros = fraction.slice(1, 7).padEnd(6, '0');
  return `${start}${seconds}${Number(micros) === 0 ? '' : `.${micros}`}${zone === 'Z' ? '+00:00' : zone}`;
}

// Neither the template file nor a JSON Schema names the members. Members spelled like their value are taken for an
// enumeration of strings, as currency codes are; others for a plain one, `kind: goods` as Kind.GOODS.
function choice({ name, values }: { name?: string; values: string[] }, given: GraphValue): GraphValue {
  if (!name || typeof given !== 'string' || !values.includes(given)) return given;
  const spelled = given.toUpperCase().replace(/\W+/g, '_');
  return new TypedValue('enum', given, { name: `${name}.${spelled}`, isString: values.every(isOwnName) });
}

const isOwnName = (value: string) => /^[A-Z][A-Z0-9_]*$/.test(value);
