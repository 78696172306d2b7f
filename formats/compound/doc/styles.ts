import type { Formatting } from '../../../document/model';
import { toWord97List } from './old-properties';
import { iterateSprms } from './properties';

/** Paragraph properties from styles and direct changes. */
export interface ParagraphProperties {
  /** `1` is the highest heading; 0 is the title. */
  heading: number | undefined;
  /** Starts at 1; 0 means no list. */
  list: number;
  level: number;
  isInTable: boolean;
  isRowEnd: boolean;
  isInnerMark: boolean;
  depth: number;
  row: Buffer | undefined;
}
/** Character formatting, and the objects that a character represents. */
export interface CharacterProperties {
  formatting: Formatting;
  isHidden: boolean;
  /** Deleted while changes were tracked. */
  isDeleted: boolean;
  /** For a picture mark: the offset of the picture in the data stream. */
  pictureAt: number | undefined;
  /** For a symbol mark: the index of the typeface and the character. */
  symbol: { font: number; character: number } | undefined;
}

/** The styles of a document by number. */
export interface Styles {
  paragraph(style: number): ParagraphProperties;
  character(style: number): CharacterProperties;
}

interface Style {
  identifier: number;
  base: number;
  paragraph: Buffer;
  character: Buffer;
}

const plainParagraph: ParagraphProperties = {
  heading: undefined,
  list: 0,
  level: 0,
  isInTable: false,
  isRowEnd: false,
  isInnerMark: false,
  depth: 1,
  row: undefined,
};
const plainCharacter: CharacterProperties = {
  formatting: { bold: false, italic: false, underline: false, strikethrough: false, script: 'baseline' },
  isHidden: false,
  isDeleted: false,
  pictureAt: undefined,
  symbol: undefined,
};

/** Reads the style sheet (MS-DOC 2.9.271). `isOld` is true for Word 6 and 95. */
export function readStyles(sheet: Buffer, isOld: boolean): Styles {
  const styles = readStyleList(sheet, isOld);
  const getChain = (style: number): Style[] => {
    const chain: Style[] = [];
    const seen = new Set<number>();
    for (let at = style; styles[at] !== undefined && !seen.has(at); at = styles[at]!.base) {
      seen.add(at);
      chain.unshift(styles[at]!);
    }
    return chain;
  };
  const paragraphs = new Map<number, ParagraphProperties>();
  const characters = new Map<number, CharacterProperties>();
  return {
    paragraph(style) {
      const cached = paragraphs.get(style);
      if (cached !== undefined) return cached;
      let properties = plainParagraph;
      for (const { identifier, paragraph } of getChain(style)) {
        const heading = findHeading(identifier) ?? properties.heading;
        properties = changeParagraph({ ...properties, heading }, paragraph);
      }
      paragraphs.set(style, properties);
      return properties;
    },
    character(style) {
      const cached = characters.get(style);
      if (cached !== undefined) return cached;
      let properties = plainCharacter;
      for (const { character } of getChain(style)) properties = changeCharacter(properties, character);
      characters.set(style, properties);
      return properties;
    },
  };
}

/** Built-in styles 1 to 9 are headings and 62 is the title, in every language. */
function findHeading(identifier: number): number | undefined {
  if (identifier === 62) return 0;
  return identifier >= 1 && identifier <= 9 ? identifier : undefined;
}

function readStyleList(sheet: Buffer, isOld: boolean): (Style | undefined)[] {
  if (sheet.length < 8) return [];
  const count = sheet.readUInt16LE(2);
  const baseSize = sheet.readUInt16LE(4);
  const styles: (Style | undefined)[] = [];
  let at = 2 + sheet.readUInt16LE(0);
  while (styles.length < count && at + 2 <= sheet.length) {
    const size = sheet.readUInt16LE(at);
    styles.push(parseStyle(sheet.subarray(at + 2, at + 2 + size), baseSize, isOld));
    at += 2 + size;
  }
  return styles;
}

