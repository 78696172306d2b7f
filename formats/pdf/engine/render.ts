import { AppError } from '../../../model/errors';
import { writePng } from '../../image/png';
import type { Box } from '../geometry/box';
import type { RenderedImage } from '../geometry/page';
import type { Pdfium } from './pdfium';

/** pdfium's bitmap format with the bytes blue, green, red and unused. */
const bgrx = 3;
const white = 0xffffffff;
/** Draws annotations too, as viewers do. */
const withAnnotations = 1;
/** An A0 page at 150 dpi has 35 million pixels. */
const maxPixels = 40_000_000;

/** Draws a loaded page on a white background, or only the area `part` (origin at the lower left). */
export function renderPage(
  pdfium: Pdfium,
  page: number,
  { width, height, scale, part }: { width: number; height: number; scale: number; part?: Box | undefined },
): RenderedImage {
  const seen = part ?? { l: 0, b: 0, r: width, t: height };
  const size = {
    x: Math.max(1, Math.round((seen.r - seen.l) * scale)),
    y: Math.max(1, Math.round((seen.t - seen.b) * scale)),
  };
  if (size.x * size.y > maxPixels)
    throw new AppError(
      'DOCUMENT_TOO_LARGE',
      `An image of ${size.x} by ${size.y} pixels was to be drawn; the limit is ${maxPixels} pixels.`,
    );
  const stride = size.x * 4;
  const address = pdfium.wasmExports.malloc(stride * size.y);
  const bitmap = pdfium._FPDFBitmap_CreateEx(size.x, size.y, bgrx, address, stride);
  try {
    pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, size.x, size.y, white);
    const at = { x: Math.round(-seen.l * scale), y: Math.round(-(height - seen.t) * scale) };
    const whole = { x: Math.round(width * scale), y: Math.round(height * scale) };
    pdfium._FPDF_RenderPageBitmap(bitmap, page, at.x, at.y, whole.x, whole.y, 0, withAnnotations);
    const pixels = pdfium.HEAPU8.subarray(address, address + stride * size.y);
    return { png: writePng(toRgb(pixels, size.x * size.y), size.x, size.y), width: size.x, height: size.y };
  } finally {
    pdfium._FPDFBitmap_Destroy(bitmap);
    pdfium.wasmExports.free(address);
  }
}

function toRgb(pixels: Uint8Array, count: number): Uint8Array {
  const rgb = new Uint8Array(count * 3);
  for (let index = 0; index < count; index += 1) {
    rgb[index * 3] = pixels[index * 4 + 2] as number;
    rgb[index * 3 + 1] = pixels[index * 4 + 1] as number;
    rgb[index * 3 + 2] = pixels[index * 4] as number;
  }
  return rgb;
}
