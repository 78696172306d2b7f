import type { AddValue } from '../../vector/pgvector-access';
import { toStorable } from '../../vector/pgvector-table';
import { splitText, foldWord } from '../../vector/pgvector-words';
import { createFieldError, cutExcerpt, findSearchField, type SearchField } from '../fields';
import { buildFilter } from '../filters';
import type { SearchRequest } from '../ports';

const bounds = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;
type Bound = keyof typeof bounds;
const dayMs = 86_400_000;
const timeColumns: Readonly<Record<string, string>> = { created_at: 'created_time', updated_at: 'updated_time' };

/**
 * The restrictions of a request as conditions on the columns of a record. Names and values of the request get into the statement
 * as values only. Throws the same VALIDATION_ERRORs as the search of OpenSearch.
 */
export function listConditions(
  { filters = {}, scope = {}, unlike }: Pick<SearchRequest, 'filters' | 'scope' | 'unlike'>,
  add: AddValue,
): string[] {
  const { jobs = [], documents = [] } = scope;
  return [
    ...jobs.map((ids) => `job_id = ANY(${add(ids.map(toStorable), 'text[]')})`),
    ...documents.map((ids) => `document_id = ANY(${add(ids.map(toStorable), 'text[]')})`),
    ...(unlike === undefined ? [] : [`document_id <> ${add(toStorable(unlike), 'text')}`]),
    ...Object.entries(filters).map(([name, value]) => formatCondition(name, value, add)),
  ];
}

function formatCondition(name: string, value: unknown, add: AddValue): string {
  // Both stores refuse the same filters, with the same words.
  buildFilter(name, omitTypes(value));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return formatEquality(name, value, add);
  const condition = value as Record<string, unknown>;
  const conditions = (Object.keys(bounds) as Bound[]).flatMap((bound) =>
    bound in condition ? [formatComparison(name, bound, condition[bound] as string | number, add)] : [],
  );
  if ('prefix' in condition) conditions.push(formatPrefix(name, String(condition['prefix']), add));
  if ('phrase' in condition) conditions.push(formatPhraseCondition(name, String(condition['phrase']), add));
  if ('not' in condition) conditions.push(`NOT ${formatEquality(name, condition['not'], add)}`);
  if ('exists' in condition) conditions.push(`${condition['exists'] ? '' : 'NOT '}${formatExistence(name, add)}`);
  return `(${conditions.join(' AND ')})`;
}

/** Numbers are compared by value here, whatever the types of a field in other records. */
function omitTypes(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, bound]) => [
      member,
      Object.hasOwn(bounds, member) && typeof bound === 'number' && Number.isFinite(bound) ? String(bound) : bound,
    ]),
  );
}

function formatEquality(name: string, value: unknown, add: AddValue): string {
  const field = findSearchField('filters', name);
  const texts = (Array.isArray(value) ? value : [value]).map((item) => String(toStorable(item)));
  if (texts.length === 0) return 'false';
  if (field.kind === 'date') {
    const moments = add(
      texts.map((text) => parseMoment(text)),
      'timestamptz[]',
    );
    return `coalesce(${timeColumns[field.path]} = ANY(${moments}), false)`;
  }
  const any = `= ANY(${add(texts, 'text[]')})`;
  return field.kind === 'metadata'
    ? `EXISTS (${writeValues(field, add)} AND item #>> '{}' ${any})`
    : `${writeText(field)} ${any}`;
}

function formatComparison(name: string, bound: Bound, value: string | number, add: AddValue): string {
  const field = findSearchField('filters', name);
  const operator = bounds[bound];
  if (field.kind === 'date') {
    const moment = parseMoment(String(value), { isEnd: bound === 'gt' || bound === 'lte' });
    return `coalesce(${timeColumns[field.path]} ${operator} ${add(moment, 'timestamptz')}, false)`;
  }
  const compared = (column: string) => `${column} COLLATE "C" ${operator} ${add(toStorable(String(value)), 'text')}`;
  if (field.kind !== 'metadata') return `(${compared(writeText(field))})`;
  const number =
    typeof value === 'number' || (value.trim() !== '' && Number.isFinite(Number(value))) ? Number(value) : undefined;
  const byValue = number === undefined ? 'false' : `(item #>> '{}')::numeric ${operator} ${add(number, 'numeric')}`;
  const byText = typeof value === 'number' ? 'false' : compared("(item #>> '{}')");
  return `EXISTS (${writeValues(field, add)} AND CASE jsonb_typeof(item) WHEN 'number' THEN ${byValue} WHEN 'string' THEN ${byText} ELSE false END)`;
}

