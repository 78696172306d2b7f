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
  /** Leave out members that are null, as the files of the reference have it. Default: they stay. */
  omitNulls?: boolean;
  indent?: number;
  /** Write `origin.uri` and the `bbox` of cells as null where there is none: clients of the service read them. Default: they are left out. */
  emptyPlaces?: boolean;
}

/** The document as JSON. The hash of the origin is written with all its digits, the grid of tables is computed. */
export function documentToJson(document: DoclingDocument, options: JsonOptions = {}): string {
  const replacer = options.omitNulls
    ? (_key: string, value: unknown) => (value === null ? undefined : value)
    : undefined;
  const origin = document.origin ? { ...originOf(document.origin, options), binary_hash: hashMark } : document.origin;
  const cell = cellWriter(options);
  const tables = document.tables.map((table) => {
    const grid = gridOf(table.data).map((row) => row.map(cell));
    return { ...table, data: { ...table.data, table_cells: table.data.table_cells.map(cell), grid } };
  });
  const text = JSON.stringify({ ...document, origin, tables }, replacer, options.indent);
  if (!document.origin) return text;
  // A text that held the mark would have its quotes escaped.
  return text.replace(`"${hashMark}"`, () => String(document.origin?.binary_hash));
}

/** An origin as it is written. */
export function originOf(origin: DocumentOrigin, { emptyPlaces }: Pick<JsonOptions, 'emptyPlaces'>): DocumentOrigin {
  return emptyPlaces ? { ...origin, uri: origin.uri ?? null } : origin;
}

/** Cells as they are written. */
export function cellWriter({ emptyPlaces }: Pick<JsonOptions, 'emptyPlaces'>): (cell: TableCell) => TableCell {
  return emptyPlaces ? (cell) => (cell.bbox === undefined ? { bbox: null, ...cell } : cell) : (cell) => cell;
}

/** Stands for the hash while JSON.stringify, which knows no bigint, writes the rest. */
const hashMark = 'docloom:binary_hash';

/**
 * Reads what `documentToJson` or the reference wrote. DOCUMENT_CORRUPT says what is wrong. With `trusted`, for text that
 * `documentToJson` of this version wrote and nobody could change, schema and tree are not checked again.
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
  // Items are named by their places; one that calls itself otherwise would be taken for another.
  for (const { ref, node } of allNodes(document)) node.self_ref = ref;
  checkTree(document);
  repairLists(document);
  return document;
}

/** Restores the exact hash and drops what is computed when writing. */
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

/** Layers came with version 1.1; before, labels alone told page headers and footers from the body. */
function addLayers(value: unknown): void {
  const texts = (value as { texts?: unknown } | null)?.texts;
  for (const item of (Array.isArray(texts) ? texts : []) as ({ label?: unknown; content_layer?: unknown } | null)[]) {
    const isMargin = item?.label === 'page_header' || item?.label === 'page_footer';
    if (isMargin && item.content_layer === undefined) item.content_layer = 'furniture';
  }
}

function refuseOtherVersions(value: unknown): void {
  const given = (value as { version?: unknown } | null)?.version;
  const found = typeof given === 'string' ? /^(\d+)\.(\d+)/.exec(given) : null;
  if (!found) return;
  const [major, minor] = documentVersion.split('.').map(Number) as [number, number];
  if (Number(found[1]) !== major || Number(found[2]) > minor) {
    throw new AppError(
      'DOCUMENT_CORRUPT',
      `The DoclingDocument has version ${given as string}; ${major}.0 to ${major}.${minor} can be read.`,
    );
  }
}

/** JSON.parse rounds beyond 2^53, so the digits are taken from the text: those that round to what was parsed. */
function exactHash(text: string, rounded: number): bigint {
  for (const [, digits] of text.matchAll(/"binary_hash"\s*:\s*(\d+)/g)) {
    if (Number(digits) === rounded) return BigInt(digits!);
  }
  return BigInt(rounded);
}
