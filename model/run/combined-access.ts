import { accessColumns, getAccessKey, combineLists } from '../access-list';
import type { Row } from '../flow/row';

/** Groups rows by access list, in order of first occurrence. */
export function groupByAccessList(rows: readonly Row[]): Row[][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = getAccessKey(row);
    const group = groups.get(key) ?? [];
    group.push(row);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/**
 * Restricts access to combined rows: a row that contains data of other documents is readable only by users who may read all
 * inputs. A row counts as the document's own when it equals its input, or when `again` produces the same row from the inputs
 * with the same access list alone. Without `again`, every changed row counts as combined.
 */
export async function withCombinedAccess(
  rows: readonly Row[],
  result: readonly Row[],
  again?: (rows: readonly Row[]) => Promise<readonly Row[]>,
): Promise<{ rows: Row[]; combined: number }> {
  const groups = groupByAccessList(rows);
  const inputsById = new Map(rows.map((row) => [row.id, row]));
  const changedRows = result.filter((row) => !isSame(row, inputsById.get(row.id)));
  if (groups.length < 2 || changedRows.length === 0) return { rows: [...result], combined: 0 };
  const ids = new Set(changedRows.map(({ id }) => id));
  const alone = new Map<string, Row>();
  if (again) {
    const changedGroups = groups.filter((group) => group.some(({ id }) => ids.has(id)));
    for (const group of changedGroups) for (const row of await again(group)) alone.set(row.id, row);
  }
  const lists = groups.flatMap(([first]) => first ?? []);
  let combined = 0;
  const restricted = result.map((row) => {
    if (!ids.has(row.id) || isSame(row, alone.get(row.id))) return row;
    combined += 1;
    return { ...row, ...combineLists(row, lists) } as Row;
  });
  return { rows: restricted, combined };
}

/** Compares all columns except the access list; absent and null are equal. */
function isSame(row: Row, other: Row | undefined): boolean {
  if (!other) return false;
  return Object.keys(row).every(
    (name) => isAccess(name) || JSON.stringify(row[name] ?? null) === JSON.stringify(other[name] ?? null),
  );
}

function isAccess(column: string): boolean {
  return (accessColumns as readonly string[]).includes(column);
}
