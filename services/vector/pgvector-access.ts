import type { Reader } from '../../model/access';
import { listKnownPrincipals } from '../../model/access-list';

/** Adds a value to a statement and returns its place, with the type. */
export type AddValue = (value: unknown, type: string) => string;

/** The values of a statement. Everything that a request contains gets into a statement this way only. */
export class StatementValues {
  readonly list: unknown[] = [];
  readonly add: AddValue = (value, type) => {
    this.list.push(value);
    return `$${this.list.length}::${type}`;
  };
}

/** `mayRead` as a condition on the columns of a table. */
export function writeReadableCondition(reader: Reader, add: AddValue): string {
  const principals = add([...listKnownPrincipals(reader)], 'text[]');
  const denied =
    reader.principals === undefined ? 'cardinality(denied_principals) > 0' : `denied_principals && ${principals}`;
  return `(
  (allowed_users @> ARRAY[${add(reader.username, 'text')}] OR allowed_principals && ${principals})
  AND NOT (${denied})
  AND NOT EXISTS (
    SELECT 1 FROM jsonb_array_elements(required_lists) AS required
    WHERE (required -> 'principals' ?| ${principals}) IS NOT TRUE))`;
}
