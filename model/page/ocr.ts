/** A rectangle in pixels; the origin is the upper left corner of the image. */
export interface PixelBox {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** A word recognized in an image. */
export interface OcrWord {
  text: string;
  /** From 0 to 1. */
  confidence: number;
  box: PixelBox;
  /** Words of one printed line share a number. */
  line: number;
  /** Baseline of its line, in pixels from the top. */
  baseline: number;
  /** Height of its line, in pixels. */
  height: number;
}

/**
 * A straight printed line, horizontal (`h`) or vertical (`v`). `at` is its fixed coordinate, `from` is less than `to`. In pixels.
 */
export interface PixelRule {
  axis: 'h' | 'v';
  at: number;
  from: number;
  to: number;
}

/** The text of an image, after the image was rotated so that its text is upright. */
export interface OcrPage {
  words: OcrWord[];
  /** Lines of tables and frames; absent when detection has not run. */
  rules?: PixelRule[];
  /** Clockwise rotation applied to the image, in degrees. Boxes and sizes refer to the rotated image. */
  turned: 0 | 90 | 180 | 270;
  /** There is text, but not in the requested languages, or too poor to be read; `words` is empty. */
  isUnreadable?: boolean;
  /** Figures of which two readings gave different digits. */
  doubtful?: string[];
  /** How many pieces of text in the lines of the words could not be read. */
  unread?: number;
  width: number;
  height: number;
}

/**
 * Reads the text of an image (PNG or JPEG), which is `scale` times larger than what it shows was stored; default: 1. Throws
 * OPTIONAL_PACKAGE_MISSING when the engine or language data is missing.
 */
export type RecognizeText = (image: Uint8Array, scale?: number) => Promise<OcrPage>;

/** When to run OCR: on pages without text (`auto`), or on all pages (`force`). */
export interface OcrOptions {
  recognize: RecognizeText;
  mode: 'auto' | 'force';
  /** Adds the words of recognized pages, with boxes and confidence, to the metadata of their texts and tables. */
  keepsWords?: boolean;
}

/** An image file whose pages are decoded one at a time. */
export interface OpenedImage {
  pages: number;
  /** `pageNo` starts at 1. `dpi` is 72 if the file has none. */
  page(pageNo: number): Promise<{ png: Uint8Array; width: number; height: number; dpi: number }>;
}

/**
 * Opens PNG, JPEG, TIFF, WEBP, BMP or GIF. Throws DOCUMENT_CORRUPT, DOCUMENT_TOO_LARGE, or OPTIONAL_PACKAGE_MISSING without a
 * decoder.
 */
export type OpenImage = (bytes: Uint8Array, name: string) => Promise<OpenedImage>;
