import type { Formatting } from '../../../document/model';
import type { RecordOmission } from '../../coverage';
import { findFieldText } from '../../ooxml/docx/field-text';
import { decodeSymbols } from '../../ooxml/docx/symbols';
import { iterateSprms, findRange, type Stretch } from './properties';
import { structures } from './structure';
import {
  changeCharacter,
  changeParagraph,
  type CharacterProperties,
  type ParagraphProperties,
  readStyles,
} from './styles';
import type { WordFile } from './word-file';

/** Text with uniform formatting. */
export interface Run {
  text: string;
  formatting: Formatting;
  hyperlink: string | null;
}
/**
 * An object anchored in a paragraph. `at` is the offset in the data stream for pictures, and the text position for all others.
 */
export interface Anchor {
  kind: 'picture' | 'drawing' | 'comment';
  at: number;
}
/** A paragraph with its end mark. */
export interface Paragraph {
  runs: Run[];
  anchors: Anchor[];
  properties: ParagraphProperties;
  /** True if the style makes the whole paragraph bold. */
  isBold: boolean;
  /** Ends a table cell or row. */
  isCellEnd: boolean;
}

/** An open field: its instruction, and whether its result has started (MS-DOC 2.8.25). */
interface Field {
  instruction: string;
  hasResult: boolean;
}
/** Returns the positions of fields that also end in the story: a start mark alone must not swallow the text after it. */
function collectFieldsThatEnd(text: string, from: number, to: number): ReadonlySet<number> {
  const ended = new Set<number>();
  const open: number[] = [];
  for (let at = from; at < to; at++) {
    if (text[at] === fieldMarks.start) open.push(at);
    else if (text[at] === fieldMarks.end && open.length > 0) ended.add(open.pop()!);
  }
  return ended;
}

/** The open fields, with the positions of fields that end. */
type Fields = Field[] & { begun: ReadonlySet<number> };

/** Maximum nesting of fields; deeper fields are not distinguished. */
const maxFields = 64;
const cell = '\u0007';
/** Marks of a field: its start, the start of its result, and its end. */
const fieldMarks = { start: '\u0013', result: '\u0014', end: '\u0015' } as const;

/** Yields the paragraphs of a range; `to` is exclusive. */
export type ReadParagraphs = (from: number, to: number) => Generator<Paragraph>;

/** Creates a reader for all stories of the file. Deleted and hidden text is reported as omitted, one entry per paragraph. */
export function createParagraphReader(file: WordFile, recordOmission?: RecordOmission): ReadParagraphs {
  const styles = readStyles(file.structure(structures.styles), file.isOld);
  const paragraphs = file.stretches('paragraph');
  const characters = file.stretches('character');
  const fonts = readFonts(file.structure(structures.fonts));

  /** `mark` is the position of the character that ends the paragraph, or of its last character. */
  function buildParagraph(from: number, to: number, mark: number, fields: Fields): Paragraph {
    const list = paragraphs[findRange(paragraphs, file.getOffset(mark))]?.properties;
    const style = list !== undefined && list.length >= 2 ? list.readUInt16LE(0) : 0;
    const changes = list?.subarray(2) ?? Buffer.alloc(0);
    const character = styles.character(style);
    const omitted: OmittedText = { deleted: '', hidden: '' };
    const content = readContent(file.text, [from, to], fields, {
      at: createMarks(file, characters, character),
      fonts,
      omitted,
    });
    if (omitted.deleted.trim() !== '') recordOmission?.('deleted text', omitted.deleted);
    if (omitted.hidden.trim() !== '') recordOmission?.('hidden text', omitted.hidden);
    return {
      ...content,
      properties: changeParagraph(styles.paragraph(style), resolveLongChanges(changes, file.data)),
      isBold: character.formatting.bold,
      isCellEnd: to === mark && file.text[mark] === cell,
    };
  }
  return function* read(from, to) {
    const fields = Object.assign([] as Field[], { begun: collectFieldsThatEnd(file.text, from, to) });
    let start = from;
    for (let at = from; at < to; at++) {
      const end = file.text[at]!;
      if (end !== '\r' && end !== '\f' && end !== cell) continue;
      yield buildParagraph(start, at, at, fields);
      start = at + 1;
    }
    if (start < to) yield buildParagraph(start, to, to - 1, fields);
  };
}

/** Returns the names of the typefaces in order (MS-DOC 2.9.284 and 2.9.97). */
function readFonts(table: Buffer): string[] {
  const names: string[] = [];
  const nameAt = 40;
  for (let at = 4; at < table.length; at += 1 + table[at]!) {
    const entry = table.subarray(at, at + 1 + table[at]!);
    names.push(entry.subarray(nameAt).toString('utf16le').split('\0')[0]!);
  }
  return names;
}

/** Returns the changes, from the data stream if the list is too long for its page. */
function resolveLongChanges(changes: Buffer, data: Buffer): Buffer {
  for (const { code, value } of iterateSprms(changes)) {
    if (code !== 0x6646 && code !== 0x6645) continue;
    const at = value.readUInt32LE(0);
    if (at + 2 <= data.length) return data.subarray(at + 2, at + 2 + data.readUInt16LE(at));
  }
  return changes;
}

