import { AppError } from '../../model/errors';
import type { OcrPage } from '../../model/page/ocr';
import { readGrey } from './images';
import type { Ocr } from './ocr';
import { isPoorCopy } from './recognition/page-origin';

/** Problems of an installation, with which the other engine reads the page. */
const unusable: ReadonlySet<string> = new Set(['OPTIONAL_PACKAGE_MISSING', 'PAGE_MODEL_INVALID']);

/**
 * Reads photos and coarse scans with the engine `poor`, and other pages with `usual`, which also reads those that the first one
 * cannot.
 */
export function createOcrByPage({ usual, poor }: { usual: Ocr; poor: Ocr }): Ocr {
  const readPoor = (...image: Parameters<Ocr['recognize']>): Promise<OcrPage | undefined> =>
    poor.recognize(...image).catch((error: unknown) => {
      if (error instanceof AppError && unusable.has(error.code)) return undefined;
      throw error;
    });
  return {
    listMissingLanguages: () => usual.listMissingLanguages(),
    async recognize(image, scale) {
      const page = isPoorCopy(await readGrey(image), scale) ? await readPoor(image, scale) : undefined;
      return page && !page.isUnreadable ? page : usual.recognize(image, scale);
    },
    async close() {
      await Promise.all([usual.close(), poor.close()]);
    },
  };
}
