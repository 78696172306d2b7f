import {
  createFieldError,
  cutExcerpt,
  getExactPath,
  type FieldTypes,
  findSearchField,
  type SearchField,
} from './fields';

const maxValues = 10_000;
const isoDate = /^\d{4}(-\d{2}(-\d{2}(T\d{2}(:\d{2}(:\d{2}([.,]\d{1,9})?)?)?(Z|[+-]\d{2}:?\d{2})?)?)?)?$/;
const bounds = ['gt', 'gte', 'lt', 'lte'] as const;
const words = ['prefix', 'phrase'] as const;
const members = new Set<string>([...bounds, ...words, 'not', 'exists']);
/** Maximum number of words that a prefix may expand to. */
const maxExpansions = 50;

/** Fields with range conditions, whose types must be known. */
export function listRangedFields(filters: Readonly<Record<string, unknown>> = {}): string[] {
  return Object.entries(filters).flatMap(([name, value]) => {
    const isRange = isCondition(value) && bounds.some((bound) => bound in value);
    const field = isRange && name !== 'content' ? findSearchField('filters', name) : undefined;
    return field?.kind === 'metadata' ? [field.path] : [];
  });
}

/** One filter: a value, one of several values, or conditions that must all hold. Throws VALIDATION_ERROR with the problem. */
export function buildFilter(name: string, value: unknown, types?: FieldTypes): Record<string, unknown> {
  if (!isCondition(value)) return buildEquality(name, value);
  const keys = Object.keys(value);
  const unknown = keys.find((key) => !members.has(key));
  if (unknown !== undefined || keys.length === 0)
    throw createFieldError(
      'filters',
      `The filter '${name}' has ${unknown === undefined ? 'no condition' : `the condition '${unknown}'`}; conditions are ${[...members].join(', ')}.`,
      name,
    );
  const filter: Record<string, unknown>[] = [];
  const must_not: Record<string, unknown>[] = [];
  const range = Object.fromEntries(bounds.flatMap((bound) => (bound in value ? [[bound, value[bound]]] : [])));
  if (Object.keys(range).length > 0) filter.push(buildRange(name, range, types));
  for (const form of words) if (form in value) filter.push(buildWordsFilter(name, form, value[form]));
  if ('not' in value) must_not.push(buildEquality(name, value['not']));
  if ('exists' in value) {
    if (typeof value['exists'] !== 'boolean')
      throw createFieldError(
        'filters',
        `exists of the filter '${name}' is ${cutExcerpt(value['exists'])}; it must be true or false.`,
        name,
      );
    const field = findSearchField('filters', name);
    // The engine would read it as a pattern of names.
    if (name.includes('*'))
      throw createFieldError(
        'filters',
        `exists of the filter '${name}' names a field with '*', which is not supported.`,
        name,
      );
    (value['exists'] ? filter : must_not).push({ exists: { field: getExactPath(field) } });
  }
  return { bool: { filter, must_not } };
}