function createMarks(file: WordFile, characters: readonly Stretch[], style: CharacterProperties) {
  let index = -1;
  let marks = style;
  return (position: number): CharacterProperties => {
    const offset = file.getOffset(position);
    const stretch = characters[index];
    if (stretch !== undefined && stretch.start <= offset && offset < stretch.end) return marks;
    index = findRange(characters, offset);
    marks = index < 0 ? style : changeCharacter(style, characters[index]!.properties);
    return marks;
  };
}

/** Character properties by position. */
interface Marks {
  at: (position: number) => CharacterProperties;
  fonts: readonly string[];
  omitted: OmittedText;
}
/** The parts of a paragraph that readers do not see; they are collected as the paragraph is read. */
interface OmittedText {
  deleted: string;
  hidden: string;
}
/** Characters that represent an object (MS-DOC 2.4.1). */
const anchors: Readonly<Record<string, Anchor['kind']>> = {
  '\u0001': 'picture',
  '\u0005': 'comment',
  '\u0008': 'drawing',
};

function readContent(
  text: string,
  [from, to]: readonly [number, number],
  fields: Fields,
  marks: Marks,
): Pick<Paragraph, 'runs' | 'anchors'> {
  const content: Pick<Paragraph, 'runs' | 'anchors'> = { runs: [], anchors: [] };
  for (let at = from; at < to; at++) {
    const character = text[at]!;
    const open = fields.at(-1);
    if (character === fieldMarks.start) {
      if (fields.length < maxFields && fields.begun.has(at)) fields.push({ instruction: '', hasResult: false });
    } else if (character === fieldMarks.result && open) open.hasResult = true;
    else if (character === fieldMarks.end) {
      const ended = fields.pop();
      if (ended?.hasResult === false) addFieldText(content, findFieldText(ended.instruction), at, { fields, marks });
    } else if (open && !open.hasResult) open.instruction += character;
    else if (fields.every(({ hasResult }) => hasResult)) addCharacter(content, { character, at }, fields, marks);
  }
  return content;
}

/** Adds the text of a field without a result, or appends it to the instruction of the enclosing field. */
function addFieldText(
  content: Pick<Paragraph, 'runs' | 'anchors'>,
  shownText: string,
  at: number,
  { fields, marks }: { fields: readonly Field[]; marks: Marks },
): void {
  const outer = fields.at(-1);
  if (outer && !outer.hasResult) outer.instruction += shownText;
  else for (const character of shownText) addCharacter(content, { character, at }, fields, marks);
}

function addCharacter(
  { runs, anchors: hung }: Pick<Paragraph, 'runs' | 'anchors'>,
  { character, at }: { character: string; at: number },
  fields: readonly Field[],
  { at: marksAt, fonts, omitted }: Marks,
): void {
  const kind = anchors[character];
  const shownText = toShownText(character);
  if (kind === undefined && shownText === '') return;
  const { isHidden, isDeleted, formatting, pictureAt, symbol } = marksAt(at);
  if (isHidden || isDeleted) {
    omitted[isDeleted ? 'deleted' : 'hidden'] += shownText;
    return;
  }
  if (kind === 'picture') {
    if (pictureAt !== undefined) hung.push({ kind, at: pictureAt });
  } else if (kind !== undefined) hung.push({ kind, at });
  else
    appendText(
      runs,
      symbol && shownText === '(' ? decodeSymbol(symbol, fonts) : shownText,
      formatting,
      findLink(fields),
    );
}

function decodeSymbol(
  { font, character }: NonNullable<CharacterProperties['symbol']>,
  fonts: readonly string[],
): string {
  return decodeSymbols(String.fromCharCode(character), fonts[font]);
}

function appendText(runs: Run[], text: string, formatting: Formatting, hyperlink: string | null): void {
  const last = runs.at(-1);
  if (last && last.hyperlink === hyperlink && hasSameFormatting(last.formatting, formatting)) last.text += text;
  else runs.push({ text, formatting, hyperlink });
}

function hasSameFormatting(formatting: Formatting, other: Formatting): boolean {
  return (
    formatting.bold === other.bold &&
    formatting.italic === other.italic &&
    formatting.underline === other.underline &&
    formatting.strikethrough === other.strikethrough &&
    formatting.script === other.script
  );
}

function findLink(fields: readonly Field[]): string | null {
  for (const { instruction } of fields) {
    const match = /^\s*HYPERLINK\s+(?!\\l)(?:\\\w\s+)*"([^"]+)"/i.exec(instruction);
    if (match) return match[1]!;
  }
  return null;
}

/** Returns line breaks and hyphens as text; an empty string for the marks of pictures, notes and comments. */
function toShownText(character: string): string {
  if (character === '\u2011') return '-';
  if (character >= ' ') return character;
  if (character === '\t') return character;
  if (character === '\u000b') return '\n';
  return character === '\u001e' ? '-' : '';
}
