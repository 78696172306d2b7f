import type { Row } from '../../model/flow/row';
import { fromJson, fromList } from './criteria';

/** Which rows are meant, in one of two forms; a filter and each branch of a branching have them. */
export interface Criteria {
  criteria_list?: string[];
  criteria_json?: Record<string, unknown>;
  logical_operator?: string;
}

/** The WHERE clause of criteria; undefined when there are none, which every row meets. */
export function conditionOf({
  criteria_list: list,
  criteria_json: json,
  logical_operator: join,
}: Criteria): string | undefined {
  if (list !== undefined) return fromList(list, join);
  return json === undefined ? undefined : fromJson(json);
}

/** The rows without what the condition cannot speak of, which is mostly the large columns. */
export function mentioned(rows: readonly Row[], condition: string): readonly Row[] {
  const text = condition.toLowerCase();
  // These speak of columns without naming them.
  if (text.includes('columns') || text.includes('*') || text.includes('input')) return rows;
  const names = ['id', ...new Set(rows.flatMap(Object.keys))].filter(
    (name) => name === 'id' || text.includes(name.toLowerCase()),
  );
  return rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])) as Row);
}
