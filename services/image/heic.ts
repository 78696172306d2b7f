import { readFileSync } from 'node:fs';
import type { Libheif } from 'libheif-js/libheif-wasm/libheif.js';
import { AppError } from '../../model/errors';

/** A decoded image: RGBA bytes, row by row from the top. */
export interface HeicImage {
  rgba: Uint8Array;
  width: number;
  height: number;
  hasAlpha: boolean;
}

/** The images of an open file. The engine is released with it. */
export interface HeicFile {
  pages: number;
  /** `pageNo` starts at 1. The image is rotated upright as the file specifies. */
  decodePage(pageNo: number): Promise<HeicImage>;
}

/** Brands of files with images coded in HEVC (ISO/IEC 23008-12). */
const hevcBrand = /^(?:hei[cfmsx]|hev[cmsx])$/;
/** General brands; the other brands of the file decide. */
const generalBrand = /^(?:mif1|msf1|mif2)$/;
const maxBrands = 64;

/** True for a HEIC image, but not for AVIF, which has the same container. */
export function isHeic(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 8 + 4 * maxBrands));
  if (head.length < 16 || head.toString('latin1', 4, 8) !== 'ftyp') return false;
  const brand = head.toString('latin1', 8, 12);
  if (!generalBrand.test(brand)) return hevcBrand.test(brand);
  const end = Math.min(head.readUInt32BE(0), head.length);
  for (let at = 16; at + 4 <= end; at += 4) if (hevcBrand.test(head.toString('latin1', at, at + 4))) return true;
  return false;
}

/**
 * Opens a HEIC file. Throws DOCUMENT_CORRUPT, DOCUMENT_TOO_LARGE for an image of more than `maxPixels`, and
 * OPTIONAL_PACKAGE_MISSING without the decoder.
 */
export async function openHeic(bytes: Uint8Array, name: string, maxPixels: number): Promise<HeicFile> {
  // The decoder paints missing parts grey.
  if (isCut(bytes)) throw new AppError('DOCUMENT_CORRUPT', `'${name}' is not a readable image: it ends early.`);
  // An engine per file: its memory grows with the largest image and never shrinks, and damaged files may leave it in any state.
  const heif = await loadLibheif();
  const createBrokenError = (reason: string) =>
    new AppError('DOCUMENT_CORRUPT', `'${name}' is not a readable image: ${reason}.`);
  const context = heif.heif_context_alloc();
  if (!context) throw createBrokenError('the decoder is out of memory');
  const read = attempt(() => heif.heif_context_read_from_memory(context, bytes));
  if (!read || read.code !== heif.heif_error_code.heif_error_Ok)
    throw createBrokenError(read ? lowerFirst(read.message) : 'its structure is damaged');
  const ids = attempt(() => heif.heif_js_context_get_list_of_top_level_image_IDs(context));
  if (!Array.isArray(ids) || ids.length === 0) throw createBrokenError('it has no images');
  return {
    pages: ids.length,
    async decodePage(pageNo) {
      const handle = attempt(() => heif.heif_js_context_get_image_handle(context, ids[pageNo - 1] as number));
      if (!handle || 'code' in handle) throw createBrokenError(`image ${pageNo} is missing`);
      const [width, height] = [heif.heif_image_handle_get_width(handle), heif.heif_image_handle_get_height(handle)];
      if (width * height > maxPixels)
        throw new AppError(
          'DOCUMENT_TOO_LARGE',
          `'${name}' has more than ${maxPixels.toLocaleString('en-US')} pixels.`,
        );
      const rgba = await decode(heif, handle);
      if (!rgba || rgba.length !== 4 * width * height) throw createBrokenError(`image ${pageNo} is damaged`);
      return { rgba, width, height, hasAlpha: Boolean(heif.heif_image_handle_has_alpha_channel(handle)) };
    },
  };
}

/** True if a box of the container claims more bytes than the file has (ISO/IEC 14496-12, 4.2). */
function isCut(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  while (at + 8 <= bytes.length) {
    const short = view.getUint32(at);
    if (short === 0) return false;
    if (short === 1 && at + 16 > bytes.length) return true;
    const size = short === 1 ? Number(view.getBigUint64(at + 8)) : short;
    if (size < 8) return true;
    at += size;
  }
  return at > bytes.length;
}

async function decode(heif: Libheif, handle: object): Promise<Uint8Array | undefined> {
  const { heif_colorspace: spaces, heif_chroma: chromas, heif_channel: channels } = heif;
  try {
    const decoded = await heif.heif_js_decode_image2(
      handle,
      spaces.heif_colorspace_RGB,
      chromas.heif_chroma_interleaved_RGBA,
    );
    if (!decoded || 'code' in decoded) return undefined;
    const channel = decoded.channels.find(({ id }) => id === channels.heif_channel_interleaved);
    const rgba = channel && omitPadding(channel);
    heif.heif_image_release(decoded.image);
    return rgba;
  } catch {
    return undefined;
  } finally {
    attempt(() => heif.heif_image_handle_release(handle));
  }
}

/** A decoded channel; each row has `stride` bytes, of which the first ones are pixels. */
interface Channel {
  width: number;
  height: number;
  stride: number;
  data: Uint8Array;
}

/** Copies the rows without their padding, because the engine owns its memory. */
function omitPadding({ width, height, stride, data }: Channel): Uint8Array {
  const rgba = new Uint8Array(4 * width * height);
  for (let row = 0; row < height; row += 1)
    rgba.set(data.subarray(row * stride, row * stride + 4 * width), 4 * width * row);
  return rgba;
}

/** The engine throws numbers and traps on damaged files. */
function attempt<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}

function lowerFirst(message: string): string {
  return `${message.slice(0, 1).toLowerCase()}${message.slice(1)}`.replace(/[.\s]+$/, '');
}

async function loadLibheif(): Promise<Libheif> {
  try {
    const { default: createLibheif } = await import('libheif-js/libheif-wasm/libheif.js');
    return createLibheif({ wasmBinary: readFileSync(require.resolve('libheif-js/libheif-wasm/libheif.wasm')) });
  } catch (error) {
    throw new AppError(
      'OPTIONAL_PACKAGE_MISSING',
      'Reading HEIC images needs the optional package libheif-js: npm install libheif-js.',
      {},
      error,
    );
  }
}
