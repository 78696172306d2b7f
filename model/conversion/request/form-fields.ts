import { parseJson } from '../../json';
import type { RequestProblem } from './check-value';

/** The parts of a schema that decide how a form field is parsed. */
interface FieldSchema {
  type?: string;
  anyOf?: readonly FieldSchema[];
  discriminator?: unknown;
  items?: FieldSchema;
}

/** Form fields in the order received; names may repeat. */
export type FormFields = readonly { name: string; value: string }[];

/**
 * Parses form fields into the JSON that the schema describes. Repeated fields become lists, objects are JSON texts, and empty
 * fields count as missing. `prefix` precedes each name in the form. Fields without a matching property are ignored.
 */
export function readFormFields(
  properties: Readonly<Record<string, object>>,
  fields: FormFields,
  prefix = '',
): { value: Record<string, unknown>; problems: RequestProblem[] } {
  const value: Record<string, unknown> = {};
  const problems: RequestProblem[] = [];
  for (const [name, schema] of Object.entries(properties)) {
    const values = fields.filter((field) => field.name === `${prefix}${name}`).map((field) => field.value);
    if (values.length === 0) continue;
    const kind = getKind(schema);
    const [last = ''] = values.slice(-1);
    if (kind === 'list') {
      const list = parseList(name, values, schema);
      if (list) value[name] = list;
    } else if (last === '') continue;
    else if (kind === 'text') value[name] = last;
    else {
      const json = parseJson(last);
      if (json === undefined)
        problems.push({ type: 'json_invalid', loc: ['body', `${prefix}${name}`], msg: describeInvalidJson(last) });
      else value[name] = json;
    }
  }
  return { value, problems };
}

function getKind(schema: FieldSchema): 'list' | 'json' | 'text' {
  const kind = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
  if (kind.type === 'array') return 'list';
  return kind.type === 'object' || kind.anyOf ? 'json' : 'text';
}

/** Parses a list, which may also be one JSON text. Returns undefined when a single empty field means null. */
function parseList(name: string, input: readonly string[], schema: FieldSchema): unknown[] | undefined {
  const [only = ''] = input;
  if (input.length === 1 && only === '' && schema.anyOf) return undefined;
  if (input.length > 1) return [...input];
  const json = only.trimStart().startsWith('[') ? parseJson(only) : undefined;
  if (Array.isArray(json)) return json as unknown[];
  if (name === 'page_range' && /^\s*\d+\s*[,-]\s*\d+\s*$/.test(only))
    return only.split(/[,-]/).map((page) => page.trim());
  return [...input];
}

function describeInvalidJson(text: string): string {
  try {
    JSON.parse(text);
    return 'Invalid JSON';
  } catch (error) {
    return `Invalid JSON: ${(error as Error).message}`;
  }
}
