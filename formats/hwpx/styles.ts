import type { Formatting } from '../../document/model';
import { toRoman } from '../roman';
import { findChild, listDescendants, type XmlElement } from '../xml/xml';

/** The role of a paragraph according to its properties. */
export interface ParagraphKind {
  /** `heading` and `item` have a number or a bullet. */
  kind: 'text' | 'heading' | 'item';
  /** From 1. */
  level: number;
  /** The bullet; undefined for numbers. */
  bullet?: string;
  /** The numbering that counts the paragraph; absent for headings without a number. */
  numbering?: string;
}

/** Formats of characters and roles of paragraphs, by their number in the head of the document. */
export interface HwpxStyles {
  formatting(characters: string | undefined): Formatting | null;
  getKind(paragraph: XmlElement): ParagraphKind;
  /** Counts a paragraph and returns its number as shown, such as `2.1.` or `가.`. */
  nextNumber(numbering: string, level: number): string;
}

interface LevelFormat {
  text: string;
  format: string;
  start: number;
}

const maxLevel = 10;

/** Reads the styles. `outline` is the numbering of outline paragraphs that the first section names. */
export function readStyles(head: XmlElement | undefined, outline: string | undefined): HwpxStyles {
  const indexById = (name: string) =>
    new Map((head ? listDescendants(head, name) : []).map((element) => [element.attributes['id'] ?? '', element]));
  const formattings = new Map([...indexById('hh:charPr')].map(([id, properties]) => [id, readFormatting(properties)]));
  const kinds = new Map(
    [...indexById('hh:paraPr')].map(([id, properties]) => [id, findChild(properties, 'hh:heading')]),
  );
  const bullets = new Map([...indexById('hh:bullet')].map(([id, bullet]) => [id, bullet.attributes['char'] ?? '']));
  const numberings = new Map([...indexById('hh:numbering')].map(([id, numbering]) => [id, listLevels(numbering)]));
  const styles = indexById('hh:style');
  const counters = new Map<string, number[]>();
  return {
    formatting: (id) => formattings.get(id ?? '') ?? null,
    getKind({ attributes }) {
      const style = styles.get(attributes['styleIDRef'] ?? '');
      const heading = kinds.get(attributes['paraPrIDRef'] ?? style?.attributes['paraPrIDRef'] ?? '');
      const named = findOutlineLevel(style);
      const level = Math.min(maxLevel, named ?? 1 + (Number(heading?.attributes['level']) || 0));
      const id = heading?.attributes['idRef'] ?? '';
      switch (heading?.attributes['type']) {
        case 'OUTLINE':
          return { kind: 'heading', level, numbering: outline ?? id };
        case 'NUMBER':
          return { kind: 'item', level, numbering: id };
        case 'BULLET':
          return { kind: 'item', level, bullet: bullets.get(id) || '•' };
        default:
          return { kind: named === undefined ? 'text' : 'heading', level };
      }
    },
    nextNumber(id, level) {
      const levels = numberings.get(id);
      const counts = counters.get(id) ?? [];
      counters.set(id, counts);
      counts[level] = (counts[level] ?? (levels?.[level]?.start ?? 1) - 1) + 1;
      counts.length = level + 1;
      const { text = `^${level}.` } = levels?.[level] ?? {};
      // `^1.^2.` shows the numbers of two levels, `^n.` that of the paragraph's own level.
      return text.replace(/\^(\d+|n|N)/g, (_, place: string) => {
        const at = /\d/.test(place) ? Number(place) : level;
        return formatNumber(counts[at] ?? levels?.[at]?.start ?? 1, levels?.[at]?.format ?? 'DIGIT');
      });
    },
  };
}

/** Returns the level of a style that Hangul provides for headings; undefined for others. */
function findOutlineLevel(style: XmlElement | undefined): number | undefined {
  const { name = '', engName = '' } = style?.attributes ?? {};
  const [, level] = /^개요 (\d+)$/.exec(name) ?? /^(?:Outline|Heading) (\d+)$/i.exec(engName) ?? [];
  return level === undefined ? undefined : Math.max(1, Number(level));
}

/** Returns the formats of a numbering by level, from 1. */
function listLevels(numbering: XmlElement): LevelFormat[] {
  const levels: LevelFormat[] = [];
  for (const { attributes, children } of listDescendants(numbering, 'hh:paraHead')) {
    const level = Number(attributes['level']);
    if (!(level >= 1 && level <= maxLevel)) continue;
    const text = children.filter((node) => typeof node === 'string').join('');
    levels[level] = { text, format: attributes['numFormat'] ?? 'DIGIT', start: Number(attributes['start']) || 1 };
  }
  return levels;
}

const syllables = '가나다라마바사아자차카타파하';
const jamo = 'ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ';
const letters = 'abcdefghijklmnopqrstuvwxyz';

function formatNumber(number: number, format: string): string {
  const pickFrom = (signs: string) => signs[(number - 1) % signs.length] ?? String(number);
  switch (format) {
    case 'HANGUL_SYLLABLE':
      return pickFrom(syllables);
    case 'HANGUL_JAMO':
      return pickFrom(jamo);
    case 'CIRCLED_DIGIT':
      return number <= 20 ? String.fromCodePoint(0x245f + number) : `(${number})`;
    case 'CIRCLED_HANGUL_SYLLABLE':
      return String.fromCodePoint(0x326e + ((number - 1) % 14));
    case 'LATIN_SMALL':
      return pickFrom(letters);
    case 'LATIN_CAPITAL':
      return pickFrom(letters.toUpperCase());
    case 'ROMAN_SMALL':
      return toRoman(number).toLowerCase();
    case 'ROMAN_CAPITAL':
      return toRoman(number);
    default:
      return String(number);
  }
}

function readFormatting(properties: XmlElement): Formatting | null {
  const has = (name: string) => findChild(properties, `hh:${name}`) !== undefined;
  const hasLine = (name: string, attribute: string) => {
    const value = findChild(properties, `hh:${name}`)?.attributes[attribute];
    return value !== undefined && value !== 'NONE';
  };
  const formatting: Formatting = {
    bold: has('bold'),
    italic: has('italic'),
    underline: hasLine('underline', 'type'),
    strikethrough: hasLine('strikeout', 'shape') && findChild(properties, 'hh:strikeout')?.attributes['shape'] !== '3D',
    script: 'baseline',
  };
  if (has('subscript')) formatting.script = 'sub';
  if (has('supscript')) formatting.script = 'super';
  const { bold, italic, underline, strikethrough, script } = formatting;
  return bold || italic || underline || strikethrough || script !== 'baseline' ? formatting : null;
}