function parseStyle(bytes: Buffer, baseSize: number, isOld: boolean): Style | undefined {
  if (bytes.length < baseSize + 2 || bytes.length < 10) return undefined;
  const kind = bytes.readUInt16LE(2);
  const style: Style = {
    identifier: bytes.readUInt16LE(0) & 0xfff,
    base: kind >> 4,
    paragraph: Buffer.alloc(0),
    character: Buffer.alloc(0),
  };
  // Skips the name with its length and a trailing zero.
  let at = baseSize + (isOld ? 1 + bytes[baseSize]! + 1 : 2 + 2 * bytes.readUInt16LE(baseSize) + 2);
  const readNext = (): Buffer => {
    at += at & 1;
    if (at + 2 > bytes.length) return Buffer.alloc(0);
    const size = bytes.readUInt16LE(at);
    at += 2 + size;
    return bytes.subarray(at - size, at);
  };
  // Paragraph styles have both lists, character styles only the second.
  const toCurrent = isOld ? toWord97List : (list: Buffer) => list;
  if ((kind & 0xf) === 1) style.paragraph = toCurrent(readNext().subarray(2));
  if ((kind & 0xf) <= 2) style.character = toCurrent(readNext());
  return style;
}

/** Codes of changes to paragraphs (MS-DOC 2.6.2 and 2.6.3). */
const paragraphCodes = {
  level: 0x260a,
  list: 0x460b,
  isInTable: 0x2416,
  isRowEnd: 0x2417,
  isInnerMark: 0x244b,
  isInnerRowEnd: 0x244c,
  outlineLevel: 0x2640,
  depth: 0x6649,
  row: 0xd608,
} as const;

/** Codes of changes to characters (MS-DOC 2.6.1). */
const characterCodes = {
  isDeleted: 0x0800,
  bold: 0x0835,
  italic: 0x0836,
  strikethrough: 0x0837,
  doubleStrikethrough: 0x2a53,
  isHidden: 0x083c,
  underline: 0x2a3e,
  script: 0x2a48,
  pictureAt: 0x6a03,
  symbol: 0x6a09,
} as const;
const scripts: readonly Formatting['script'][] = ['baseline', 'super', 'sub'];

/** Applies changes to paragraph properties. */
export function changeParagraph(before: ParagraphProperties, changes: Buffer): ParagraphProperties {
  const after = { ...before };
  for (const { code, value } of iterateSprms(changes)) {
    if (code === paragraphCodes.isInTable) after.isInTable = value[0] === 1;
    else if (code === paragraphCodes.isRowEnd || code === paragraphCodes.isInnerRowEnd) after.isRowEnd = value[0] === 1;
    else if (code === paragraphCodes.isInnerMark) after.isInnerMark = value[0] === 1;
    else if (code === paragraphCodes.depth) after.depth = value.readInt32LE(0);
    else if (code === paragraphCodes.level) after.level = Math.min(value[0]!, 8);
    else if (code === paragraphCodes.list) after.list = value.readUInt16LE(0);
    else if (code === paragraphCodes.outlineLevel && value[0]! < 9) after.heading ??= value[0]! + 1;
    else if (code === paragraphCodes.row) after.row = value;
  }
  return after;
}

/** Applies changes to character properties. `inherited` comes from the paragraph style. */
export function changeCharacter(before: CharacterProperties, changes: Buffer, inherited = before): CharacterProperties {
  const formatting = { ...before.formatting };
  const after = { ...before, formatting };
  const from = inherited.formatting;
  // 0x80 means the value of the style, 0x81 the opposite (MS-DOC 2.6.1).
  const applyToggle = (value: number, fromStyle: boolean) =>
    value === 0x80 || value === 0x81 ? fromStyle !== (value === 0x81) : value === 1;
  for (const { code, value } of iterateSprms(changes)) {
    const first = value[0] ?? 0;
    switch (code) {
      case characterCodes.bold:
        formatting.bold = applyToggle(first, from.bold);
        break;
      case characterCodes.italic:
        formatting.italic = applyToggle(first, from.italic);
        break;
      case characterCodes.strikethrough:
      case characterCodes.doubleStrikethrough:
        formatting.strikethrough = applyToggle(first, from.strikethrough);
        break;
      case characterCodes.isHidden:
        after.isHidden = applyToggle(first, inherited.isHidden);
        break;
      case characterCodes.underline:
        formatting.underline = first !== 0;
        break;
      case characterCodes.script:
        formatting.script = scripts[first] ?? 'baseline';
        break;
      case characterCodes.isDeleted:
        after.isDeleted = first === 1;
        break;
      case characterCodes.pictureAt:
        after.pictureAt = value.readUInt32LE(0);
        break;
      case characterCodes.symbol:
        after.symbol = { font: value.readUInt16LE(0), character: value.readUInt16LE(2) };
        break;
      default:
    }
  }
  return after;
}
