/** A rectangle in pixels; the origin is the upper left corner of the image. */
export interface PixelBox {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** A word that was read in an image. */
export interface OcrWord {
  text: string;
  /** From 0 to 1. */
  confidence: number;
  box: PixelBox;
  /** Words of one printed line share a number. */
  line: number;
  /** Of its line, in pixels from the top. */
  baseline: number;
  /** Height of its line, in pixels. */
  height: number;
}

/** A straight printed line, level (`h`) or upright; `at` is its fixed coordinate, `from` is less than `to`. In pixels. */
export interface PixelRule {
  axis: 'h' | 'v';
  at: number;
  from: number;
  to: number;
}

/** What was read in an image, after the image was turned so that its text stands upright. */
export interface OcrPage {
  words: OcrWord[];
  /** Of tables and frames; absent: nobody has looked for them. */
  rules?: PixelRule[];
  /** Clockwise degrees by which the image was turned; boxes and sizes are those of the turned image. */
  turned: 0 | 90 | 180 | 270;
  width: number;
  height: number;
}

/** Reads the text of an image (PNG or JPEG). OPTIONAL_PACKAGE_MISSING when the engine or the data of a language is absent. */
export type RecognizeText = (image: Uint8Array) => Promise<OcrPage>;

/** How text in images is read: on pages without text of their own (`auto`), or on all (`force`). */
export interface OcrOptions {
  recognize: RecognizeText;
  mode: 'auto' | 'force';
}

/** An image file whose pages are decoded one at a time. */
export interface OpenedImage {
  pages: number;
  /** From 1. `dpi` is 72 where the file does not say. */
  page(pageNo: number): Promise<{ png: Uint8Array; width: number; height: number; dpi: number }>;
}

/** Opens PNG, JPEG, TIFF, WEBP, BMP or GIF. DOCUMENT_CORRUPT, DOCUMENT_TOO_LARGE, or OPTIONAL_PACKAGE_MISSING without decoder. */
export type OpenImage = (bytes: Uint8Array, name: string) => Promise<OpenedImage>;
