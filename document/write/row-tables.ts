import { createDocument } from '../builder';
import { escapeHtml, writeHtmlPage } from './html';
import { escapeFully, type MarkdownDialect } from './markdown-dialect';
import { pipeCell } from './markdown-table';
import { escapeMarkdown } from './markdown-text';

/** A table that is written while its rows are read. The first row is the header. */
export interface RowTable {
  /** The heading above it; undefined for none. */
  name: string | undefined;
  rows: Iterable<readonly string[]>;
}

/** How tables of rows are written as Markdown. */
export interface RowMarkdownOptions {
  dialect?: MarkdownDialect;
  /** Leaves out the headings, as plain text does. */
  plain?: boolean;
}

/** Number of rows from which the number of columns is determined; later rows may be longer. */
const sampledRows = 1_000;
const pieceLength = 64 * 1024;

/** Writes tables as Markdown without padding, in pieces. */
export function* writeMarkdownRows(
  tables: Iterable<RowTable>,
  { dialect, plain = false }: RowMarkdownOptions = {},
): Generator<Uint8Array> {
  const formatCell = (text: string) =>
    (dialect ? pipeCell(escapeFully(text), { dialect }) : pipeCell(text, { unescaped: false })).trim();
  yield* writeInPieces(function* lines() {
    let before = '';
    for (const { name, rows } of tables) {
      if (name !== undefined && !plain) {
        yield `${before}## ${escapeMarkdown(name, dialect)}`;
        before = '\n\n';
      }
      let isHeader = true;
      for (const row of padRows(rows)) {
        yield `${before}| ${row.map(formatCell).join(' | ')} |`;
        if (isHeader) yield `\n| ${row.map(() => '-').join(' | ')} |`;
        isHeader = false;
        before = '\n';
      }
      if (before !== '') before = '\n\n';
    }
  });
}

/** Writes tables as one HTML page, in pieces. */
export function* writeHtmlRows(tables: Iterable<RowTable>, title: string): Generator<Uint8Array> {
  const mark = 'docloom:content';
  const [head = '', tail = ''] = writeHtmlPage(createDocument(title).document, mark).split(mark);
  yield* writeInPieces(function* lines() {
    yield `${head}<div class='page'>\n`;
    for (const { rows } of tables) {
      let tag = 'th';
      for (const row of padRows(rows)) {
        const cells = row.map((text) => `<${tag}>${escapeHtml(text)}</${tag}>`).join('');
        yield `${tag === 'th' ? '<table><tbody>' : ''}<tr>${cells}</tr>\n`;
        tag = 'td';
      }
      if (tag === 'td') yield '</tbody></table>\n';
    }
    yield `</div>${tail}`;
  });
}

/** Adds empty cells to short rows. */
function* padRows(rows: Iterable<readonly string[]>): Generator<readonly string[]> {
  const first: (readonly string[])[] = [];
  let columns = 0;
  const padRow = (row: readonly string[]) =>
    row.length >= columns ? row : [...row, ...Array.from({ length: columns - row.length }, () => '')];
  for (const row of rows) {
    if (first.length < sampledRows) {
      first.push(row);
      columns = Math.max(columns, row.length);
      if (first.length === sampledRows) yield* first.map(padRow);
    } else yield padRow(row);
  }
  if (first.length < sampledRows) yield* first.map(padRow);
}

function* writeInPieces(write: () => Iterable<string>): Generator<Uint8Array> {
  let text = '';
  for (const line of write()) {
    text += line;
    if (text.length < pieceLength) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}
