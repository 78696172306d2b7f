import { AppError } from '../../model/errors';

/** Models accept no larger images, or shrink them themselves. */
const longestSide = 2_048;
/** An A3 page at 600 dpi has 70 million pixels. */
const maxPixels = 100_000_000;
const supportedTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** An image in the form sent to a model. */
export interface SentImage {
  bytes: Uint8Array;
  mimetype: string;
}

/**
 * Converts the image to a format and size that models accept: other formats become PNG, larger images are shrunk. Without the
 * optional package sharp, accepted formats are sent unchanged and others throw OPTIONAL_PACKAGE_MISSING. Damaged images throw
 * DOCUMENT_CORRUPT.
 */
export async function prepareImage({ bytes, mimetype }: SentImage): Promise<SentImage> {
  const sharp = await loadSharp();
  if (!sharp) {
    if (supportedTypes.has(mimetype)) return { bytes, mimetype };
    throw new AppError(
      'OPTIONAL_PACKAGE_MISSING',
      `Showing a model an image of the kind ${mimetype} needs the optional package sharp: npm install sharp.`,
    );
  }
  try {
    const image = sharp(bytes, { limitInputPixels: maxPixels });
    const { width, height } = await image.metadata();
    if (supportedTypes.has(mimetype) && width <= longestSide && height <= longestSide) return { bytes, mimetype };
    const png = await image
      .rotate()
      .flatten({ background: '#ffffff' })
      .resize({ width: longestSide, height: longestSide, fit: 'inside', withoutEnlargement: true })
      .png({ compressionLevel: 3 })
      .toBuffer();
    return { bytes: png, mimetype: 'image/png' };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('DOCUMENT_CORRUPT', `The image of the kind ${mimetype} cannot be read: ${reason}.`, {}, error);
  }
}

/** Crops a PNG. `box` is in pixels from the upper left corner. */
export async function cropImage(
  png: Uint8Array,
  box: { left: number; top: number; width: number; height: number },
): Promise<Uint8Array> {
  const sharp = await loadSharp();
  if (sharp) return sharp(png, { limitInputPixels: maxPixels }).extract(box).png({ compressionLevel: 3 }).toBuffer();
  throw new AppError('OPTIONAL_PACKAGE_MISSING', 'Cutting images needs the optional package sharp: npm install sharp.');
}

async function loadSharp() {
  try {
    return (await import('sharp')).default;
  } catch {
    // Callers that can do without sharp continue.
    return undefined;
  }
}
