import type { Row } from '../../model/flow/row';
import { writeCriteria, writeList } from './criteria';

/** The rows to select, in one of two forms. Used by filters and by each branch. */
export interface Criteria {
  criteria_list?: string[];
  criteria_json?: Record<string, unknown>;
  logical_operator?: string;
}

/** The WHERE clause of the criteria; undefined when there are none, which matches every row. */
export function findCondition({
  criteria_list: list,
  criteria_json: json,
  logical_operator: join,
}: Criteria): string | undefined {
  if (list !== undefined) return writeList(list, join);
  return json === undefined ? undefined : writeCriteria(json);
}

/** The rows without columns that the condition cannot refer to, mostly the large ones. */
export function selectMentionedColumns(rows: readonly Row[], condition: string): readonly Row[] {
  const text = condition.toLowerCase();
  // These refer to columns without naming them.
  if (text.includes('columns') || text.includes('*') || text.includes('input')) return rows;
  const names = ['id', ...new Set(rows.flatMap(Object.keys))].filter(
    (name) => name === 'id' || text.includes(name.toLowerCase()),
  );
  return rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])) as Row);
}
