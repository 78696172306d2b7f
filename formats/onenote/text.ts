import type { Formatting } from '../../document/model';
import { normaliseLink } from '../html/link';
import { normalise, type OdfRun } from '../odf/runs';
import { listNames, findText, isSet, property } from './properties';
import type { NoteObject, Space } from './section';

/** A paragraph: its runs, and the name of its style, such as `h1` or `p`. */
export interface Paragraph {
  runs: OdfRun[];
  style: string;
}

/** A link in the text, before the run that shows it. */
const linkField = /\ufddfHYPERLINK "([^"]*)"/;
/** Marks of formulas and placeholders of objects, which have no letter. */
const marks = /[\ufdd0-\ufdef\ufffc\0]/g;

/** Reads a rich text object (MS-ONE 2.2.22). */
export function readParagraph(space: Space, object: NoteObject): Paragraph {
  const style = findObject(space, object, property.style);
  const text = readText(object);
  const styles = listNames(object, property.runStyles).map((name) => space.object(name));
  const starts = [0, ...readStarts(object).filter((start) => start < text.length)];
  const runs: OdfRun[] = [];
  let link: string | null = null;
  let isAfterField = false;
  for (const [index, start] of starts.entries()) {
    const look = styles[index];
    let run = text.slice(start, starts[index + 1] ?? text.length);
    const field = linkField.exec(run);
    if (field) {
      link = normaliseLink(field[1]);
      run = run.replace(field[0], '');
      isAfterField = true;
    } else if (look && isSet(look, property.isLink)) link ??= normaliseLink(findText(look, property.address));
    else if (!isAfterField) link = null;
    const visibleText = run.replace(marks, '').replaceAll('\v', '\n');
    if (visibleText === '') continue;
    isAfterField = false;
    runs.push({ text: visibleText, formatting: getFormatting([look, style], link !== null), hyperlink: link });
  }
  return { runs: normalise(runs), style: (style && findText(style, property.styleName)) ?? 'p' };
}

function readText(object: NoteObject): string {
  const narrow = object.properties.get(property.narrowText);
  return findText(object, property.text) ?? (Buffer.isBuffer(narrow) ? narrow.toString('latin1') : '');
}

/** Where the second run and later ones begin, in ascending order. */
function readStarts({ properties }: NoteObject): number[] {
  const value = properties.get(property.runStarts);
  if (!Buffer.isBuffer(value)) return [];
  const starts: number[] = [];
  for (let at = 0; at + 4 <= value.length; at += 4) {
    const start = value.readUInt32LE(at);
    if (start >= (starts.at(-1) ?? 0)) starts.push(start);
  }
  return starts;
}

/** The object that a property refers to. */
export function findObject(space: Space, object: NoteObject, id: number): NoteObject | undefined {
  const [name] = listNames(object, id);
  return name === undefined ? undefined : space.object(name);
}

/** The look of the run, and what it leaves open from the style of the paragraph; null if the text is plain. */
function getFormatting(looks: readonly (NoteObject | undefined)[], isLink: boolean): Formatting | null {
  const has = (id: number) => looks.find((look) => look?.properties.has(id))?.properties.get(id) === true;
  const script = has(property.superscript) ? 'super' : has(property.subscript) ? 'sub' : 'baseline';
  const formatting: Formatting = {
    bold: has(property.bold),
    italic: has(property.italic),
    // Links are always underlined.
    underline: has(property.underline) && !isLink,
    strikethrough: has(property.strikethrough),
    script,
  };
  const { bold, italic, underline, strikethrough } = formatting;
  return bold || italic || underline || strikethrough || script !== 'baseline' ? formatting : null;
}
