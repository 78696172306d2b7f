import type { Sharp, SharpOptions } from 'sharp';
import { AppError } from '../../model/errors';
import type { OpenImage, PixelBox } from '../../model/page/ocr';
import { isBitmap, readBitmap } from './bitmap';
import type { GreyImage } from './grey-image';
import { isHeic, openHeic } from './heic';

/** An A3 page at 600 dpi has 70 million pixels. */
const maxPixels = 100_000_000;

type MakeSharp = (input: Uint8Array, options?: SharpOptions) => Sharp;

async function loadSharp(): Promise<MakeSharp> {
  try {
    return (await import('sharp')).default;
  } catch (error) {
    throw new AppError(
      'OPTIONAL_PACKAGE_MISSING',
      'Reading images needs the optional package sharp: npm install sharp.',
      {},
      error,
    );
  }
}

/**
 * Opens a bitmap, a HEIC image or any image that sharp can decode, page by page. Transparent areas become white, or black when
 * the image would be blank on white.
 */
export const openImage: OpenImage = async (bytes, name) => {
  const sharp = await loadSharp();
  if (isBitmap(bytes)) return openBitmap(sharp, bytes, name);
  if (isHeic(bytes)) return openHeicImages(sharp, bytes, name);
  const open = (options: SharpOptions) => sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error', ...options });
  const meta = await open({})
    .metadata()
    .catch((error: unknown) => {
      throw createBrokenError(name, error);
    });
  return {
    pages: meta.pages ?? 1,
    async page(pageNo) {
      try {
        const renderOn = (background: string) =>
          open({ page: pageNo - 1 })
            .rotate()
            .flatten({ background })
            .toColourspace('srgb')
            .png({ compressionLevel: 3 })
            .toBuffer({ resolveWithObject: true });
        const white = await renderOn('#ffffff');
        const isLost = meta.hasAlpha && (await isUniform(sharp(white.data)));
        const { data, info } = isLost ? await renderOn('#000000') : white;
        return { png: data, width: info.width, height: info.height, dpi: computeUsualDpi(meta.density) };
      } catch (error) {
        throw createBrokenError(name, error);
      }
    },
  };
};

/** sharp has no decoder for bitmaps. */
function openBitmap(sharp: MakeSharp, bytes: Uint8Array, name: string): Awaited<ReturnType<OpenImage>> {
  const { rgb, width, height, dpi } = readBitmap(bytes, name, maxPixels);
  return {
    pages: 1,
    page: async () => {
      const png = await sharp(rgb, { raw: { width, height, channels: 3 } })
        .png({ compressionLevel: 3 })
        .toBuffer();
      return { png, width, height, dpi: computeUsualDpi(dpi) };
    },
  };
}

/** sharp is built without the codec of HEIC. */
async function openHeicImages(sharp: MakeSharp, bytes: Uint8Array, name: string): ReturnType<OpenImage> {
  const file = await openHeic(bytes, name, maxPixels);
  return {
    pages: file.pages,
    async page(pageNo) {
      const { rgba, width, height, hasAlpha } = await file.decodePage(pageNo);
      const raw = { width, height, channels: 4 as const };
      const renderOn = (background: string) =>
        sharp(rgba, { raw }).flatten({ background }).png({ compressionLevel: 3 }).toBuffer();
      const white = await renderOn('#ffffff');
      const isLost = hasAlpha && (await isUniform(sharp(white)));
      return { png: isLost ? await renderOn('#000000') : white, width, height, dpi: computeUsualDpi(undefined) };
    },
  };
}

/** Converts the image to PNG and shrinks it to at most `width` pixels. */
export async function narrowImage(image: Uint8Array, width: number): Promise<Uint8Array> {
  const sharp = await loadSharp();
  return sharp(image, { limitInputPixels: maxPixels }).resize({ width, withoutEnlargement: true }).png().toBuffer();
}

/** True when the whole image has one colour. */
async function isUniform(image: Sharp): Promise<boolean> {
  const { channels } = await image.stats();
  return channels.every(({ min, max }) => max - min < 8);
}

