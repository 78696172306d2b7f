import { AppError } from '../model/errors';
import type { OcrPage, RecognizeText } from '../model/page/ocr';

/** OCR that records pages whose text could not be read. */
export interface WatchedRecognition {
  recognize(pageNo: number, image: Uint8Array): Promise<OcrPage>;
  /**
   * Warns of pages whose text could not be read; throws TEXT_UNREADABLE if that applies to all pages. `pages` is the number of
   * pages.
   */
  finish(pages: number): void;
}

/** `name` is the name of the document in messages. */
export function watchRecognition(
  recognize: RecognizeText,
  { name, warn }: { name: string; warn?: ((message: string) => void) | undefined },
): WatchedRecognition {
  const unread: number[] = [];
  return {
    async recognize(pageNo, image) {
      const read = await recognize(image);
      if (read.isUnreadable) unread.push(pageNo);
      return read;
    },
    finish(pages) {
      if (unread.length === 0) return;
      const reason = 'it is in another language than those asked for (ocr_lang), or its image is too poor';
      if (unread.length >= pages)
        throw new AppError('TEXT_UNREADABLE', `The text of '${name}' cannot be read: ${reason}.`);
      for (const pageNo of unread) warn?.(`the text of page ${pageNo} cannot be read: ${reason}`);
    },
  };
}
