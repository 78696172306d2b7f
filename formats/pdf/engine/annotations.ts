import { findLargest, findSmallest } from '../../extremes';
import type { Box } from '../geometry/box';
import { type Frame, createFrameBox } from '../geometry/frame';
import { allocate, type Pdfium } from './pdfium';

/** Only malicious files have pages with more annotations. */
const maxAnnotations = 5_000;
const maxBytes = 65_536;
/** Eight floats. */
const cornerBytes = 32;
/** Flags Hidden and NoView (ISO 32000-1, 12.5.3). */
const unseen = (1 << 1) | (1 << 5);

/** Calls `read` for each annotation of a page, and returns its results without `undefined`. */
export function readAnnotations<T>(pdfium: Pdfium, page: number, read: (annotation: number) => T | undefined): T[] {
  const count = Math.min(pdfium._FPDFPage_GetAnnotCount(page), maxAnnotations);
  const results: T[] = [];
  for (let index = 0; index < count; index += 1) {
    const annotation = pdfium._FPDFPage_GetAnnot(page, index);
    if (annotation === 0) continue;
    const result = read(annotation);
    if (result !== undefined) results.push(result);
    pdfium._FPDFPage_CloseAnnot(annotation);
  }
  return results;
}

/** True if no viewer shows the annotation. */
export function isUnseen(pdfium: Pdfium, annotation: number): boolean {
  return (pdfium._FPDFAnnot_GetFlags(annotation) & unseen) !== 0;
}

/** The box of an annotation in frame coordinates; undefined if it is unknown or empty. */
export function findAnnotationBox(pdfium: Pdfium, annotation: number, frame: Frame): Box | undefined {
  const memory = allocate(pdfium, 16);
  // FS_RECTF: left, top, right, bottom.
  const hasRect = pdfium._FPDFAnnot_GetRect(annotation, memory.address) !== 0;
  const box = createFrameBox(frame, memory.float(0), memory.float(3), memory.float(2), memory.float(1));
  memory.free();
  return hasRect && box.r > box.l && box.t > box.b ? box : undefined;
}

/** The box of four corners that `read` writes as coordinates (FS_QUADPOINTSF); undefined if there are none, or it is empty. */
export function readCorners(pdfium: Pdfium, frame: Frame, read: (address: number) => number): Box | undefined {
  const memory = allocate(pdfium, cornerBytes);
  try {
    if (read(memory.address) === 0) return undefined;
    const [xs, ys] = [0, 1].map((axis) => [0, 2, 4, 6].map((corner) => memory.float(corner + axis))) as [
      number[],
      number[],
    ];
    const box = createFrameBox(frame, findSmallest(xs), findSmallest(ys), findLargest(xs), findLargest(ys));
    return box.r > box.l && box.t > box.b ? box : undefined;
  } finally {
    memory.free();
  }
}

/** A string or name in an annotation's dictionary; empty if there is none. */
export function readAnnotationEntry(pdfium: Pdfium, annotation: number, name: string): string {
  const key = new TextEncoder().encode(`${name}\0`);
  const memory = allocate(pdfium, key.length);
  pdfium.HEAPU8.set(key, memory.address);
  const text = readWideText(pdfium, (address, bytes) =>
    pdfium._FPDFAnnot_GetStringValue(annotation, memory.address, address, bytes),
  );
  memory.free();
  return text;
}

/** Reads zero-terminated UTF-16 from pdfium: the first call returns the length, the second the text. */
export function readWideText(pdfium: Pdfium, call: (address: number, bytes: number) => number): string {
  const bytes = Math.min(call(0, 0), maxBytes);
  if (bytes <= 2) return '';
  const memory = allocate(pdfium, bytes);
  call(memory.address, bytes);
  const text = new TextDecoder('utf-16le').decode(memory.bytes(bytes - 2));
  memory.free();
  return text;
}
