import type { Profile } from '../../format';
import { type NumberFormat, formatCount } from '../../list-numbers';

/** Numbers list items like Word. */
export interface Lists {
  /** `list` is the list number of the paragraph, from 1. Items with the same `number` belong to one list. */
  next(list: number, level: number): { number: string; enumerated: boolean; marker: string };
  /** False in the profile `reference`, which numbers headings by their levels, not as Word does. */
  readonly showsNumbers: boolean;
}

interface Level {
  start: number;
  format: number;
  /** The template of the number; characters below 9 are placeholders for the number of that level. */
  text: string;
  /** All numbers of the text are written with digits, regardless of the formats of their levels. */
  isLegal: boolean;
}
/** Longer texts are not numbers. */
const maxNumberLength = 100;
const deepestLevel = 8;
const bullet = 23;
const none = 255;
/** Codes of number formats (MS-OSHARED 2.2.1.3); others are written with digits. */
const formats: Readonly<Record<number, NumberFormat>> = {
  1: 'upperRoman',
  2: 'lowerRoman',
  3: 'upperLetter',
  4: 'lowerLetter',
  5: 'ordinal',
  22: 'decimalZero',
};

/** Reads list definitions and overrides (MS-DOC 2.9.131 and 2.9.132). `table` is the table stream from the start of the lists. */
export function readLists(table: Buffer, overrides: Buffer, profile?: Profile): Lists {
  const definitions = readDefinitions(table);
  const counters = new Map<string, number[]>();
  const count = overrides.length < 4 ? 0 : overrides.readUInt32LE(0);
  const showsNumbers = profile !== 'reference';
  return {
    showsNumbers,
    next(list, level) {
      const at = 4 + 16 * (list - 1);
      const id = list >= 1 && list <= count && at + 4 <= overrides.length ? overrides.readInt32LE(at) : undefined;
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
      const numberText = enumerated && showsNumbers ? formatNumber(levels ?? [], level, path) : undefined;
      return { number: String(list), enumerated, marker: enumerated ? (numberText ?? `${path.join('.')}.`) : '' };
    },
  };
}

/** Formats the number like Word; undefined if the text of the level contains none. */
function formatNumber(levels: readonly Level[], level: number, path: readonly number[]): string | undefined {
  const { text = '', isLegal } = levels[level] ?? {};
  let hasNumber = false;
  const numberText = Array.from(text, (character) => {
    const at = character.charCodeAt(0);
    if (at > deepestLevel) return character;
    hasNumber = true;
    return formatCount(path[at] ?? 1, isLegal ? 'decimal' : (formats[levels[at]?.format ?? 0] ?? 'decimal'));
  }).join('');
  return hasNumber ? numberText.trim() : undefined;
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
      const begin = at + 28 + from[at + 24]! + from[at + 25]!;
      const end = begin + 2 + (begin + 2 <= from.length ? 2 * from.readUInt16LE(begin) : 0);
      const text = from.toString('utf16le', begin + 2, Math.min(end, begin + 2 + 2 * maxNumberLength));
      levels.push({ start: from.readInt32LE(at), format: from[at + 4]!, text, isLegal: (from[at + 5]! & 4) !== 0 });
      at = end;
    }
    definitions.set(from.readInt32LE(head), levels);
  }
  return definitions;
}
