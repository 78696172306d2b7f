import { type PageCount, sumPages } from '../../model/page/page-count';
import type { OperatorContext } from '../operator';

/** The pages of the documents that are being converted. */
export interface PageProgress {
  note(documentId: string, pages: PageCount): void;
  /** The document is not read any more. */
  end(documentId: string): void;
}

/** Reports the sum over documents whenever one of them gets further. Documents without pages report nothing. */
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