function isCondition(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function buildEquality(name: string, value: unknown): Record<string, unknown> {
  const field = findSearchField('filters', name);
  const values = Array.isArray(value) ? (value as unknown[]) : [value];
  if (values.length > maxValues)
    throw createFieldError(
      'filters',
      `The filter '${name}' has ${values.length} values; at most ${maxValues} are allowed.`,
      name,
    );
  const wrong = values.find((value) => !['string', 'number', 'boolean'].includes(typeof value));
  if (wrong !== undefined || values.includes(undefined)) {
    throw createFieldError(
      'filters',
      `The filter '${name}' has the value ${cutExcerpt(wrong)}; values are texts, numbers or booleans, or an array of them.`,
      name,
    );
  }
  if (values.length === 0) return { match_none: {} };
  const texts = values.map(String);
  if (field.kind === 'date') {
    for (const text of texts) checkDate(name, text);
    return {
      bool: { should: texts.map((text) => ({ term: { [field.path]: { value: text } } })), minimum_should_match: 1 },
    };
  }
  const exact = getExactPath(field);
  const [only] = texts;
  return texts.length === 1 && only !== undefined
    ? { term: { [exact]: { value: only } } }
    : { terms: { [exact]: texts } };
}

/** Numbers and dates are compared by value if every index stores them as such; otherwise as text, which works for ISO dates. */
function buildRange(name: string, range: Record<string, unknown>, types?: FieldTypes): Record<string, unknown> {
  const field = findSearchField('filters', name);
  for (const [bound, value] of Object.entries(range))
    if (typeof value !== 'string' && (typeof value !== 'number' || !Number.isFinite(value)))
      throw createFieldError(
        'filters',
        `${bound} of the filter '${name}' is ${cutExcerpt(value)}; it must be a number or a text.`,
        name,
      );
  const held = types?.get(field.path);
  const path = field.kind === 'metadata' ? chooseRangedPath(field, range, held) : getExactPath(field);
  if (field.kind === 'date' || (path === field.path && held?.has('date')))
    for (const value of Object.values(range)) checkDate(name, String(value));
  const query = { range: { [path]: range } };
  return held?.onlyIn ? { bool: { filter: [{ terms: { _index: [...held.onlyIn] } }, query] } } : query;
}

function chooseRangedPath(
  field: SearchField,
  range: Record<string, unknown>,
  types: ReadonlySet<string> | undefined = new Set(),
): string {
  const hasOnly = (...kinds: string[]) =>
    types.size > 0 && [...types].every((type) => ['unmapped', ...kinds].includes(type));
  const isNumeric = hasOnly('double', 'long', 'float', 'integer');
  const wrong = Object.values(range).find((value) => isNumeric && !/^\s*[-+]?[\d.]/.test(String(value)));
  if (wrong !== undefined)
    throw createFieldError(
      'filters',
      `'${field.given}' holds numbers; it cannot be compared with ${cutExcerpt(wrong)}.`,
      field.given,
    );
  if (isNumeric || hasOnly('date')) return field.path;
  if (types.size === 0 || Object.values(range).every((value) => typeof value === 'string')) return getExactPath(field);
  throw createFieldError('filters', `'${field.given}' holds texts; compare it with a text.`, field.given);
}

function buildWordsFilter(name: string, form: (typeof words)[number], value: unknown): Record<string, unknown> {
  if (typeof value !== 'string' || value.trim() === '' || value.length > 1_000)
    throw createFieldError(
      'filters',
      `${form} of the filter '${name}' is ${cutExcerpt(value)}; it must be a text of 1 to 1,000 characters.`,
      name,
    );
  const isContent = name === 'content';
  const field = isContent ? undefined : findSearchField('filters', name);
  if (field?.kind === 'date') throw createFieldError('filters', `'${name}' is a date; compare it by gte and lt.`, name);
  const isText = field === undefined || field.kind === 'title';
  const path = field?.path ?? 'content';
  if (form === 'prefix')
    return isText
      ? { match_phrase_prefix: { [path]: { query: value, max_expansions: maxExpansions } } }
      : { prefix: { [getExactPath(field)]: { value, case_insensitive: true } } };
  if (field?.kind === 'keyword')
    throw createFieldError('filters', `'${name}' is not text; give its value, or a prefix.`, name);
  // Lenient: a field of numbers has no phrases, and the engine's error would reveal the types of fields in unreadable records.
  return isText || /[*^]/.test(path)
    ? { match_phrase: { [path]: { query: value } } }
    : { multi_match: { query: value, fields: [path], type: 'phrase', lenient: true } };
}

function checkDate(name: string, text: string): void {
  if (!isoDate.test(text) || Number.isNaN(Date.parse(text.replace(',', '.'))))
    throw createFieldError(
      'filters',
      `The filter '${name}' has the value ${cutExcerpt(text)}, which is not an ISO 8601 date.`,
      name,
    );
}
