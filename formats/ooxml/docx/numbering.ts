import type { Profile } from '../../format';
import { formatCount } from '../../list-numbers';
import { findChild, listElements, type XmlElement } from '../../xml/xml';
import { readToggle } from '../package';
import type { NumberingRef } from './styles';

interface Level {
  format: string;
  text: string;
  start: number;
  /** The style linked to this level. */
  style: string | undefined;
  /** True if an item of a higher level restarts it. */
  restarts: boolean;
  /** All numbers of the text are written with digits, whatever their level says. */
  isLegal: boolean;
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

/** The position of a list item and its number as Word counts it. */
export interface ListPlace {
  /** Items with the same number belong to one list. */
  number: string;
  level: number;
  enumerated: boolean;
  /** As Word shows it, such as `a)`; empty for bullets. In the profile `reference`, `1.2.` unless there are words in it. */
  marker: string;
}

/** Numbers list items in document order. */
export interface Numbering {
  /** Resolves a reference to list and level; undefined if it removes the paragraph from every list. */
  resolve(reference: NumberingRef | undefined): { number: string; level: number } | undefined;
  isEnumerated(number: string, level: number): boolean;
  /** False in the profile `reference`, which numbers headings by their levels, not as Word does. */
  readonly showsNumbers: boolean;
  /** Counts one item and returns its position. */
  next(number: string, level: number): ListPlace;
}

const placeholder = /%([1-9])/g;

/** Reads `word/numbering.xml`. Undefined numbers count as bullets. */
export function readNumbering(root: XmlElement | undefined, profile?: Profile): Numbering {
  const { definitions, instances } = readDefinitions(root);
  const showsNumbers = profile !== 'reference';
  // Instances of the same definition continue each other's count, unless an instance sets a start value.
  const counters = new Map<string, Map<number, number>>();
  const begun = new Set<string>();
  const findLevel = (number: string, level: number): Level | undefined => {
    const instance = instances.get(number);
    return instance?.levels.get(level) ?? definitions.get(instance?.definition ?? '')?.levels.get(level);
  };
  const getStart = (number: string, level: number) =>
    instances.get(number)?.starts.get(level) ?? findLevel(number, level)?.start ?? 1;
  const isEnumerated = (number: string, level: number) =>
    !['bullet', 'none', undefined].includes(findLevel(number, level)?.format);

  function countItem(number: string, level: number): Map<number, number> {
    const instance = instances.get(number);
    const key = instance?.definition ?? `#${number}`;
    const values = counters.get(key) ?? new Map<number, number>();
    counters.set(key, values);
    if (!begun.has(number)) {
      begun.add(number);
      for (const from of instance?.starts.keys() ?? []) values.delete(from);
    }
    values.set(level, (values.get(level) ?? getStart(number, level) - 1) + 1);
    for (const deeper of values.keys()) {
      if (deeper > level && findLevel(number, deeper)?.restarts !== false) values.delete(deeper);
    }
    return values;
  }
  function getMarker(number: string, level: number, values: Map<number, number>): string {
    const getValue = (at: number) => values.get(at) ?? getStart(number, at);
    const numberText = formatNumber((at) => findLevel(number, at), { level, getValue, showsNumbers });
    return numberText ?? `${Array.from({ length: level + 1 }, (_, at) => getValue(at)).join('.')}.`;
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
    showsNumbers,
    next(number, level) {
      const values = countItem(number, level);
      const enumerated = isEnumerated(number, level);
      return { number, level, enumerated, marker: enumerated ? getMarker(number, level, values) : '' };
    },
  };
}

interface NumberOptions {
  level: number;
  getValue: (level: number) => number;
  /** Numbers without words are shown as Word does too. */
  showsNumbers: boolean;
}

/** Returns the number as Word shows it; undefined if the text of the level contains none. */
function formatNumber(
  getLevel: (level: number) => Level | undefined,
  { level, getValue, showsNumbers }: NumberOptions,
): string | undefined {
  const { text = '', isLegal = false } = getLevel(level) ?? {};
  const words = text.replaceAll(placeholder, '').replaceAll(/[\s.:()[\]]/g, '');
  if (!text.includes('%') || (words === '' && !showsNumbers)) return undefined;
  const numberText = text.replaceAll(placeholder, (_, at: string) => {
    const format = getLevel(Number(at) - 1)?.format ?? 'decimal';
    return formatCount(getValue(Number(at) - 1), isLegal && showsNumbers ? 'decimal' : format);
  });
  return showsNumbers ? numberText.trim() : numberText;
}

/** Resolves links between definitions, so that an instance names the definition with its levels. */
function readDefinitions(root: XmlElement | undefined) {
  const definitions = new Map<string, Definition>();
  const byStyle = new Map<string, string>();
  const links = new Map<string, string>();
  for (const element of listElements(root, 'w:abstractNum')) {
    const id = element.attributes['w:abstractNumId'] ?? '';
    definitions.set(id, { levels: new Map(listElements(element, 'w:lvl').map(readLevel)) });
    const style = findChild(element, 'w:styleLink')?.attributes['w:val'];
    if (style !== undefined) byStyle.set(style, id);
    const link = findChild(element, 'w:numStyleLink')?.attributes['w:val'];
    if (link !== undefined) links.set(id, link);
  }
  const instances = new Map<string, Instance>();
  for (const element of listElements(root, 'w:num')) {
    const definition = findChild(element, 'w:abstractNumId')?.attributes['w:val'] ?? '';
    const instance: Instance = {
      definition: byStyle.get(links.get(definition) ?? '') ?? definition,
      starts: new Map(),
      levels: new Map(),
    };
    for (const override of listElements(element, 'w:lvlOverride')) {
      const level = Number(override.attributes['w:ilvl']);
      const start = findChild(override, 'w:startOverride')?.attributes['w:val'];
      if (start !== undefined) instance.starts.set(level, Number(start));
      const ownLevel = findChild(override, 'w:lvl');
      if (ownLevel !== undefined) instance.levels.set(level, readLevel(ownLevel)[1]);
    }
    instances.set(element.attributes['w:numId'] ?? '', instance);
  }
  return { definitions, instances };
}

function readLevel(element: XmlElement): [number, Level] {
  const readValue = (name: string) => findChild(element, name)?.attributes['w:val'];
  const start = Number(readValue('w:start') ?? '1');
  const level: Level = {
    format: readValue('w:numFmt') ?? 'decimal',
    text: readValue('w:lvlText') ?? '',
    start: Number.isFinite(start) ? start : 1,
    style: readValue('w:pStyle'),
    restarts: readValue('w:lvlRestart') !== '0',
    isLegal: readToggle(element, 'w:isLgl') ?? false,
  };
  return [Number(element.attributes['w:ilvl'] ?? '0'), level];
}
