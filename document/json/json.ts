import { AppError } from '../../model/errors';
import { parse } from '../../model/validate';
import { createDocument } from '../builder';
import type { DoclingDocument } from '../model';
import { DoclingDocumentSchema } from '../schema';
import { walkNodes } from '../tree';
import { checkTree } from '../validate';
import { documentVersion } from '../version';
import { checkLimits } from './limits';
import { repairLists } from './lists';

/**
 * Parses the output of `documentToJson` or of the reference. Throws DOCUMENT_CORRUPT with the problem. `trusted` skips the
 * checks of schema and tree; use it only for text that this version of `documentToJson` wrote and nobody could change.
 */
export function documentFromJson(text: string, { trusted = false } = {}): DoclingDocument {
  const value = parseJson(text);
  if (trusted) return finish(value as DoclingDocument, text);
  rejectOtherVersions(value);
  addLayers(value);
  const document = parse(DoclingDocumentSchema, value, 'The DoclingDocument', 'DOCUMENT_CORRUPT');
  const roots = createDocument(document.name).document;
  document.body ??= roots.body;
  document.furniture ??= roots.furniture;
  document.furniture.content_layer = 'furniture';
  finish(document, text);
  checkLimits(document);
  // References point to positions. An item with a different `self_ref` would be mistaken for another item.
  for (const { ref, node } of walkNodes(document)) node.self_ref = ref;
  checkTree(document);
  repairLists(document);
  return document;
}

/** Restores the exact hash and removes the fields that are computed on writing. */
function finish(document: DoclingDocument, text: string): DoclingDocument {
  if (document.origin) document.origin.binary_hash = readExactHash(text, Number(document.origin.binary_hash));
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

function rejectOtherVersions(value: unknown): void {
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
function readExactHash(text: string, rounded: number): bigint {
  for (const [, digits] of text.matchAll(/"binary_hash"\s*:\s*(\d+)/g)) {
    if (Number(digits) === rounded) return BigInt(digits!);
  }
  return BigInt(rounded);
}
