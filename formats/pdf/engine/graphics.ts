import type { Box } from '../geometry/box';
import { type Frame, createFrameBox } from '../geometry/frame';
import type { RawPage, Rule } from '../geometry/page';
import { allocate, type Pdfium, type Scratch } from './pdfium';

type Graphics = Required<Pick<RawPage, 'rules' | 'fills' | 'drawings' | 'panels' | 'images' | 'dots'>> &
  Pick<RawPage, 'imageDpi'>;
/** The six numbers a b c d e f of a PDF transformation matrix. */
type Matrix = readonly [number, number, number, number, number, number];

/** The matrix of objects outside any form XObject; compared by reference. */
const identity: Matrix = [1, 0, 0, 1, 0, 0];

const objectTypes = { path: 2, image: 3, shading: 4, form: 5 } as const;
const segmentTypes = { line: 0, bezier: 1, move: 2 } as const;
/** The most objects read per page: maps and plots have hundreds of thousands of strokes, tables do not. */
const maxObjects = 20_000;
const maxSegments = 400;
const maxFormDepth = 6;
/** Limits for a rounded box: most segments, largest corner and smallest side, the last two in points. */
const maxPanelSegments = 240;
const maxCorner = 24;
const minPanel = 14;
/** A filled box at most this thin, in points, is a ruling. */
const thin = 2.5;
/** The smallest dot, in points; the most segments of its outline, and the most dots that are kept for a page. */
const minDot = 1.2;
const maxDotSegments = 120;
const maxDots = 400;
/** A line that deviates from its axis by less than this, in points, is horizontal or vertical. */
const maxSlant = 0.7;

interface Reader {
  pdfium: Pdfium;
  frame: Frame;
  scratch: Scratch;
  found: Graphics;
  /** The area of the largest image so far, in square points. */
  largestImage: number;
  /** How many more objects may be read. */
  objectsLeft: number;
}

/** Reads the rulings, fills, drawings and images of a page, including those inside form XObjects. */
export function readGraphics(pdfium: Pdfium, page: number, frame: Frame): Graphics {
  const scratch = allocate(pdfium, 64);
  const reader: Reader = {
    pdfium,
    frame,
    scratch,
    found: { rules: [], fills: [], drawings: [], panels: [], images: [], dots: [] },
    largestImage: 0,
    objectsLeft: maxObjects,
  };
  try {
    const count = pdfium._FPDFPage_CountObjects(page);
    for (let index = 0; index < count && reader.objectsLeft > 0; index += 1) {
      readObject(reader, pdfium._FPDFPage_GetObject(page, index), identity, 0);
    }
  } finally {
    scratch.free();
  }
  return reader.found;
}

function readObject(reader: Reader, object: number, outer: Matrix, depth: number): void {
  const { pdfium, scratch, found } = reader;
  reader.objectsLeft -= 1;
  const type = pdfium._FPDFPageObj_GetType(object);
  if (type === objectTypes.image) {
    const box = findBounds(reader, object, outer);
    if (box) {
      found.images.push(box);
      noteResolution(reader, object, box);
    }
  }
  if (type === objectTypes.path) readPath(reader, object, outer);
  if (type === objectTypes.form && depth < maxFormDepth) {
    const inner = multiply(readMatrix(pdfium, object, scratch), outer);
    const count = pdfium._FPDFFormObj_CountObjects(object);
    for (let index = 0; index < count && reader.objectsLeft > 0; index += 1) {
      readObject(reader, pdfium._FPDFFormObj_GetObject(object, index), inner, depth + 1);
    }
  }
}

/** Images of at least this share of the area of the largest one are layers of one scan; text has the finest of them. */
const layerShare = 0.9;

/** Keeps the resolution of the largest image, or of the finest of its layers. */
function noteResolution(reader: Reader, object: number, { l, r, b, t }: Box): void {
  const { pdfium, scratch, found } = reader;
  const area = (r - l) * (t - b);
  if (area <= layerShare * reader.largestImage) return;
  if (pdfium._FPDFImageObj_GetImagePixelSize(object, scratch.address, scratch.address + 4) === 0) return;
  const pixels = scratch.int(0) * scratch.int(1);
  if (pixels <= 0) return;
  const dpi = 72 * Math.sqrt(pixels / area);
  const isLayer = layerShare * area <= reader.largestImage;
  found.imageDpi = isLayer ? Math.max(found.imageDpi ?? 0, dpi) : dpi;
  reader.largestImage = Math.max(reader.largestImage, area);
}

