import type { Row } from '../../model/flow/row';
import type { OperatorResult } from '../../operators/operator';

/** What an operator gave, its branches too, under `withInputAccess`. */
export function guarded(input: readonly Row[], result: OperatorResult): OperatorResult {
  const keep = (rows: readonly Row[]) => withInputAccess(input, rows);
  const branches = Object.entries(result.branches ?? {}).map(([name, rows]) => [name, keep(rows)] as const);
  return {
    ...result,
    rows: keep(result.rows),
    ...(result.branches ? { branches: Object.fromEntries(branches) } : {}),
  };
}

/**
 * The rows of a result with readers that what came in had for the same document, whatever the code of an operator did: a row that
 * belongs to none of the documents can be read by nobody. Rows that need no change stay the same objects.
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
