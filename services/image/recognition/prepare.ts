import type { OcrPage } from '../../../model/page/ocr';
import { computePaper, type GreyImage } from '../grey-image';
import { readGrey, resizeGrey, writeGrey } from '../images';
import { findInk, findLetterHeight, mayBeText } from './ink';

/** Letters of fewer pixels are enlarged to the usual height, because the engine loses words and decimal signs of small type. */
const letters = { min: 14, usual: 24 };
const limits = { scale: 4, pixels: 40_000_000 };
/** Paper darker than this is a dark background. */
const darkPaper = 100;

/** An image that the engine reads well, and how many times larger it is than the original. */
export interface PreparedImage {
  image: Uint8Array;
  scale: number;
}

/** Enlarges images with small type, such as pictures of a screen, and inverts those with a dark background. */
export async function prepareImage(image: Uint8Array): Promise<PreparedImage> {
  const original = await readGrey(image);
  const isDark = computePaper(original.pixels) < darkPaper;
  const grey = isDark ? { ...original, pixels: original.pixels.map((value) => 255 - value) } : original;
  const scale = computeScale(grey);
  if (scale > 1) return { image: await resizeGrey(grey, scale), scale };
  return { image: isDark ? await writeGrey(grey) : image, scale };
}

function computeScale(grey: GreyImage): number {
  const ink = findInk(grey);
  const height = findLetterHeight(ink);
  if (height === undefined || height >= letters.min || !mayBeText(ink, grey)) return 1;
  const scale = Math.min(limits.scale, letters.usual / height);
  return scale ** 2 * grey.width * grey.height > limits.pixels ? 1 : scale;
}

/** The page in pixels of the original image. */
export function shrinkPage(page: OcrPage, { scale }: PreparedImage): OcrPage {
  if (scale === 1) return page;
  const { words, rules } = page;
  return {
    ...page,
    width: page.width / scale,
    height: page.height / scale,
    words: words.map((word) => ({
      ...word,
      baseline: word.baseline / scale,
      height: word.height / scale,
      box: {
        x0: word.box.x0 / scale,
        y0: word.box.y0 / scale,
        x1: word.box.x1 / scale,
        y1: word.box.y1 / scale,
      },
    })),
    ...(rules
      ? { rules: rules.map(({ axis, at, from, to }) => ({ axis, at: at / scale, from: from / scale, to: to / scale })) }
      : {}),
  };
}