function readPath(reader: Reader, object: number, outer: Matrix): void {
  const { pdfium, scratch, found } = reader;
  const { address } = scratch;
  pdfium._FPDFPath_GetDrawMode(object, address, address + 4);
  const isFilled = scratch.int(0) !== 0;
  const isStroked = scratch.int(1) !== 0;
  if (!isFilled && !isStroked) return;
  const box = findBounds(reader, object, outer);
  if (!box) return;
  const wide = box.r - box.l;
  const high = box.t - box.b;
  if (wide <= thin && high <= thin) {
    if (isFilled && isDot(reader, object, wide, high)) found.dots.push(box);
    return;
  }
  if (high <= thin) return void found.rules.push({ axis: 'h', at: (box.b + box.t) / 2, from: box.l, to: box.r });
  if (wide <= thin) return void found.rules.push({ axis: 'v', at: (box.l + box.r) / 2, from: box.b, to: box.t });
  const count = pdfium._FPDFPath_CountSegments(object);
  if (count > maxSegments) return void found.drawings.push(box);
  const path = { object, count, matrix: multiply(readMatrix(pdfium, object, scratch), outer) };
  const lines = findStraightLines(reader, path);
  if (!lines) {
    if (isPanel(reader, path, box)) found.panels.push(box);
    return void found.drawings.push(box);
  }
  if (isStroked) found.rules.push(...lines);
  if (isFilled && !isWhite(reader, object)) found.fills.push(box);
}

/** True for a filled circle. The dots of dotted lines and leaders are strokes or squares. */
function isDot({ pdfium, found }: Reader, object: number, wide: number, high: number): boolean {
  if (found.dots.length >= maxDots || Math.min(wide, high) < minDot || Math.abs(wide - high) > 0.1 * wide) return false;
  const count = pdfium._FPDFPath_CountSegments(object);
  if (count < 4 || count > maxDotSegments) return false;
  const types = Array.from({ length: count }, (_, index) =>
    pdfium._FPDFPathSegment_GetType(pdfium._FPDFPath_GetPathSegment(object, index)),
  );
  return types.filter((type) => type === segmentTypes.bezier).length > 0.5 * count;
}

interface Path {
  object: number;
  count: number;
  matrix: Matrix;
}

/** True for a box with rounded corners, or its outline: sides along the axes, joined by small curves. */
function isPanel({ pdfium, scratch, frame }: Reader, { object, count, matrix }: Path, box: Box): boolean {
  if (count < 8 || count > maxPanelSegments || box.r - box.l < minPanel || box.t - box.b < minPanel) return false;
  const [a, b, c, d, e, f] = matrix;
  const reach = Math.min(maxCorner, 0.5 * Math.min(box.r - box.l, box.t - box.b)) + 1;
  let straight = 0;
  let last: { x: number; y: number } | undefined;
  for (let index = 0; index < count; index += 1) {
    const segment = pdfium._FPDFPath_GetPathSegment(object, index);
    pdfium._FPDFPathSegment_GetPoint(segment, scratch.address, scratch.address + 4);
    const [px, py] = [scratch.float(0), scratch.float(1)];
    const point = frame.convertPoint(a * px + c * py + e, b * px + d * py + f);
    const [dx, dy] = [Math.min(point.x - box.l, box.r - point.x), Math.min(point.y - box.b, box.t - point.y)];
    if (Math.min(dx, dy) > reach) return false;
    if (last && pdfium._FPDFPathSegment_GetType(segment) === segmentTypes.line) {
      const [wide, high] = [Math.abs(point.x - last.x), Math.abs(point.y - last.y)];
      if (wide > maxSlant && high > maxSlant) return false;
      if (Math.max(wide, high) > maxSlant) straight += 1;
    }
    last = point;
  }
  return straight >= 2;
}

