import { AppError } from '../../model/errors';
import { parse } from '../../model/validate';
import { createDocument } from '../builder';
import { gridOf } from '../grid';
import { checkLimits } from './limits';
import { repairLists } from './lists';
import { type DoclingDocument, type DocumentOrigin, documentVersion, type TableCell } from '../model';
import { DoclingDocumentSchema } from '../schema';
import { allNodes } from '../tree';
import { checkTree } from '../validate';

/** How a document is written as JSON. */
export interface JsonOptions {
  /** Omit null members, as the files of the reference do. Default: null members are written. */
  omitNulls?: boolean;
  indent?: number;
  /** Write a missing `origin.uri` or cell `bbox` as null, as clients of the service expect. Default: they are omitted. */
  emptyPlaces?: boolean;
}

/** Serializes a document. The hash of the origin keeps all its digits; the grid of each table is computed. */
export function documentToJson(document: DoclingDocument, options: JsonOptions = {}): string {
  const replacer = options.omitNulls
    ? (_key: string, value: unknown) => (value === null ? undefined : value)
    : undefined;
  const origin = document.origin ? { ...getOrigin(document.origin, options), binary_hash: hashMark } : document.origin;
  const cell = cellWriter(options);
  const tables = document.tables.map((table) => {
    const grid = gridOf(table.data).map((row) => row.map(cell));
    return { ...table, data: { ...table.data, table_cells: table.data.table_cells.map(cell), grid } };
  });
  const text = JSON.stringify({ ...document, origin, tables }, replacer, options.indent);
  if (!document.origin) return text;
  // A text equal to the marker would have its quotes escaped.
  return text.replace(`"${hashMark}"`, () => String(document.origin?.binary_hash));
}

/** Returns the origin in its JSON form. */
export function getOrigin(origin: DocumentOrigin, { emptyPlaces }: Pick<JsonOptions, 'emptyPlaces'>): DocumentOrigin {
  return emptyPlaces ? { ...origin, uri: origin.uri ?? null } : origin;
}

/** Returns a function that brings a cell into its JSON form. */
export function cellWriter({ emptyPlaces }: Pick<JsonOptions, 'emptyPlaces'>): (cell: TableCell) => TableCell {
  return emptyPlaces ? (cell) => (cell.bbox === undefined ? { bbox: null, ...cell } : cell) : (cell) => cell;
}

/** Placeholder for the hash, because JSON.stringify does not support bigint. */
const hashMark = 'docloom:binary_hash';

/**
 * Parses the output of `documentToJson` or of the reference. Throws DOCUMENT_CORRUPT with the problem. `trusted` skips the
 * checks of schema and tree; use it only for text that this version of `documentToJson` wrote and nobody could change.
 */
export function documentFromJson(text: string, { trusted = false } = {}): DoclingDocument {
  const value = parseJson(text);
  if (trusted) return finish(value as DoclingDocument, text);
  refuseOtherVersions(value);
  addLayers(value);
  const document = parse(DoclingDocumentSchema, value, 'The DoclingDocument', 'DOCUMENT_CORRUPT');
  const roots = createDocument(document.name).document;
  document.body ??= roots.body;
  document.furniture ??= roots.furniture;
  document.furniture.content_layer = 'furniture';
  finish(document, text);
  checkLimits(document);
  // References point to positions. An item with a different `self_ref` would be mistaken for another item.
  for (const { ref, node } of allNodes(document)) node.self_ref = ref;
  checkTree(document);
  repairLists(document);
  return document;
}

/** Restores the exact hash and removes the fields that are computed on writing. */
function finish(document: DoclingDocument, text: string): DoclingDocument {
  if (document.origin) document.origin.binary_hash = exactHash(text, Number(document.origin.binary_hash));
  for (const table of document.tables) delete table.data.grid;
  return document;
}

function parseJson(text: string): unknown {
  try {
    // Before version 1.1 references were written as `cref`.
    return text.includes('"cref"') ? JSON.parse(text, renameReference) : JSON.parse(text);
  } catch (error) {
    throw new AppError(
      'DOCUMENT_CORRUPT',
      `The DoclingDocument is not JSON: ${error instanceof Error ? error.message : String(error)}.`,
      {},
      error,
    );
  }
}

function renameReference(_key: string, value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'cref' in value ? { $ref: value.cref } : value;
}

/** Layers were added in version 1.1. Before, only labels distinguished page headers and footers from the body. */
function addLayers(value: unknown): void {
  const texts = (value as { texts?: unknown } | null)?.texts;
  for (const item of (Array.isArray(texts) ? texts : []) as ({ label?: unknown; content_layer?: unknown } | null)[]) {
    const isMargin = item?.label === 'page_header' || item?.label === 'page_footer';
    if (isMargin && item.content_layer === undefined) item.content_layer = 'furniture';
  }
}

function refuseOtherVersions(value: unknown): void {
  const version = (value as { version?: unknown } | null)?.version;
  const match = typeof version === 'string' ? /^(\d+)\.(\d+)/.exec(version) : null;
  if (!match) return;
  const [major, minor] = documentVersion.split('.').map(Number) as [number, number];
  if (Number(match[1]) !== major || Number(match[2]) > minor) {
    throw new AppError(
      'DOCUMENT_CORRUPT',
      `The DoclingDocument has version ${version as string}; ${major}.0 to ${major}.${minor} can be read.`,
    );
  }
}

/**
 * JSON.parse rounds numbers beyond 2^53. Reads the exact digits from the text: the first ones that round to the parsed number.
 */
function exactHash(text: string, rounded: number): bigint {
  for (const [, digits] of text.matchAll(/"binary_hash"\s*:\s*(\d+)/g)) {
    if (Number(digits) === rounded) return BigInt(digits!);
  }
  return BigInt(rounded);
}
