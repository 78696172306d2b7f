import { toRoman } from '../../roman';
import { child, elements, type XmlElement } from '../../xml/xml';
import type { NumberingRef } from './styles';

interface Level {
  format: string;
  text: string;
  start: number;
  /** The style linked to this level. */
  style: string | undefined;
  /** True if an item of a higher level restarts it. */
  restarts: boolean;
}
interface Definition {
  levels: Map<number, Level>;
}
interface Instance {
  definition: string;
  /** Start values that this instance overrides. */
  starts: Map<number, number>;
  levels: Map<number, Level>;
}

/** The position of a list item, numbered like Word. */
export interface ListPlace {
  /** Items with the same number belong to one list. */
  number: string;
  level: number;
  enumerated: boolean;
  /** `1.2.` for enumerated items, empty for bullets. */
  marker: string;
}

/** Numbers list items in document order. */
export interface Numbering {
  /** Resolves a reference to list and level; undefined if it removes the paragraph from every list. */
  resolve(reference: NumberingRef | undefined): { number: string; level: number } | undefined;
  isEnumerated(number: string, level: number): boolean;
  /** Counts one item and returns its position. */
  next(number: string, level: number): ListPlace;
}

const placeholder = /%([1-9])/g;

/** Reads `word/numbering.xml`. Undefined numbers count as bullets. */
export function readNumbering(root: XmlElement | undefined): Numbering {
  const { definitions, instances } = readDefinitions(root);
  // Instances of the same definition continue each other's count, unless an instance sets a start value.
  const counters = new Map<string, Map<number, number>>();
  const begun = new Set<string>();
  const getLevel = (number: string, level: number): Level | undefined => {
    const instance = instances.get(number);
    return instance?.levels.get(level) ?? definitions.get(instance?.definition ?? '')?.levels.get(level);
  };
  const getStart = (number: string, level: number) =>
    instances.get(number)?.starts.get(level) ?? getLevel(number, level)?.start ?? 1;
  const isEnumerated = (number: string, level: number) =>
    !['bullet', 'none', undefined].includes(getLevel(number, level)?.format);

  function count(number: string, level: number): Map<number, number> {
    const instance = instances.get(number);
    const key = instance?.definition ?? `#${number}`;
    let values = counters.get(key);
    if (values === undefined) counters.set(key, (values = new Map()));
    if (!begun.has(number)) {
      begun.add(number);
      for (const from of instance?.starts.keys() ?? []) values.delete(from);
    }
    values.set(level, (values.get(level) ?? getStart(number, level) - 1) + 1);
    for (const deeper of values.keys()) {
      if (deeper > level && getLevel(number, deeper)?.restarts !== false) values.delete(deeper);
    }
    return values;
  }
  function getMarker(number: string, level: number, values: Map<number, number>): string {
    const text = getLevel(number, level)?.text ?? '';
    const getValue = (at: number) => values.get(at) ?? getStart(number, at);
    const words = text.replaceAll(placeholder, '').replaceAll(/[\s.:()[\]]/g, '');
    if (words !== '' && text.includes('%')) {
      return text.replaceAll(placeholder, (_, at: string) =>
        spell(getValue(Number(at) - 1), getLevel(number, Number(at) - 1)?.format ?? 'decimal'),
      );
    }
    const path = Array.from({ length: level + 1 }, (_, at) => getValue(at));
    return `${path.join('.')}.`;
  }
  return {
    resolve(reference) {
      if (reference === undefined || reference.numId === '0') return undefined;
      let { level } = reference;
      if (level === undefined && reference.styleId !== undefined) {
        const definition = definitions.get(instances.get(reference.numId)?.definition ?? '');
        level = [...(definition?.levels ?? [])].find(([, { style }]) => style === reference.styleId)?.[0];
      }
      return { number: reference.numId, level: level ?? 0 };
    },
    isEnumerated,
    next(number, level) {
      const values = count(number, level);
      const enumerated = isEnumerated(number, level);
      return { number, level, enumerated, marker: enumerated ? getMarker(number, level, values) : '' };
    },
  };
}

function readDefinitions(root: XmlElement | undefined) {
  const definitions = new Map<string, Definition>();
  const byStyle = new Map<string, string>();
  const links = new Map<string, string>();
  for (const element of elements(root, 'w:abstractNum')) {
    const id = element.attributes['w:abstractNumId'] ?? '';
    definitions.set(id, { levels: new Map(elements(element, 'w:lvl').map(readLevel)) });
    const style = child(element, 'w:styleLink')?.attributes['w:val'];
    if (style !== undefined) byStyle.set(style, id);
    const link = child(element, 'w:numStyleLink')?.attributes['w:val'];
    if (link !== undefined) links.set(id, link);
  }
  const instances = new Map<string, Instance>();
  for (const element of elements(root, 'w:num')) {
    const definition = child(element, 'w:abstractNumId')?.attributes['w:val'] ?? '';
    const instance: Instance = {
      definition: byStyle.get(links.get(definition) ?? '') ?? definition,
      starts: new Map(),
      levels: new Map(),
    };
    for (const override of elements(element, 'w:lvlOverride')) {
      const level = Number(override.attributes['w:ilvl']);
      const start = child(override, 'w:startOverride')?.attributes['w:val'];
      if (start !== undefined) instance.starts.set(level, Number(start));
      const own = child(override, 'w:lvl');
      if (own !== undefined) instance.levels.set(level, readLevel(own)[1]);
    }
    instances.set(element.attributes['w:numId'] ?? '', instance);
  }
  return { definitions, instances };
}

function readLevel(element: XmlElement): [number, Level] {
  const value = (name: string) => child(element, name)?.attributes['w:val'];
  const start = Number(value('w:start') ?? '1');
  const level: Level = {
    format: value('w:numFmt') ?? 'decimal',
    text: value('w:lvlText') ?? '',
    start: Number.isFinite(start) ? start : 1,
    style: value('w:pStyle'),
    restarts: value('w:lvlRestart') !== '0',
  };
  return [Number(element.attributes['w:ilvl'] ?? '0'), level];
}

/** Formats a count as in ECMA-376 part 1, 17.18.59; unsupported formats use digits. */
function spell(count: number, format: string): string {
  if (count < 1) return String(count);
  switch (format) {
    case 'lowerLetter':
      return letters(count);
    case 'upperLetter':
      return letters(count).toUpperCase();
    case 'lowerRoman':
      return toRoman(count).toLowerCase();
    case 'upperRoman':
      return toRoman(count);
    case 'decimalZero':
      return String(count).padStart(2, '0');
    default:
      return String(count);
  }
}

/** a … z, then aa, bb, … as in Word. */
function letters(count: number): string {
  const letter = String.fromCharCode(97 + ((count - 1) % 26));
  return letter.repeat(Math.min(Math.ceil(count / 26), 20));
}
