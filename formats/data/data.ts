/** Structured data: JSON, or XML whose elements contain values. Scalars are texts as written in the file. */
export type Data = string | DataList | DataMap;

export interface DataList {
  kind: 'list';
  items: Data[];
}

/** Entries in file order; a key may be repeated. */
export interface DataMap {
  kind: 'map';
  entries: [key: string, value: Data][];
}

/** Maximum length of a text on one line with its key. */
const maxInlineLength = 300;
/** Maximum length of a list of short values on one line. */
const maxJoinedLength = 160;

/** Returns the value as one line; undefined if it is too long, has several lines, or contains maps. */
export function findInlineText(data: Data): string | undefined {
  if (typeof data === 'string') return data.length <= maxInlineLength && !data.includes('\n') ? data : undefined;
  if (data.kind === 'map') return undefined;
  let joined = '';
  for (const item of data.items) {
    const inner = findInlineText(item);
    if (inner === undefined) return undefined;
    const text = typeof item === 'string' ? inner : `[${inner}]`;
    joined += joined === '' ? text : `, ${text}`;
    if (joined.length > maxJoinedLength) return undefined;
  }
  return joined;
}

/** Counts the single values; stops at `max`. */
export function countLeaves(data: Data, max: number): number {
  if (typeof data === 'string') return 1;
  const inner = data.kind === 'list' ? data.items : data.entries.map(([, value]) => value);
  let count = 0;
  for (const value of inner) {
    count += countLeaves(value, max - count);
    if (count >= max) return count;
  }
  return count;
}
