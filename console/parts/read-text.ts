/** A member of a record whose form the server does not promise; empty if it is not a text. */
export function readText(record: Readonly<Record<string, unknown>>, name: string): string {
  const value = record[name];
  return typeof value === 'string' ? value : '';
}
