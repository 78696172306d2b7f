import { AppError } from '../../model/errors';
import { createCursor, type Cursor } from './cursor';

/** Kinds of zones, from the largest to the smallest. */
export const zoneKind = { page: 1, column: 2, region: 3, paragraph: 4, line: 5, word: 6, character: 7 } as const;

/** An area of a page with its text. Measured in pixels from the lower left corner. */
export interface Zone {
  kind: number;
  l: number;
  b: number;
  r: number;
  t: number;
  /** The bytes of the text from `start` to `end`. */
  start: number;
  end: number;
  children: Zone[];
}

/** The text of a page. */
export interface TextLayer {
  /** In UTF-8. */
  text: Buffer;
  /** Undefined if the file gives no positions, or damaged ones. */
  root: Zone | undefined;
}

/** Siblings of these kinds are below each other; those of other kinds are side by side. */
const stacked: ReadonlySet<number> = new Set([zoneKind.page, zoneKind.paragraph, zoneKind.line]);

/** Reads the text of a page and its zones (DjVu 3 specification, 8.3.5). Throws DOCUMENT_CORRUPT or DOCUMENT_TOO_LARGE. */
export function readTextLayer(data: Buffer, limits: { maxZones: number; maxDepth: number }): TextLayer {
  const cursor = createCursor(data, 'The text layer');
  const text = cursor.take(cursor.number(3));
  // The version comes next; text without zones may end before it.
  if (cursor.isAtEnd() || cursor.number(1) > 1 || cursor.isAtEnd()) return { text, root: undefined };
  return { text, root: readZone(cursor, { ...limits, zones: 0, textLength: text.length }) };
}

interface Reading {
  maxZones: number;
  maxDepth: number;
  /** Number of zones read so far. */
  zones: number;
  textLength: number;
}

function readZone(
  cursor: Cursor,
  reading: Reading,
  { parent, before, depth }: { parent?: Zone; before?: Zone | undefined; depth: number } = { depth: 0 },
): Zone {
  reading.zones += 1;
  if (reading.zones > reading.maxZones)
    throw new AppError('DOCUMENT_TOO_LARGE', `The text layer of a page has more than ${reading.maxZones} zones.`);
  if (depth > reading.maxDepth)
    throw new AppError(
      'DOCUMENT_TOO_LARGE',
      `The text layer of a page has more than ${reading.maxDepth} levels of zones.`,
    );
  const kind = cursor.number(1);
  const [x, y, width, height] = [cursor.offset(), cursor.offset(), cursor.offset(), cursor.offset()] as const;
  const skipped = cursor.offset();
  const length = cursor.number(3);
  const children = cursor.number(3);
  if (kind < zoneKind.page || kind > zoneKind.character)
    throw new AppError('DOCUMENT_CORRUPT', 'The text layer has a zone of an unknown kind.');
  const { l, b } = locateCorner({ kind, x, y, height }, parent, before);
  const start = Math.max(0, (before?.end ?? parent?.start ?? 0) + skipped);
  const zone: Zone = {
    kind,
    l,
    b,
    r: l + width,
    t: b + height,
    start,
    end: Math.min(start + length, reading.textLength),
    children: [],
  };
  for (let index = 0; index < children; index += 1) {
    const last = zone.children.at(-1);
    zone.children.push(readZone(cursor, reading, { parent: zone, before: last, depth: depth + 1 }));
  }
  return zone;
}

/** Returns the lower left corner of a zone, which the file gives in relation to the zone before it or around it. */
function locateCorner(
  { kind, x, y, height }: { kind: number; x: number; y: number; height: number },
  parent: Zone | undefined,
  before: Zone | undefined,
): Pick<Zone, 'l' | 'b'> {
  if (before && stacked.has(kind)) return { l: before.l + x, b: before.b - y - height };
  if (before) return { l: before.r + x, b: before.b + y };
  if (parent) return { l: parent.l + x, b: parent.t - y - height };
  return { l: x, b: y };
}
