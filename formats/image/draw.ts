import type { DrawPage } from '../format';

/** The page as the file has it, in its own size. */
export const drawPage: DrawPage = async (bytes, { name, pageNo, openImage }) => {
  const opened = await openImage(bytes, name);
  return pageNo > opened.pages ? undefined : { png: (await opened.page(pageNo)).png, words: [] };
};
