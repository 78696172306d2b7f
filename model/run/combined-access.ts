import type { Row } from '../flow/row';

/** Rows by who may read them, in the order in which the lists first come. */
export function byAccessList(rows: readonly Row[]): Row[][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = JSON.stringify([...new Set(row.allowed_users ?? [])].toSorted());
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()];
}

/**
 * The result with the readers that it may have: a row that says something of other documents can be read by those only who may
 * read all that came in. A row is its document's own when it holds what came in, or when `again`, given the rows of the same
 * list only, makes the same of it. Without `again` every row that differs from what came in counts as combined.
 */
export async function withCombinedAccess(
  rows: readonly Row[],
  result: readonly Row[],
  again?: (rows: readonly Row[]) => Promise<readonly Row[]>,
): Promise<{ rows: Row[]; combined: number }> {
  const groups = byAccessList(rows);
  const origins = new Map(rows.map((row) => [row.id, row]));
  const suspects = result.filter((row) => !isSame(row, origins.get(row.id)));
  if (groups.length < 2 || suspects.length === 0) return { rows: [...result], combined: 0 };
  const ids = new Set(suspects.map(({ id }) => id));
  const alone = new Map<string, Row>();
  for (const group of again ? groups.filter((one) => one.some(({ id }) => ids.has(id))) : [])
    for (const row of (await again?.(group)) ?? []) alone.set(row.id, row);
  const everybody = groups.map(([first]) => new Set(first?.allowed_users));
  let combined = 0;
  const open = result.map((row) => {
    if (!ids.has(row.id) || isSame(row, alone.get(row.id))) return row;
    combined += 1;
    return {
      ...row,
      allowed_users: (row.allowed_users ?? []).filter((user) => everybody.every((one) => one.has(user))),
    };
  });
  return { rows: open, combined };
}

/** Equal in all that a row says; absent and null are the same, and who may read it is no part of it. */
function isSame(row: Row, other: Row | undefined): boolean {
  if (!other) return false;
  return Object.keys(row).every(
    (name) => name === 'allowed_users' || JSON.stringify(row[name] ?? null) === JSON.stringify(other[name] ?? null),
  );
}
