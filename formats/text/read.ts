import { createDocument, type DocumentBuilder } from '../../document/builder';
import { tableCell } from '../../document/grid';
import type { GroupItem, TextItem } from '../../document/model';
import { AppError } from '../../model/errors';
import { findLargest, findSmallest } from '../extremes';
import { type ReadDocument, getStem } from '../format';
import { decodeText } from './decode';
import { findNumberedHeadings, findUnderlinedHeading } from './headings';
import { measureIndent, findItems, type TextItemLine } from './lists';
import { findTable } from './tables';

/** Texts with more paragraphs are rejected. */
const maxParagraphs = 1_000_000;

/**
 * Reads headings, lists, tables and indented code if the form of the text is unambiguous. All other text is read as paragraphs,
 * which are separated by empty lines and keep their line ends.
 */
export const read: ReadDocument = (bytes, { name }) => {
  const builder = createDocument(getStem(name));
  const paragraphs = decodeText(bytes, { name }).split(/\n(?:[ \t]*\n)+/);
  if (paragraphs.length > maxParagraphs) {
    throw new AppError(
      'DOCUMENT_TOO_LARGE',
      `'${name}' has ${paragraphs.length} paragraphs; at most ${maxParagraphs} are read.`,
    );
  }
  const blocks = paragraphs
    .map((paragraph) => paragraph.replace(/^(?:[ \t]*\n)+|\s+$/g, ''))
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => paragraph.split('\n'));
  writeBlocks(builder, blocks);
  return builder.document;
};

function writeBlocks(builder: DocumentBuilder, blocks: readonly string[][]): void {
  const numbers = findNumberedHeadings(blocks);
  const hasCode = isMostlyFlush(blocks);
  /** Levels of underlined headings, in order of the first occurrence of their styles. */
  const styles: string[] = [];
  for (let index = 0; index < blocks.length; index++) {
    let lines = blocks[index]!;
    const heading = findUnderlinedHeading(lines);
    if (heading) {
      if (!styles.includes(heading.style)) styles.push(heading.style);
      builder.heading(styles.indexOf(heading.style) + 1, heading.text);
      lines = lines.slice(heading.lines);
      if (lines.length === 0) continue;
    }
    const level = heading ? undefined : numbers.get(index);
    if (level !== undefined) builder.heading(level, lines[0]!.trim().replace(/[ \t]+/g, ' '));
    else if (hasCode && isCode(lines)) {
      const code = [...lines];
      while (blocks[index + 1] && isCode(blocks[index + 1]!)) {
        index += 1;
        code.push('', ...blocks[index]!);
      }
      builder.code(removeIndent(code));
    } else writeBlock(builder, lines);
  }
}

function writeBlock(builder: DocumentBuilder, lines: readonly string[]): void {
  const table = findTable(lines);
  if (table) {
    const columns = findLargest(table.rows.map(({ length }) => length));
    const cells = table.rows.flatMap((row, at) =>
      row.map((text, column) => tableCell(at, column, text, { column_header: table.hasHeader && at === 0 })),
    );
    builder.table({ table_cells: cells, num_rows: table.rows.length, num_cols: columns });
    return;
  }
  // The line that introduces a list is often directly above it.
  const hasIntroduction = /:\s*$/.test(lines[0]!);
  const items = findItems(hasIntroduction ? lines.slice(1) : lines);
  if (!items) {
    builder.text('text', lines.join('\n'));
    return;
  }
  if (hasIntroduction) builder.text('text', lines[0]!.trim());
  writeItems(builder, items);
}

function writeItems(builder: DocumentBuilder, items: readonly TextItemLine[]): void {
  const groups: GroupItem[] = [];
  let last: TextItem | undefined;
  for (const { text, marker, enumerated, depth } of items) {
    groups.length = Math.min(groups.length, depth + 1);
    groups[depth] ??= builder.group('list', depth > 0 && last ? { parent: last } : {});
    last = builder.listItem(text, { parent: groups[depth], enumerated, marker });
  }
}

/** Code is indented by at least this many blanks. */
const codeIndent = 4;

/**
 * True if at least half of the blocks start at the left: in a completely indented text, such as a manual page, indentation has
 * no meaning.
 */
function isMostlyFlush(blocks: readonly string[][]): boolean {
  const flush = blocks.filter(([first = '']) => measureIndent(first) < 2).length;
  return flush * 2 >= blocks.length;
}

/** Syntax of programs (`total += 1;`, `def read(path):`) and commands at a prompt (`$ ls`). */
const codeLine =
  /[{};]\s*$|^\s*(?:[$%>] \S|#!|#include|\/\/|import |from \S+ import |def |class |return\b|if \(|for \(|<\/?\w)|[\w\])"'] ?(?:[-+*/:!=<>]?=|=>|->|\|\||&&) ?[\w("'[$]|\w\(.*\)\s*[;:]?$/;

function isCode(lines: readonly string[]): boolean {
  if (!lines.every((line) => line.trim() === '' || measureIndent(line) >= codeIndent)) return false;
  return lines.filter((line) => codeLine.test(line)).length * 2 >= lines.length && !findTable(lines);
}

function removeIndent(lines: readonly string[]): string {
  const untabbed = lines.map((line) => line.replace(/^\t+/, (tabs) => ' '.repeat(8 * tabs.length)));
  const minIndent = findSmallest(untabbed.filter((line) => line.trim() !== '').map(measureIndent));
  return untabbed.map((line) => line.slice(minIndent).trimEnd()).join('\n');
}
