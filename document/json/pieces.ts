import { gridOf } from '../grid';
import type { DoclingDocument, TableItem } from '../model';
import { createCellWriter, type JsonOptions, getOrigin } from './write';

/** Approximate length in characters at which text is encoded and yielded. */
const pieceLength = 256 * 1024;
/** Number of items and cells that are serialized at once. */
const batchSize = 1_000;

interface Style extends Pick<JsonOptions, 'emptyPlaces'> {
  replacer: ((key: string, value: unknown) => unknown) | undefined;
  omitNulls: boolean;
  /** Blanks per level; 0 writes everything on one line. */
  indent: number;
}

/**
 * Yields the output of `documentToJson` as UTF-8 in pieces: the JSON of a table with a million cells is half a gigabyte, more
 * than a string can hold. The grid of a table is computed only when it is written.
 */
export function* documentToJsonPieces(document: DoclingDocument, options: JsonOptions = {}): Generator<Uint8Array> {
  const omitNulls = options.omitNulls ?? false;
  const replacer = omitNulls ? (_key: string, value: unknown) => (value === null ? undefined : value) : undefined;
  const style = { ...options, replacer, omitNulls, indent: options.indent ?? 0 };
  const encoder = new TextEncoder();
  let collected: string[] = [];
  let length = 0;
  for (const text of writeDocumentPieces(document, style)) {
    collected.push(text);
    length += text.length;
    if (length < pieceLength) continue;
    yield encoder.encode(collected.join(''));
    [collected, length] = [[], 0];
  }
  if (length > 0) yield encoder.encode(collected.join(''));
}

function writeDocumentPieces(document: DoclingDocument, style: Style): Generator<string> {
  return iterateMembers(document, 0, style, function* (key, value, depth) {
    if (key === 'origin' && document.origin) {
      yield* iterateMembers(getOrigin(document.origin, style), depth, style, function* (_, member, level) {
        yield typeof member === 'bigint' ? String(member) : writeWhole(member, level, style);
      });
    } else if (key === 'tables') yield* iterateItems(document.tables, depth, style, writeTablePieces);
    else if (Array.isArray(value)) yield* writeBatches(value, depth, style);
    else yield writeWhole(value, depth, style);
  });
}

function writeTablePieces(table: TableItem, depth: number, style: Style): Generator<string> {
  return iterateMembers(table, depth, style, function* (key, value, level) {
    if (key !== 'data') {
      yield writeWhole(value, level, style);
      return;
    }
    const cell = createCellWriter(style);
    const data = { ...table.data, table_cells: table.data.table_cells.map(cell), grid: [] };
    yield* iterateMembers(data, level, style, function* (name, member, inner) {
      if (name === 'grid')
        yield* writeBatches(
          gridOf(data).map((row) => row.map(cell)),
          inner,
          style,
        );
      else if (Array.isArray(member)) yield* writeBatches(member, inner, style);
      else yield writeWhole(member, inner, style);
    });
  });
}

type WriteMember = (key: string, value: unknown, depth: number) => Generator<string>;

/** Writes an object member by member. Members that JSON omits are skipped. */
function* iterateMembers(value: object, depth: number, style: Style, write: WriteMember): Generator<string> {
  const members = Object.entries(value).filter(
    ([, member]) => member !== undefined && !(style.omitNulls && member === null),
  );
  if (members.length === 0) {
    yield '{}';
    return;
  }
  for (const [index, [key, member]] of members.entries()) {
    yield `${index === 0 ? '{' : ','}${writeLineBreak(depth + 1, style)}${JSON.stringify(key)}:${style.indent > 0 ? ' ' : ''}`;
    yield* write(key, member, depth + 1);
  }
  yield `${writeLineBreak(depth, style)}}`;
}

function* iterateItems<Item>(
  items: readonly Item[],
  depth: number,
  style: Style,
  write: (item: Item, depth: number, style: Style) => Generator<string>,
): Generator<string> {
  if (items.length === 0) {
    yield '[]';
    return;
  }
  for (const [index, item] of items.entries()) {
    yield `${index === 0 ? '[' : ','}${writeLineBreak(depth + 1, style)}`;
    yield* write(item, depth + 1, style);
  }
  yield `${writeLineBreak(depth, style)}]`;
}

/** Writes an array in batches. A row of a grid counts as the number of its cells. */
function* writeBatches(items: readonly unknown[], depth: number, style: Style): Generator<string> {
  if (items.length === 0) {
    yield '[]';
    return;
  }
  const width = Array.isArray(items[0]) ? Math.max(1, items[0].length) : 1;
  const count = Math.max(1, Math.floor(batchSize / width));
  for (let from = 0; from < items.length; from += count) {
    const text = writeWhole(items.slice(from, from + count), depth, style);
    const end = text.length - writeLineBreak(depth, style).length - 1;
    yield (from === 0 ? '[' : ',') + text.slice(1, end);
  }
  yield `${writeLineBreak(depth, style)}]`;
}

function writeWhole(value: unknown, depth: number, { replacer, indent }: Style): string {
  const text = JSON.stringify(value, replacer, indent) ?? 'null';
  // Line ends inside texts are escaped, so each line end here separates members.
  return indent === 0 ? text : text.replaceAll('\n', `\n${' '.repeat(indent * depth)}`);
}

function writeLineBreak(depth: number, { indent }: Style): string {
  return indent === 0 ? '' : `\n${' '.repeat(indent * depth)}`;
}