/** Cameras and drawing programs write implausible values. 72 means unknown. */
function computeUsualDpi(density: number | undefined): number {
  return density !== undefined && density >= 50 && density <= 2_400 ? density : 72;
}

function createBrokenError(name: string, error: unknown): AppError {
  // The first line is the decoder's reason; the others come from its callers.
  const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  if (/pixel limit/i.test(reason))
    return new AppError(
      'DOCUMENT_TOO_LARGE',
      `'${name}' has more than ${maxPixels.toLocaleString('en-US')} pixels.`,
      {},
      error,
    );
  return new AppError(
    'DOCUMENT_CORRUPT',
    `'${name}' is not a readable image: ${reason.replace(/(?<![.:\s])[.:\s]+$/, '')}.`,
    {},
    error,
  );
}

/** Rotates the image clockwise. Returns PNG. */
export async function turnImage(image: Uint8Array, degrees: 90 | 180 | 270): Promise<Uint8Array> {
  const sharp = await loadSharp();
  return sharp(image, { limitInputPixels: maxPixels }).rotate(degrees).png({ compressionLevel: 3 }).toBuffer();
}

/** A part of an image; `box` is inside it. */
export async function cutImage(image: Uint8Array, { x0, y0, x1, y1 }: PixelBox): Promise<Uint8Array> {
  const sharp = await loadSharp();
  const part = { left: x0, top: y0, width: x1 - x0, height: y1 - y0 };
  return sharp(image, { limitInputPixels: maxPixels }).extract(part).png({ compressionLevel: 3 }).toBuffer();
}

/** Size of an image in pixels, without decoding it. */
export async function readImageSize(image: Uint8Array): Promise<{ width: number; height: number }> {
  const sharp = await loadSharp();
  const { width, height } = await sharp(image, { limitInputPixels: maxPixels }).metadata();
  return { width, height };
}

/** The image as greyscale: one byte per pixel, row by row. */
export async function readGrey(image: Uint8Array): Promise<GreyImage> {
  const sharp = await loadSharp();
  const { data, info } = await sharp(image, { limitInputPixels: maxPixels })
    .flatten({ background: '#ffffff' })
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { pixels: data, width: info.width, height: info.height };
}

/** Encodes a greyscale image as PNG. */
export async function writeGrey({ pixels, width, height }: GreyImage): Promise<Uint8Array> {
  const sharp = await loadSharp();
  return sharp(pixels, { raw: { width, height, channels: 1 } })
    .png({ compressionLevel: 3 })
    .toBuffer();
}

/** The pixels of an image after a clockwise rotation: three bytes each, row by row. */
export async function readPixels(
  image: Uint8Array,
  turned: 0 | 90 | 180 | 270,
): Promise<{ rgb: Uint8Array; width: number; height: number }> {
  const sharp = await loadSharp();
  const { data, info } = await sharp(image, { limitInputPixels: maxPixels })
    .rotate(turned)
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { rgb: data, width: info.width, height: info.height };
}

/** Encodes a greyscale image as PNG, `scale` times as large. */
export async function resizeGrey({ pixels, width, height }: GreyImage, scale: number): Promise<Uint8Array> {
  const sharp = await loadSharp();
  return sharp(pixels, { raw: { width, height, channels: 1 } })
    .resize({ width: Math.round(width * scale), height: Math.round(height * scale), fit: 'fill', kernel: 'cubic' })
    .png({ compressionLevel: 3 })
    .toBuffer();
}

/** A greyscale image in another size. */
export async function scaleGrey(
  { pixels, width, height }: GreyImage,
  size: { width: number; height: number },
): Promise<GreyImage> {
  const sharp = await loadSharp();
  const { data } = await sharp(pixels, { raw: { width, height, channels: 1 } })
    .resize({ ...size, fit: 'fill', kernel: 'cubic' })
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { pixels: data, ...size };
}
