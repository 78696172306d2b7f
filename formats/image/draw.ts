import type { DrawPage } from '../format';

/** Renders the page as stored in the file, in its own size. */
export const drawPage: DrawPage = async (bytes, { name, pageNo, openImage }) => {
  const opened = await openImage(bytes, name);
  return pageNo > opened.pages ? undefined : { png: (await opened.page(pageNo)).png, pages: opened.pages, words: [] };
};
