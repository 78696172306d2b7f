import type { KeptPages } from '../../../model/page/kept-pages';
import type { Recognized } from '../../unread-pages';
import { createTurnerBack, type ReadPage } from './upright';

/** A page and the result of OCR, which is absent if OCR was not used. */
export interface EarlierPage {
  page: ReadPage;
  recognized?: Recognized | undefined;
}

/** A page as a value that can be cloned. */
interface StoredPage extends Omit<EarlierPage, 'page'> {
  page: Omit<ReadPage, 'toPage'>;
}

/** Keeps a page for a later attempt. */
export function keepPage(store: KeptPages, { page: read, recognized }: EarlierPage): void {
  const { toPage: _back, ...page } = read;
  store.offer(page.page.pageNo, { page, recognized } satisfies StoredPage);
}

/** The page as an earlier attempt has read it, if it was kept. */
export function takePage(store: KeptPages, pageNo: number): EarlierPage | undefined {
  const stored = store.take(pageNo) as StoredPage | undefined;
  if (!stored) return undefined;
  const { page, recognized } = stored;
  const rotation = ((page.turned ?? 0) - (page.page.turned ?? 0) + 360) % 360;
  return { page: { ...page, toPage: createTurnerBack(rotation, page.page) }, recognized };
}
