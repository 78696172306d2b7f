import { type PageCount, sumPages } from '../../model/page/page-count';
import type { OperatorContext } from '../operator';

/** The pages of the documents that are being converted. */
export interface PageProgress {
  note(documentId: string, pages: PageCount): void;
  /** Reading of the document has ended. */
  end(documentId: string): void;
}

/** Reports the sum over documents whenever a page of one of them is done. Documents without pages report nothing. */
export function createPageProgress({ pageProgress }: Pick<OperatorContext, 'pageProgress'>): PageProgress {
  const reading = new Map<string, PageCount>();
  return {
    note(documentId, pages) {
      reading.set(documentId, pages);
      pageProgress?.(sumPages(reading.values()));
    },
    end(documentId) {
      if (reading.delete(documentId)) pageProgress?.(sumPages(reading.values()));
    },
  };
}
