import type { Formatting } from '../../../document/model';
import type { Message } from './message';
import { types } from './message-types';
import type { IwaObject, IwaObjects } from './objects';

/** A part of a paragraph with one style. */
export interface Run {
  text: string;
  formatting: Formatting | null;
  hyperlink: string | null;
}

/** A paragraph of a text storage. Anchored objects are referenced by identifier. */
export interface IwaParagraph {
  runs: Run[];
  /** Name of its style, or of the nearest named ancestor. */
  styleName: string;
  list: { depth: number; isNumbered: boolean; marker: string } | undefined;
  drawables: number[];
  notes: number[];
}

/** The object that applies from each character on, in UTF-16 code units; undefined ends it. */
type Table = { at: number; id: number | undefined; depth: number }[];

const maxStyles = 8;

/** Returns the paragraphs of a storage, including empty ones. */
export function listParagraphs(storage: IwaObject, objects: IwaObjects): IwaParagraph[] {
  const { message } = storage;
  const decoder = new TextDecoder();
  const text = message
    .allBytes(3)
    .map((piece) => decoder.decode(piece))
    .join('');
  const tables = {
    styles: getTable(message, 5),
    depths: getTable(message, 6),
    lists: getTable(message, 7),
    characters: getTable(message, 8),
    attachments: getTable(message, 9),
    fields: getTable(message, 11),
    notes: getTable(message, 16),
  };
  const paragraphs: IwaParagraph[] = [];
  let start = 0;
  for (const line of text.split(/[\n\r\u2029]/)) {
    const end = start + line.length;
    const within = (table: Table) =>
      table.flatMap(({ at, id }) => (id !== undefined && at >= start && at < end ? id : []));
    paragraphs.push({
      runs: listRuns(text, [start, end], tables, objects),
      styleName: getStyleName(findActive(tables.styles, start)?.id, objects),
      list: findList(findActive(tables.lists, start)?.id, findActive(tables.depths, start)?.depth ?? 0, objects),
      drawables: within(tables.attachments).flatMap((id) => findDrawable(id, objects) ?? []),
      notes: within(tables.notes),
    });
    start = end + 1;
  }
  return paragraphs;
}

function getTable(storage: Message, field: number): Table {
  const entries = storage.message(field)?.messages(1) ?? [];
  return entries
    .map((entry) => ({ at: entry.number(1) ?? 0, id: entry.reference(2), depth: entry.number(2) ?? 0 }))
    .toSorted((item, other) => item.at - other.at);
}

/** Returns the entry that applies at a position: the last one that starts at or before it. */
function findActive(table: Table, place: number): Table[number] | undefined {
  let low = 0;
  let high = table.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (table[middle]!.at <= place) low = middle + 1;
    else high = middle;
  }
  return table[low - 1];
}

function findDrawable(attachment: number, objects: IwaObjects): number | undefined {
  const attachedObject = objects.get(attachment);
  return attachedObject?.type === types.attachment ? attachedObject.message.reference(1) : undefined;
}

function listRuns(
  text: string,
  [start, end]: readonly [number, number],
  { characters, fields }: { characters: Table; fields: Table },
  objects: IwaObjects,
): Run[] {
  const inside = [...characters, ...fields].map(({ at }) => at).filter((at) => at > start && at < end);
  const borders = [start, ...[...new Set(inside)].toSorted((a, b) => a - b), end];
  const runs: Run[] = [];
  for (const [index, from] of borders.slice(0, -1).entries()) {
    const piece = getVisibleText(text.slice(from, borders[index + 1]));
    if (piece === '') continue;
    const run: Run = {
      text: piece,
      formatting: getFormatting(findActive(characters, from)?.id, objects),
      hyperlink: getLink(findActive(fields, from)?.id, objects),
    };
    const last = runs.at(-1);
    if (last && isAlike(last, run)) last.text += run.text;
    else runs.push(run);
  }
  return runs;
}

/** Removes characters that represent drawings, page breaks and other layout. */
function getVisibleText(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll('\u2028', '\n').replace(/[\ufffc\u0000-\u0008\u000b-\u001f]/g, '');
}

function isAlike(run: Run, other: Run): boolean {
  return run.hyperlink === other.hyperlink && JSON.stringify(run.formatting) === JSON.stringify(other.formatting);
}

function getLink(id: number | undefined, objects: IwaObjects): string | null {
  const field = id === undefined ? undefined : objects.get(id);
  return field?.type === types.link ? (field.message.text(2) ?? null) : null;
}

/** Returns a style and its ancestors, nearest first. */
function listStyles(id: number | undefined, objects: IwaObjects): Message[] {
  const styles: Message[] = [];
  let style = id === undefined ? undefined : objects.get(id);
  while (style && styles.length < maxStyles) {
    styles.push(style.message);
    const parent = style.message.message(1)?.reference(3);
    style = parent === undefined ? undefined : objects.get(parent);
  }
  return styles;
}

function getStyleName(id: number | undefined, objects: IwaObjects): string {
  for (const style of listStyles(id, objects)) {
    const name = style.message(1)?.text(1);
    if (name) return name;
  }
  return '';
}

function getFormatting(id: number | undefined, objects: IwaObjects): Formatting | null {
  const maps = listStyles(id, objects).flatMap((style) => style.message(11) ?? []);
  const readProperty = (field: number) =>
    maps.map((map) => map.number(field)).find((value) => value !== undefined) ?? 0;
  const script = (['baseline', 'super', 'sub'] as const)[readProperty(10)] ?? 'baseline';
  const formatting = {
    bold: readProperty(1) === 1,
    italic: readProperty(2) === 1,
    underline: readProperty(11) > 0,
    strikethrough: readProperty(12) > 0,
    script,
  };
  const isPlain = !Object.values(formatting).some((value) => value === true) && script === 'baseline';
  return isPlain ? null : formatting;
}

/** Returns the label of a list style at a depth: none, picture, bullet or number. */
function findList(id: number | undefined, depth: number, objects: IwaObjects): IwaParagraph['list'] {
  const textObject = id === undefined ? undefined : objects.get(id);
  if (textObject?.type !== types.listStyle) return undefined;
  const styles = listStyles(id, objects);
  const labels = styles.map((style) => style.allNumbers(11)).find((values) => values.length > 0) ?? [];
  const label = labels[Math.min(depth, labels.length - 1)] ?? 0;
  if (label < 1 || label > 3) return undefined;
  const signs = styles.map((style) => style.allBytes(16)).find((values) => values.length > 0) ?? [];
  const sign = label === 2 ? signs[Math.min(depth, signs.length - 1)] : undefined;
  return { depth, isNumbered: label === 3, marker: sign ? new TextDecoder().decode(sign).trim() : '' };
}
