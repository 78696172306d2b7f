import { type AccessList, accessColumns, normalizeAccessList } from '../../model/access-list';
import { getDocumentId, type Row } from '../../model/flow/row';
import type { OperatorResult } from '../../operators/operator';
import { identifyingColumns } from '../../operators/rows/drop-columns';

/** Applies `restrictAccess` and `restoreIdentity` to the result of an operator, including its branches. */
export function restrictResult(input: readonly Row[], result: OperatorResult): OperatorResult {
  const keep = (rows: readonly Row[]) => restoreIdentity(input, restrictAccess(input, rows));
  const branches = Object.entries(result.branches ?? {}).map(([name, rows]) => [name, keep(rows)] as const);
  return {
    ...result,
    rows: keep(result.rows),
    ...(result.branches ? { branches: Object.fromEntries(branches) } : {}),
  };
}

/** Judged by `isOwnReference`, because operators that convert or mask a document change it. */
const fixedColumns = identifyingColumns.filter((column) => column !== 'document_ref');

/**
 * Restores the columns that say which document a row is of, regardless of the operator's code: an input row keeps its own, and
 * a new row belongs to a document of the input or to none. Otherwise a record could pass for a part of another user's document,
 * or open its full form.
 */
export function restoreIdentity(input: readonly Row[], result: readonly Row[]): Row[] {
  const origins = new Map(input.map((row) => [row.id, row]));
  const documents = new Map<string, Set<unknown>>();
  for (const row of input) {
    const references = documents.get(getDocumentId(row)) ?? new Set();
    documents.set(getDocumentId(row), references.add(row.document_ref));
  }
  return result.map((row) => {
    const origin = origins.get(row.id);
    const isKnown = origin !== undefined || documents.has(getDocumentId(row));
    const expected: Partial<Row> = origin ?? (isKnown ? row : { ...row, document_id: row.id });
    const fixed = fixedColumns.filter((column) => (row[column] ?? null) !== (expected[column] ?? null));
    const restored: Row = { ...row, ...Object.fromEntries(fixed.map((column) => [column, expected[column]])) };
    const isOwn = isOwnReference(restored, documents.get(getDocumentId(restored)));
    if (!isOwn) return { ...restored, document_ref: origin?.document_ref };
    return fixed.length === 0 ? row : restored;
  });
}

/** Keys of full documents contain the id of their document. */
function isOwnReference(row: Row, references: ReadonlySet<unknown> | undefined): boolean {
  const { document_ref: reference } = row;
  if (reference === undefined || reference === null || references?.has(reference)) return true;
  return typeof reference === 'string' && reference.split('/')[2] === getDocumentId(row);
}

type KnownLists = Record<(typeof accessColumns)[number], Set<string>>;

/**
 * Restricts the readers of each row to those of its document in the input, regardless of the operator's code: allowed names
 * and principals can only shrink, denied principals and required lists only grow. A row of no input document has no readers.
 * Unchanged rows stay the same objects.
 */
export function restrictAccess(input: readonly Row[], result: readonly Row[]): Row[] {
  const lists = new Map<string, KnownLists>();
  for (const row of input)
    for (const key of new Set([row.id, getDocumentId(row)])) {
      const knownLists = lists.get(key) ?? createEmptyLists();
      for (const column of accessColumns)
        for (const value of normalizeAccessList(row)[column] ?? []) knownLists[column].add(value);
      lists.set(key, knownLists);
    }
  return result.map((row) => {
    const knownLists = lists.get(row.id) ?? lists.get(getDocumentId(row)) ?? createEmptyLists();
    const restricted = restrictList(row, knownLists);
    return isSameList(row, restricted) ? row : ({ ...omitList(row), ...restricted } as Row);
  });
}

function restrictList(row: AccessList, storedLists: KnownLists): AccessList {
  const {
    allowed_users,
    allowed_principals = [],
    denied_principals = [],
    required_lists = [],
  } = normalizeAccessList(row);
  return normalizeAccessList({
    allowed_users: allowed_users.filter((user) => storedLists.allowed_users.has(user)),
    allowed_principals: (allowed_principals ?? []).filter((principal) => storedLists.allowed_principals.has(principal)),
    denied_principals: [...new Set([...(denied_principals ?? []), ...storedLists.denied_principals])],
    required_lists: [...new Set([...(required_lists ?? []), ...storedLists.required_lists])],
  });
}

function isSameList(row: AccessList, stored: AccessList): boolean {
  return accessColumns.every((column) => {
    const rowValue: unknown = row[column] ?? [];
    const other = stored[column] ?? [];
    return (
      Array.isArray(rowValue) && rowValue.length === other.length && other.every((value) => rowValue.includes(value))
    );
  });
}

function omitList(row: Row): Partial<Row> {
  const isAccess = (name: string) => (accessColumns as readonly string[]).includes(name);
  return Object.fromEntries(Object.entries(row).filter(([name]) => !isAccess(name)));
}

function createEmptyLists(): KnownLists {
  return {
    allowed_users: new Set(),
    allowed_principals: new Set(),
    denied_principals: new Set(),
    required_lists: new Set(),
  };
}
