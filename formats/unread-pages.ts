import { AppError } from '../model/errors';
import type { OcrPage, RecognizeText } from '../model/page/ocr';

/** OCR that records pages whose text could not be read. */
export interface WatchedRecognition {
  recognize(pageNo: number, image: Uint8Array): Promise<OcrPage>;
  /** The pages that were recognized so far. An earlier attempt may add pages of its own. */
  pages: Map<number, { isUnreadable: boolean }>;
  /**
   * Warns of pages whose text could not be read; throws TEXT_UNREADABLE if that applies to all pages. `count` is the number of
   * pages.
   */
  finish(count: number): void;
}

/** `name` is the name of the document in messages. */
export function watchRecognition(
  recognize: RecognizeText,
  { name, warn }: { name: string; warn?: ((message: string) => void) | undefined },
): WatchedRecognition {
  const pages: WatchedRecognition['pages'] = new Map();
  return {
    pages,
    async recognize(pageNo, image) {
      const read = await recognize(image);
      pages.set(pageNo, { isUnreadable: read.isUnreadable === true });
      return read;
    },
    finish(count) {
      const unread = [...pages].flatMap(([pageNo, { isUnreadable }]) => (isUnreadable ? [pageNo] : []));
      if (unread.length === 0) return;
      const reason = 'it is in a language other than those requested (ocr_lang), or its image is too poor';
      if (unread.length >= count)
        throw new AppError('TEXT_UNREADABLE', `The text of '${name}' cannot be read: ${reason}.`);
      for (const pageNo of unread) warn?.(`the text of page ${pageNo} cannot be read: ${reason}`);
    },
  };
}
