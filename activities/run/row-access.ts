import { type AccessList, accessColumns, normalizeAccessList } from '../../model/access-list';
import type { Row } from '../../model/flow/row';
import type { OperatorResult } from '../../operators/operator';

/** Applies `withInputAccess` to the result of an operator, including its branches. */
export function restrictResult(input: readonly Row[], result: OperatorResult): OperatorResult {
  const keep = (rows: readonly Row[]) => withInputAccess(input, rows);
  const branches = Object.entries(result.branches ?? {}).map(([name, rows]) => [name, keep(rows)] as const);
  return {
    ...result,
    rows: keep(result.rows),
    ...(result.branches ? { branches: Object.fromEntries(branches) } : {}),
  };
}

type KnownLists = Record<(typeof accessColumns)[number], Set<string>>;

/**
 * Restricts the readers of each row to those of its document in the input, regardless of the operator's code: allowed names
 * and principals can only shrink, denied principals and required lists only grow. A row of no input document has no readers.
 * Unchanged rows stay the same objects.
 */
export function withInputAccess(input: readonly Row[], result: readonly Row[]): Row[] {
  const lists = new Map<string, KnownLists>();
  for (const row of input)
    for (const key of new Set([row.id, row.document_id ?? row.id])) {
      const knownLists = lists.get(key) ?? createEmptyLists();
      for (const column of accessColumns)
        for (const value of normalizeAccessList(row)[column] ?? []) knownLists[column].add(value);
      lists.set(key, knownLists);
    }
  return result.map((row) => {
    const knownLists = lists.get(row.id) ?? lists.get(row.document_id ?? row.id) ?? createEmptyLists();
    const storedList = getKeptList(row, knownLists);
    return isSameList(row, storedList) ? row : ({ ...omitList(row), ...storedList } as Row);
  });
}

function getKeptList(row: AccessList, storedLists: KnownLists): AccessList {
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
