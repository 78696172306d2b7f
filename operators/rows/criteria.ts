import { AppError } from '../../model/errors';
import { tokenizeSql } from '../sql_filter/sql-tokens';

/** Comparison operators of `criteria_json`, mapped to SQL. */
const comparisons: Readonly<Record<string, string>> = {
  '=': '=',
  '==': '=',
  '!=': '<>',
  '<>': '<>',
  '>': '>',
  '<': '<',
  '>=': '>=',
  '<=': '<=',
  like: 'LIKE',
  'not like': 'NOT LIKE',
};
const otherOperators = ['in', 'not in', 'is null', 'is not null', 'between'];

/** The operators of `criteria_json`, in any letter case. */
export const criteriaOperators: readonly string[] = [...Object.keys(comparisons), ...otherOperators];

/** Maximum nesting of groups. Deeper input is a mistake or an attack on the parser. */
const maxDepth = 50;

/** Joins WHERE clauses by AND or OR, each in parentheses. Throws OPERATOR_CONFIGURATION_INVALID with the location. */
export function writeList(fragments: readonly string[], logicalOperator = 'AND'): string {
  for (const [index, fragment] of fragments.entries()) {
    const tokens = tokenizeSql(fragment);
    if (!tokens)
      throw createInvalidError(`/criteria_list/${index}`, 'has a quote, a comment or a parenthesis that is not closed');
    if (tokens.length === 0) throw createInvalidError(`/criteria_list/${index}`, 'is empty');
    if (tokens.some(({ kind, text }) => kind === 'sign' && text === ';'))
      throw createInvalidError(`/criteria_list/${index}`, 'holds a semicolon; expected one condition');
  }
  if (fragments.length === 0) throw createInvalidError('/criteria_list', 'is empty; expected at least one condition');
  // On separate lines, because a fragment may end in a comment.
  return fragments
    .map((fragment) => `(\n${fragment}\n)`)
    .join(` ${writeJoiner(logicalOperator, '/logical_operator')} `);
}

/**
 * Converts a tree of groups (`logical_operator`, `criteria_list`) and leaves (`variable`, `operator`, `value`) to a condition.
 */
export function writeCriteria(criteria: unknown, pointer = '/criteria_json', depth = 0): string {
  if (depth > maxDepth) throw createInvalidError(pointer, `is nested more than ${maxDepth} groups deep`);
  if (typeof criteria !== 'object' || criteria === null || Array.isArray(criteria))
    throw createInvalidError(pointer, `is ${show(criteria)}; expected a group or a criterion`);
  const node = criteria as Record<string, unknown>;
  if (!('criteria_list' in node)) return writeLeaf(node, pointer);
  const members = node['criteria_list'];
  if (!Array.isArray(members) || members.length === 0)
    throw createInvalidError(`${pointer}/criteria_list`, 'must be a list of at least one criterion');
  const join = writeJoiner(node['logical_operator'] ?? 'AND', `${pointer}/logical_operator`);
  return `(${members.map((member, index) => writeCriteria(member, `${pointer}/criteria_list/${index}`, depth + 1)).join(` ${join} `)})`;
}

/** The columns named in the leaves of a tree. */
export function listVariables(criteria: unknown): string[] {
  if (typeof criteria !== 'object' || criteria === null) return [];
  const { variable, criteria_list: members } = criteria as Record<string, unknown>;
  return [
    ...(typeof variable === 'string' ? [variable] : []),
    ...(Array.isArray(members) ? members.flatMap(listVariables) : []),
  ];
}

function writeLeaf({ variable, operator, value }: Record<string, unknown>, pointer: string): string {
  if (typeof variable !== 'string' || variable === '' || variable.includes('\0'))
    throw createInvalidError(`${pointer}/variable`, `is ${show(variable)}; expected the name of a column`);
  const name = `"${variable.replaceAll('"', '""')}"`;
  const spelling = typeof operator === 'string' ? operator.trim().toLowerCase().replaceAll(/\s+/g, ' ') : '';
  const valuePointer = `${pointer}/value`;
  if (spelling === 'is null' || spelling === 'is not null') return `(${name} ${spelling.toUpperCase()})`;
  if (spelling === 'in' || spelling === 'not in') {
    const list = parseList(value, ',');
    if (!list || list.length === 0)
      throw createInvalidError(valuePointer, `is ${show(value)}; ${spelling} expects a list of at least one value`);
    return `(${name} ${spelling.toUpperCase()} (${list.map((item, index) => writeLiteral(item, `${valuePointer}/${index}`)).join(', ')}))`;
  }
  if (spelling === 'between') {
    const list = parseList(value, /,|\band\b/i);
    if (list?.length !== 2)
      throw createInvalidError(valuePointer, `is ${show(value)}; between expects a list of two values`);
    return `(${name} BETWEEN ${writeLiteral(list[0], `${valuePointer}/0`)} AND ${writeLiteral(list[1], `${valuePointer}/1`)})`;
  }
  const comparison = Object.hasOwn(comparisons, spelling) ? comparisons[spelling] : undefined;
  if (!comparison)
    throw createInvalidError(
      `${pointer}/operator`,
      `is ${show(operator)}; expected one of ${criteriaOperators.join(', ')}`,
    );
  return `(${name} ${comparison} ${writeLiteral(value, valuePointer)})`;
}

/** Parses a list, or its text form: `a, b` or `1 and 5`, with or without quotes around values. */
function parseList(value: unknown, separator: string | RegExp): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const items = value.split(separator).map((item) => item.trim().replace(/^'(.*)'$|^"(.*)"$/s, '$1$2'));
  return items.includes('') ? undefined : items;
}

function writeLiteral(value: unknown, pointer: string): string {
  if (typeof value === 'string' && !value.includes('\0')) return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  const hint = value === null ? " (for null, use the operator 'is null')" : '';
  throw createInvalidError(pointer, `is ${show(value)}; expected a text, a number, true or false${hint}`);
}

function writeJoiner(value: unknown, pointer: string): string {
  const word = typeof value === 'string' ? value.trim().toUpperCase() : '';
  if (word === 'AND' || word === 'OR') return word;
  throw createInvalidError(pointer, `is ${show(value)}; expected AND or OR`);
}

function createInvalidError(pointer: string, message: string): AppError {
  return new AppError('OPERATOR_CONFIGURATION_INVALID', `The filter's ${pointer} ${message}.`, {
    target: { type: 'field', name: pointer },
  });
}

function show(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value).slice(0, 200);
}
