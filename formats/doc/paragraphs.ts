import type { Formatting } from '../../document/model';
import type { WordFile } from './file';
import { readStretches, sprmsOf, stretchAt, type Stretch } from './properties';
import {
  changedCharacter,
  changedParagraph,
  type CharacterProperties,
  type ParagraphProperties,
  readStyles,
} from './styles';

/** Text of one look. */
export interface Run {
  text: string;
  formatting: Formatting;
  hyperlink: string | null;
}
/** A paragraph with the mark that ends it. */
export interface Paragraph {
  runs: Run[];
  properties: ParagraphProperties;
  /** Ends a cell or a row of a table. */
  isCellEnd: boolean;
}

/** An open field: what it does, and whether its result has begun (MS-DOC 2.8.25). */
interface Field {
  instruction: string;
  hasResult: boolean;
}
/** Fields within fields; those below are not told apart. */
const maxFields = 64;
const cell = '\u0007';

/** Gives the paragraphs from one position to before another. */
export function createParagraphReader(file: WordFile): (from: number, to: number) => Generator<Paragraph> {
  const styles = readStyles(file.structure(1));
  const paragraphs = readStretches(file.main, file.structure(13), 'paragraph');
  const characters = readStretches(file.main, file.structure(12), 'character');

  function propertiesAt(position: number): { style: number; properties: ParagraphProperties } {
    const list = paragraphs[stretchAt(paragraphs, file.offsetOf(position))]?.properties;
    const style = list !== undefined && list.length >= 2 ? list.readUInt16LE(0) : 0;
    const changes = list?.subarray(2) ?? Buffer.alloc(0);
    return { style, properties: changedParagraph(styles.paragraph(style), withLong(changes, file.data)) };
  }
  return function* read(from, to) {
    const fields: Field[] = [];
    let start = from;
    for (let at = from; at < to; at++) {
      const end = file.text[at]!;
      if (end !== '\r' && end !== '\f' && end !== cell) continue;
      const { style, properties } = propertiesAt(at);
      const marks = createMarks(file, characters, styles.character(style));
      yield { runs: runsOf(file.text, [start, at], fields, marks), properties, isCellEnd: end === cell };
      start = at + 1;
    }
    if (start >= to) return;
    const { style, properties } = propertiesAt(to - 1);
    const marks = createMarks(file, characters, styles.character(style));
    yield { runs: runsOf(file.text, [start, to], fields, marks), properties, isCellEnd: false };
  };
}

/** Long lists of changes stand in the data stream. */
function withLong(changes: Buffer, data: Buffer): Buffer {
  for (const { code, value } of sprmsOf(changes)) {
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
    const offset = file.offsetOf(position);
    const stretch = characters[index];
    if (stretch !== undefined && stretch.start <= offset && offset < stretch.end) return marks;
    index = stretchAt(characters, offset);
    marks = index < 0 ? style : changedCharacter(style, characters[index]!.properties);
    return marks;
  };
}

function runsOf(
  text: string,
  [from, to]: readonly [number, number],
  fields: Field[],
  marksAt: (position: number) => CharacterProperties,
): Run[] {
  const runs: Run[] = [];
  for (let at = from; at < to; at++) {
    const character = text[at]!;
    const open = fields.at(-1);
    if (character === '\u0013') {
      if (fields.length < maxFields) fields.push({ instruction: '', hasResult: false });
    } else if (character === '\u0014' && open) open.hasResult = true;
    else if (character === '\u0015') fields.pop();
    else if (open && !open.hasResult) open.instruction += character;
    else if (fields.every(({ hasResult }) => hasResult)) {
      const shown = shownAs(character);
      if (shown === '') continue;
      const { isHidden, ...formatting } = marksAt(at);
      if (!isHidden) append(runs, shown, formatting, linkOf(fields));
    }
  }
  return runs;
}

function append(runs: Run[], text: string, formatting: Formatting, hyperlink: string | null): void {
  const last = runs.at(-1);
  if (last && last.hyperlink === hyperlink && isSame(last.formatting, formatting)) last.text += text;
  else runs.push({ text, formatting, hyperlink });
}

function isSame(one: Formatting, other: Formatting): boolean {
  return (
    one.bold === other.bold &&
    one.italic === other.italic &&
    one.underline === other.underline &&
    one.strikethrough === other.strikethrough &&
    one.script === other.script
  );
}

function linkOf(fields: readonly Field[]): string | null {
  for (const { instruction } of fields) {
    const match = /^\s*HYPERLINK\s+(?!\\l)(?:\\\w\s+)*"([^"]+)"/i.exec(instruction);
    if (match) return match[1]!;
  }
  return null;
}

/** Line breaks and hyphens as text; places of pictures, notes and comments as nothing. */
function shownAs(character: string): string {
  if (character === '\u2011') return '-';
  if (character >= ' ') return character;
  if (character === '\t') return character;
  if (character === '\u000b') return '\n';
  return character === '\u001e' ? '-' : '';
}
