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
  kindOf(paragraph: XmlElement): ParagraphKind;
  /** Counts a paragraph and returns its number as shown, such as `2.1.` or `가.`. */
  nextNumber(numbering: string, level: number): string;
}

interface LevelFormat {
  text: string;
  format: string;
  start: number;
}

const deepest = 10;

/** Reads the styles. `outline` is the numbering of outline paragraphs that the first section names. */
export function readStyles(head: XmlElement | undefined, outline: string | undefined): HwpxStyles {
  const byId = (name: string) =>
    new Map((head ? listDescendants(head, name) : []).map((element) => [element.attributes['id'] ?? '', element]));
  const looks = new Map([...byId('hh:charPr')].map(([id, look]) => [id, readFormatting(look)]));
  const kinds = new Map([...byId('hh:paraPr')].map(([id, properties]) => [id, findChild(properties, 'hh:heading')]));
  const bullets = new Map([...byId('hh:bullet')].map(([id, bullet]) => [id, bullet.attributes['char'] ?? '']));
  const numberings = new Map([...byId('hh:numbering')].map(([id, numbering]) => [id, listLevels(numbering)]));
  const styles = byId('hh:style');
  const counters = new Map<string, number[]>();
  return {
    formatting: (id) => looks.get(id ?? '') ?? null,
    kindOf({ attributes }) {
      const style = styles.get(attributes['styleIDRef'] ?? '');
      const heading = kinds.get(attributes['paraPrIDRef'] ?? style?.attributes['paraPrIDRef'] ?? '');
      const named = findOutlineLevel(style);
      const level = Math.min(deepest, named ?? 1 + (Number(heading?.attributes['level']) || 0));
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
      return text.replace(/\^(\d+|n|N)/g, (_, which: string) => {
        const at = /\d/.test(which) ? Number(which) : level;
        return formatNumber(counts[at] ?? levels?.[at]?.start ?? 1, levels?.[at]?.format ?? 'DIGIT');
      });
    },
  };
}

/** The level of the styles that Hangul provides for headings. */
function findOutlineLevel(style: XmlElement | undefined): number | undefined {
  const { name = '', engName = '' } = style?.attributes ?? {};
  const [, level] = /^개요 (\d+)$/.exec(name) ?? /^(?:Outline|Heading) (\d+)$/i.exec(engName) ?? [];
  return level === undefined ? undefined : Math.max(1, Number(level));
}

/** The formats of the levels, by level from 1. */
function listLevels(numbering: XmlElement): LevelFormat[] {
  const levels: LevelFormat[] = [];
  for (const { attributes, children } of listDescendants(numbering, 'hh:paraHead')) {
    const level = Number(attributes['level']);
    if (!(level >= 1 && level <= deepest)) continue;
    const text = children.filter((node) => typeof node === 'string').join('');
    levels[level] = { text, format: attributes['numFormat'] ?? 'DIGIT', start: Number(attributes['start']) || 1 };
  }
  return levels;
}

const syllables = '가나다라마바사아자차카타파하';
const jamo = 'ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ';

function formatNumber(number: number, format: string): string {
  const among = (signs: string) => signs[(number - 1) % signs.length] ?? String(number);
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  switch (format) {
    case 'HANGUL_SYLLABLE':
      return among(syllables);
    case 'HANGUL_JAMO':
      return among(jamo);
    case 'CIRCLED_DIGIT':
      return number <= 20 ? String.fromCodePoint(0x245f + number) : `(${number})`;
    case 'CIRCLED_HANGUL_SYLLABLE':
      return String.fromCodePoint(0x326e + ((number - 1) % 14));
    case 'LATIN_SMALL':
      return among(letters);
    case 'LATIN_CAPITAL':
      return among(letters.toUpperCase());
    case 'ROMAN_SMALL':
      return toRoman(number).toLowerCase();
    case 'ROMAN_CAPITAL':
      return toRoman(number);
    default:
      return String(number);
  }
}

function readFormatting(look: XmlElement): Formatting | null {
  const has = (name: string) => findChild(look, `hh:${name}`) !== undefined;
  const readLine = (name: string, attribute: string) => {
    const value = findChild(look, `hh:${name}`)?.attributes[attribute];
    return value !== undefined && value !== 'NONE';
  };
  const formatting: Formatting = {
    bold: has('bold'),
    italic: has('italic'),
    underline: readLine('underline', 'type'),
    strikethrough: readLine('strikeout', 'shape') && findChild(look, 'hh:strikeout')?.attributes['shape'] !== '3D',
    script: has('supscript') ? 'super' : has('subscript') ? 'sub' : 'baseline',
  };
  const { bold, italic, underline, strikethrough, script } = formatting;
  return bold || italic || underline || strikethrough || script !== 'baseline' ? formatting : null;
}
