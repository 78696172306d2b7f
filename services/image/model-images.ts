import { AppError } from '../../model/errors';

/** Models take no more, or make it smaller themselves. */
const longestSide = 2_048;
/** A page of A3 at 600 dots an inch has 70 million. */
const mostPixels = 100_000_000;
const taken = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** An image as it is sent. */
export interface SentImage {
  bytes: Uint8Array;
  mimetype: string;
}

/**
 * The image in a form and size that models take: others become PNG, larger ones are made smaller. Without the optional
 * package sharp images that models take go as they are; OPTIONAL_PACKAGE_MISSING for others, DOCUMENT_CORRUPT for broken ones.
 */
export async function imageForModel({ bytes, mimetype }: SentImage): Promise<SentImage> {
  const sharp = await loadSharp();
  if (!sharp) {
    if (taken.has(mimetype)) return { bytes, mimetype };
    throw new AppError(
      'OPTIONAL_PACKAGE_MISSING',
      `Showing a model an image of the kind ${mimetype} needs the optional package sharp: npm install sharp.`,
    );
  }
  try {
    const image = sharp(bytes, { limitInputPixels: mostPixels });
    const { width, height } = await image.metadata();
    if (taken.has(mimetype) && width <= longestSide && height <= longestSide) return { bytes, mimetype };
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

/** The part of a PNG; `box` counts pixels from the upper left corner. */
export async function cropImage(
  png: Uint8Array,
  box: { left: number; top: number; width: number; height: number },
): Promise<Uint8Array> {
  const sharp = await loadSharp();
  if (sharp) return sharp(png, { limitInputPixels: mostPixels }).extract(box).png({ compressionLevel: 3 }).toBuffer();
  throw new AppError('OPTIONAL_PACKAGE_MISSING', 'Cutting images needs the optional package sharp: npm install sharp.');
}

async function loadSharp() {
  try {
    return (await import('sharp')).default;
  } catch {
    // What does not need it goes on without.
    return undefined;
  }
}
