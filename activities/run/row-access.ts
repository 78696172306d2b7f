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

/**
 * Restricts the readers of each row to those that the input had for the same document, whatever the code of the operator did. A
 * row that belongs to none of the documents has no readers. Rows that need no change stay the same objects.
 */
export function withInputAccess(input: readonly Row[], result: readonly Row[]): Row[] {
  const readers = new Map<string, Set<string>>();
  for (const { id, document_id, allowed_users: users = [] } of input)
    for (const key of new Set([id, document_id ?? id])) {
      const known = readers.get(key) ?? new Set<string>();
      for (const user of users) known.add(user);
      readers.set(key, known);
    }
  return result.map((row) => {
    const known = readers.get(row.id) ?? readers.get(row.document_id ?? row.id);
    const users = row.allowed_users ?? [];
    if (users.every((user) => known?.has(user))) return row;
    return { ...row, allowed_users: users.filter((user) => known?.has(user)) };
  });
}
