import { allocate, type Pdfium } from '../engine/pdfium';
import type { Box } from './box';

/** The page as seen: turned by its `Rotate` entry, with the lower left corner at 0, 0. */
export interface Frame {
  width: number;
  height: number;
  /** Degrees by which the page is turned clockwise for viewing. */
  rotation: number;
  /** Lower left corner of the visible part of the page, in file coordinates. */
  left: number;
  bottom: number;
  convertPoint(x: number, y: number): { x: number; y: number };
}

/** Reads the frame of a loaded page. */
export function readPageFrame(pdfium: Pdfium, page: number): Frame {
  const memory = allocate(pdfium, 16);
  // FS_RECTF: left, top, right, bottom.
  const hasBox = pdfium._FPDF_GetPageBoundingBox(page, memory.address) !== 0;
  const box = hasBox ? { l: memory.float(0), t: memory.float(1), r: memory.float(2), b: memory.float(3) } : undefined;
  memory.free();
  const width = pdfium._FPDF_GetPageWidthF(page);
  const height = pdfium._FPDF_GetPageHeightF(page);
  return createFrame(box ?? { l: 0, b: 0, r: width, t: height }, pdfium._FPDFPage_GetRotation(page) * 90);
}

/** The frame of a page whose visible part is `box`, turned clockwise by `rotation` degrees. */
export function createFrame(box: Box, rotation: number): Frame {
  const wide = box.r - box.l;
  const high = box.t - box.b;
  const turned = rotation === 90 || rotation === 270;
  return {
    width: turned ? high : wide,
    height: turned ? wide : high,
    rotation,
    left: box.l,
    bottom: box.b,
    convertPoint(x, y) {
      const dx = x - box.l;
      const dy = y - box.b;
      if (rotation === 90) return { x: dy, y: wide - dx };
      if (rotation === 180) return { x: wide - dx, y: high - dy };
      if (rotation === 270) return { x: high - dy, y: dx };
      return { x: dx, y: dy };
    },
  };
}

/** Converts a box, given by two opposite corners in file coordinates, to the frame. */
export function createFrameBox(frame: Frame, x1: number, y1: number, x2: number, y2: number): Box {
  if (frame.rotation === 0) {
    const { left, bottom } = frame;
    return {
      l: Math.min(x1, x2) - left,
      b: Math.min(y1, y2) - bottom,
      r: Math.max(x1, x2) - left,
      t: Math.max(y1, y2) - bottom,
    };
  }
  const a = frame.convertPoint(x1, y1);
  const c = frame.convertPoint(x2, y2);
  return { l: Math.min(a.x, c.x), b: Math.min(a.y, c.y), r: Math.max(a.x, c.x), t: Math.max(a.y, c.y) };
}