/** The path's lines as rulings; undefined if any of them is slanted or curved. */
function findStraightLines(reader: Reader, { object, count, matrix }: Path): Rule[] | undefined {
  const { pdfium, scratch, frame } = reader;
  const [a, b, c, d, e, f] = matrix;
  const rules: Rule[] = [];
  let start: { x: number; y: number } | undefined;
  let last: { x: number; y: number } | undefined;
  for (let index = 0; index < count; index += 1) {
    const segment = pdfium._FPDFPath_GetPathSegment(object, index);
    const type = pdfium._FPDFPathSegment_GetType(segment);
    if (type === segmentTypes.bezier) return undefined;
    pdfium._FPDFPathSegment_GetPoint(segment, scratch.address, scratch.address + 4);
    const [px, py] = [scratch.float(0), scratch.float(1)];
    const point = frame.convertPoint(a * px + c * py + e, b * px + d * py + f);
    if (type === segmentTypes.line && last && !addRule(rules, last, point)) return undefined;
    if (type === segmentTypes.move) start = point;
    last = point;
    if (pdfium._FPDFPathSegment_GetClose(segment) === 1 && start && !addRule(rules, point, start)) return undefined;
  }
  return rules;
}

/** Adds a line as a ruling and skips one without length; false if the line is slanted. */
function addRule(rules: Rule[], a: { x: number; y: number }, b: { x: number; y: number }): boolean {
  const dx = Math.abs(a.x - b.x);
  const dy = Math.abs(a.y - b.y);
  if (dx < maxSlant && dy < maxSlant) return true;
  if (dy < maxSlant) rules.push({ axis: 'h', at: (a.y + b.y) / 2, from: Math.min(a.x, b.x), to: Math.max(a.x, b.x) });
  else if (dx < maxSlant)
    rules.push({ axis: 'v', at: (a.x + b.x) / 2, from: Math.min(a.y, b.y), to: Math.max(a.y, b.y) });
  else return false;
  return true;
}

/** True for white and transparent fills, which many programs draw under text without a meaning. */
function isWhite({ pdfium, scratch }: Reader, object: number): boolean {
  const { address } = scratch;
  if (pdfium._FPDFPageObj_GetFillColor(object, address, address + 4, address + 8, address + 12) === 0) return false;
  return scratch.int(3) === 0 || [0, 1, 2].every((index) => scratch.int(index) === 255);
}

/** The object's bounding box clipped to the page; undefined if it has none or lies outside the page. */
function findBounds({ pdfium, scratch, frame }: Reader, object: number, outer: Matrix): Box | undefined {
  const { address } = scratch;
  if (pdfium._FPDFPageObj_GetBounds(object, address, address + 4, address + 8, address + 12) === 0) return undefined;
  const [l, b, r, t] = [scratch.float(0), scratch.float(1), scratch.float(2), scratch.float(3)];
  const box =
    outer === identity
      ? createFrameBox(frame, l, b, r, t)
      : createFrameBox(frame, ...transform(outer, l, b), ...transform(outer, r, t));
  const seen = {
    l: Math.max(box.l, 0),
    b: Math.max(box.b, 0),
    r: Math.min(box.r, frame.width),
    t: Math.min(box.t, frame.height),
  };
  return seen.l <= seen.r && seen.b <= seen.t ? seen : undefined;
}

function readMatrix(pdfium: Pdfium, object: number, scratch: Scratch): Matrix {
  if (pdfium._FPDFPageObj_GetMatrix(object, scratch.address) === 0) return identity;
  const at = (index: number) => scratch.float(index);
  return [at(0), at(1), at(2), at(3), at(4), at(5)];
}

/** The transformation that applies `inner` first, then `outer`. */
function multiply(inner: Matrix, outer: Matrix): Matrix {
  if (outer === identity) return inner;
  const [a, b, c, d, e, f] = inner;
  const [A, B, C, D, E, F] = outer;
  return [a * A + b * C, a * B + b * D, c * A + d * C, c * B + d * D, e * A + f * C + E, e * B + f * D + F];
}

function transform([a, b, c, d, e, f]: Matrix, x: number, y: number): [number, number] {
  return [a * x + c * y + e, b * x + d * y + f];
}