function formatPrefix(name: string, text: string, add: AddValue): string {
  if (name === 'content' || name === 'title')
    return formatPhraseQuery(text, { isPrefix: true, weight: chooseWeight(name), add });
  const field = findSearchField('filters', name);
  const pattern = add(`${String(toStorable(text)).replaceAll(/[\\%_]/g, String.raw`\$&`)}%`, 'text');
  return field.kind === 'metadata'
    ? `EXISTS (${writeValues(field, add)} AND item #>> '{}' ILIKE ${pattern})`
    : `${writeText(field)} ILIKE ${pattern}`;
}

function formatPhraseCondition(name: string, text: string, add: AddValue): string {
  if (name === 'content' || name === 'title')
    return formatPhraseQuery(text, { isPrefix: false, weight: chooseWeight(name), add });
  const field = findSearchField('filters', name);
  const query = add(formatPhrase(splitText(String(toStorable(text))).map(foldWord), '', false), 'tsquery');
  return `EXISTS (${writeValues(field, add)} AND to_tsvector('simple', item #>> '{}') @@ ${query})`;
}

const chooseWeight = (name: 'content' | 'title') => (name === 'content' ? 'D' : 'A');

function formatPhraseQuery(
  text: string,
  { isPrefix, weight, add }: { isPrefix: boolean; weight: string; add: AddValue },
): string {
  const words = splitText(String(toStorable(text))).map(foldWord);
  return words.length === 0 ? 'false' : `exact @@ ${add(formatPhrase(words, weight, isPrefix), 'tsquery')}`;
}

/** Consecutive words as a query of PostgreSQL. */
export function formatPhrase(words: readonly string[], weight: string, isPrefix: boolean): string {
  return words
    .map((word, at) => {
      const marks = `${isPrefix && at === words.length - 1 ? '*' : ''}${weight}`;
      return `${quoteLexeme(word)}${marks === '' ? '' : `:${marks}`}`;
    })
    .join(' <-> ');
}

/** A word as PostgreSQL reads it within a query. */
export function quoteLexeme(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

function formatExistence(name: string, add: AddValue): string {
  const field = findSearchField('filters', name);
  if (field.kind === 'metadata') return `EXISTS (${writeValues(field, add)})`;
  return field.kind === 'date' ? `${timeColumns[field.path]} IS NOT NULL` : `${writeText(field)} <> ''`;
}

/** A column of a record as text. */
export function writeText({ path }: SearchField): string {
  const columns = ['id', 'document_id', 'job_id', 'run_id', 'title', 'created_at', 'updated_at'];
  const column = path === 'content_start' ? 'left(content, 256)' : columns.find((name) => name === path);
  if (column === undefined) throw createFieldError('filters', `${cutExcerpt(path)} is not a field of a record.`, path);
  return column;
}

/** The values of a key of metadata, of each member of a list by itself. */
export function writeValues({ path }: SearchField, add: AddValue): string {
  const keys = path.slice('metadata.'.length).split('.');
  const steps = [keys, ...(keys.length > 1 ? [[keys.join('.')]] : [])].map((parts) =>
    add(`lax $${parts.map((part) => `.${JSON.stringify(toStorable(part))}`).join('')}[*]`, 'jsonpath'),
  );
  const read = steps.map((step) => `SELECT jsonb_path_query(metadata, ${step}, '{}', true)`).join(' UNION ALL ');
  return `SELECT 1 FROM (${read}) AS found (item) WHERE jsonb_typeof(item) IN ('string', 'number', 'boolean')`;
}

/** The moment of a date as OpenSearch reads it: a missing month or day is the first; with `isEnd`, a missing time is the last of the day. */
function parseMoment(text: string, { isEnd = false } = {}): string {
  const start = new Date(text.replace(',', '.')).getTime();
  return new Date(isEnd && !text.includes('T') ? start + dayMs - 1 : start).toISOString();
}
