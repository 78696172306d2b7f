/** Numbers list items like Word. */
export interface Lists {
  /** `list` is the list number of the paragraph, from 1. Items with the same `number` belong to one list. */
  next(list: number, level: number): { number: string; enumerated: boolean; marker: string };
}

interface Level {
  start: number;
  format: number;
}
const bullet = 23;
const none = 255;

/** Reads list definitions and overrides (MS-DOC 2.9.131 and 2.9.132). `from` is the table stream from the start of the lists. */
export function readLists(from: Buffer, uses: Buffer): Lists {
  const definitions = readDefinitions(from);
  const counters = new Map<string, number[]>();
  const count = uses.length < 4 ? 0 : uses.readUInt32LE(0);
  return {
    next(list, level) {
      const at = 4 + 16 * (list - 1);
      const id = list >= 1 && list <= count && at + 4 <= uses.length ? uses.readInt32LE(at) : undefined;
      const levels = definitions.get(id ?? NaN);
      const format = levels?.[level]?.format ?? bullet;
      const key = String(id ?? `#${list}`);
      const values = counters.get(key) ?? [];
      const getStart = (place: number) => levels?.[place]?.start ?? 1;
      values[level] = (values[level] ?? getStart(level) - 1) + 1;
      values.length = level + 1;
      counters.set(key, values);
      const enumerated = format !== bullet && format !== none;
      const path = Array.from({ length: level + 1 }, (_, place) => values[place] ?? getStart(place));
      return { number: String(list), enumerated, marker: enumerated ? `${path.join('.')}.` : '' };
    },
  };
}

function readDefinitions(from: Buffer): Map<number, Level[]> {
  const definitions = new Map<number, Level[]>();
  if (from.length < 2) return definitions;
  const count = from.readUInt16LE(0);
  let at = 2 + 28 * count;
  for (let index = 0; index < count && at + 28 <= from.length; index++) {
    const head = 2 + 28 * index;
    const levels: Level[] = [];
    // A simple list has one level, other lists have nine.
    const depth = from[head + 26]! & 1 ? 1 : 9;
    while (levels.length < depth && at + 28 <= from.length) {
      levels.push({ start: from.readInt32LE(at), format: from[at + 4]! });
      const text = at + 28 + from[at + 24]! + from[at + 25]!;
      at = text + 2 + (text + 2 <= from.length ? 2 * from.readUInt16LE(text) : 0);
    }
    definitions.set(from.readInt32LE(head), levels);
  }
  return definitions;
}
