import { AppError } from '../model/errors';
import type { OcrPage, RecognizeText } from '../model/page/ocr';

/** What could not be read on a page, or is in doubt. */
export type Recognized = Pick<OcrPage, 'isUnreadable' | 'doubtful' | 'unread'>;

/** Warnings quote at most this many figures of a page. */
const maxQuoted = 10;

/** OCR that records pages whose text could not be read. */
export interface WatchedRecognition {
  recognize(pageNo: number, image: Uint8Array, scale?: number): Promise<OcrPage>;
  /** The pages that were recognized so far. An earlier attempt may have added pages. */
  pages: Map<number, Recognized>;
  /**
   * Warns of text that could not be read and of figures in doubt; throws TEXT_UNREADABLE if no page could be read. `count` is the number of
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
    async recognize(pageNo, image, scale) {
      const read = await recognize(image, scale);
      const { isUnreadable, doubtful, unread } = read;
      pages.set(pageNo, { isUnreadable, doubtful, unread });
      return read;
    },
    finish(count) {
      const unread = [...pages].flatMap(([pageNo, { isUnreadable }]) => (isUnreadable ? [pageNo] : []));
      for (const [pageNo, page] of pages) for (const doubt of describeDoubts(pageNo, page)) warn?.(doubt);
      if (unread.length === 0) return;
      const reason = 'it is in a language other than those requested (ocr_lang), or its image is too poor';
      if (unread.length >= count)
        throw new AppError('TEXT_UNREADABLE', `The text of '${name}' cannot be read: ${reason}.`);
      for (const pageNo of unread) warn?.(`the text of page ${pageNo} cannot be read: ${reason}`);
    },
  };
}

function describeDoubts(pageNo: number, { doubtful = [], unread = 0 }: Recognized): string[] {
  const quoted = doubtful.slice(0, maxQuoted).map((text) => `'${text}'`);
  const more = doubtful.length > quoted.length ? ` and ${doubtful.length - quoted.length} more` : '';
  return [
    ...(quoted.length > 0 ? [`figures on page ${pageNo} may be misread: ${quoted.join(', ')}${more}`] : []),
    ...(unread > 0 ? [`${unread === 1 ? 'a word' : `${unread} words`} on page ${pageNo} could not be read`] : []),
  ];
}
