/** An item with the depth of its list, from 0. */
export interface TextItemLine {
  text: string;
  marker: string;
  enumerated: boolean;
  depth: number;
}

const bullet = /^(\s*)([-*•·‣◦▪–+])[ \t]+(?=\S)/;
const number = /^(\s*)(\(?(\d{1,3}|[a-z])[.)])[ \t]+(?=\S)/;

/** A line that begins with a bullet or number, with the lines that continue it. */
interface Marked {
  indent: number;
  marker: string;
  /** Position of a number or letter in its sequence, from 1; undefined for bullets. */
  ordinal: number | undefined;
  text: string;
}

/** Returns the items of a block if every line is an item or continues one; undefined for other texts and for single items. */
export function findItems(lines: readonly string[]): TextItemLine[] | undefined {
  const marked = joinMarkedLines(lines);
  if (marked === undefined || marked.length < 2) return undefined;
  const items: TextItemLine[] = [];
  const open: { indent: number; ordinal: number | undefined }[] = [];
  for (const { indent, marker, ordinal, text } of marked) {
    while (open.length > 1 && indent < open.at(-1)!.indent) open.pop();
    const level = open.at(-1);
    if (level === undefined || indent > level.indent + 1) {
      if (ordinal !== undefined && ordinal !== 1 && open.length > 0) return undefined;
      open.push({ indent, ordinal });
    } else {
      // Numbers out of sequence are years, amounts or references.
      if ((ordinal === undefined) !== (level.ordinal === undefined)) return undefined;
      if (ordinal !== undefined && ordinal !== level.ordinal! + 1) return undefined;
      level.ordinal = ordinal;
    }
    items.push({ text, marker, enumerated: ordinal !== undefined, depth: open.length - 1 });
  }
  return items;
}

/** Joins the lines of each item; undefined if a line neither is an item nor continues one. */
function joinMarkedLines(lines: readonly string[]): Marked[] | undefined {
  const marked: Marked[] = [];
  for (const line of lines) {
    const item = readMarkedLine(line);
    const last = marked.at(-1);
    if (item) marked.push(item);
    else if (last === undefined || measureIndent(line) <= last.indent) return undefined;
    else last.text += ` ${line.trim()}`;
  }
  return marked;
}

function readMarkedLine(line: string): Marked | undefined {
  const [dash, , sign = ''] = bullet.exec(line) ?? [];
  if (dash !== undefined)
    return { indent: measureIndent(line), marker: sign, ordinal: undefined, text: line.slice(dash.length).trim() };
  const [whole, , marker = '', value = ''] = number.exec(line) ?? [];
  if (whole === undefined) return undefined;
  const ordinal = /\d/.test(value) ? Number(value) : value.charCodeAt(0) - 96;
  return { indent: measureIndent(line), marker, ordinal, text: line.slice(whole.length).trim() };
}

/** Returns the width of the blanks at the start of a line; a tab extends to the next multiple of eight. */
export function measureIndent(line: string): number {
  let width = 0;
  for (const sign of line) {
    if (sign === ' ') width += 1;
    else if (sign === '\t') width += 8 - (width % 8);
    else break;
  }
  return width;
}
