import { mandatoryColumns } from '../../model/flow/row';
import { isWord, type SqlToken, tokenizeSql } from './sql-tokens';

const clauses = [
  'from',
  'where',
  'group',
  'having',
  'window',
  'qualify',
  'order',
  'limit',
  'offset',
  'using',
  'sample',
  'fetch',
];
const setOperations = ['union', 'intersect', 'except'];

/** Why a text is not a single SELECT over `input`; undefined when it may be one. */
export function findQueryProblem(sql: string): string | undefined {
  const tokens = tokenizeSql(sql);
  if (!tokens) return 'a quote, a comment or a parenthesis is not closed';
  const body = trimSemicolons(tokens);
  if (body.length === 0) return 'it is empty';
  if (body.some(({ kind, text }) => kind === 'sign' && text === ';')) return 'it holds more than one statement';
  if (isWord(body[0], 'select', 'with', 'from', 'values') || body[0]?.text === '(') return undefined;
  return `it begins with '${body[0]?.text}', not with SELECT`;
}

/** The mandatory columns that the result certainly lacks. Unclear cases count as kept. */
export function listDroppedColumns(sql: string): string[] {
  const list = findSelectList(trimSemicolons(tokenizeSql(sql) ?? []));
  if (!list) return [];
  const items = list.map(readItem);
  if (items.includes(undefined)) return [];
  return mandatoryColumns.filter((column) => !items.some((item) => item?.(column)));
}

/** The tokens without semicolons at the end. */
function trimSemicolons(tokens: readonly SqlToken[]): SqlToken[] {
  const last = tokens.findLastIndex(({ text, kind }) => !(kind === 'sign' && text === ';'));
  return tokens.slice(0, last + 1);
}

/** The items of the select list, if there is exactly one top-level SELECT. */
function findSelectList(tokens: readonly SqlToken[]): SqlToken[][] | undefined {
  const top = tokens.filter(({ depth }) => depth === 0);
  if (!isWord(tokens[0], 'select', 'with', 'from') || top.some((token) => isWord(token, ...setOperations)))
    return undefined;
  if (top.filter((token) => isWord(token, 'select')).length !== 1) return undefined;
  let start = tokens.findIndex((token) => token.depth === 0 && isWord(token, 'select')) + 1;
  if (isWord(tokens[start], 'all')) start += 1;
  // DISTINCT ON (…) is rare, so the query counts as unclear.
  if (isWord(tokens[start], 'distinct')) {
    start += 1;
    if (isWord(tokens[start], 'on')) return undefined;
  }
  const end = tokens.findIndex((token, index) => index >= start && token.depth === 0 && isWord(token, ...clauses));
  return splitAtCommas(tokens.slice(start, end === -1 ? undefined : end)).filter((item) => item.length > 0);
}

function splitAtCommas(tokens: readonly SqlToken[]): SqlToken[][] {
  const items: SqlToken[][] = [[]];
  for (const token of tokens) {
    if (token.depth === 0 && token.kind === 'sign' && token.text === ',') items.push([]);
    else items.at(-1)?.push(token);
  }
  return items;
}

/** Returns a predicate for the columns that the item produces; undefined when that could be any column. */
function readItem(item: SqlToken[]): ((column: string) => boolean) | undefined {
  if (item[0]?.text === '*') return readStar(item.slice(1));
  if (item[1]?.text === '.' && item[2]?.text === '*') return readStar(item.slice(3));
  const last = item.at(-1);
  const isUnclear = item.some((token) => isWord(token, 'columns', 'unnest')) || last?.text === '*';
  // The alias after AS may be a string literal.
  if (isUnclear || last?.kind === 'text') return undefined;
  const named = item[1]?.text === ':' && item[2]?.text !== ':' ? item[0] : last;
  const name = named?.kind === 'word' || named?.kind === 'name' ? named.text.toLowerCase() : undefined;
  return (column) => column === name;
}

/** Reads what follows the star: `* EXCLUDE (id, content)`. */
function readStar(rest: SqlToken[]): ((column: string) => boolean) | undefined {
  if (rest.length === 0 || isWord(rest[0], 'replace')) return () => true;
  if (!isWord(rest[0], 'exclude')) return undefined;
  const isList = rest[1]?.text === '(';
  const end = isList ? rest.findIndex(({ depth, text }, index) => index > 1 && depth === 0 && text === ')') : 2;
  const after = rest[isList ? end + 1 : end];
  if (after && !isWord(after, 'replace')) return undefined;
  const names = rest.slice(1, end).filter(({ kind }) => kind === 'word' || kind === 'name');
  const excluded = new Set(names.map(({ text }) => text.toLowerCase()));
  return (column) => !excluded.has(column);
}
