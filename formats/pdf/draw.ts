import type { DrawPage } from '../format';
import { openReader } from './engine/reader';
import { readLines } from './text/upright';

/** One page with its annotations, as the reader sees it. */
export const drawPage: DrawPage = async (bytes, { name, pageNo, width }) => {
  const reader = await openReader(bytes, name);
  try {
    if (pageNo > reader.pageCount) return undefined;
    const raw = await reader.page(pageNo);
    const { png } = await reader.render(pageNo, width / Math.max(1, raw.width));
    const { lines, aside, turned } = readLines(raw);
    // The lines of a rotated page have their own coordinates.
    const words = turned ? [] : [...lines, ...aside].flatMap((line) => line.words);
    return {
      png,
      pages: reader.pageCount,
      words: words.map(({ text, box: { l, t, r, b } }) => ({ text, box: [l, raw.height - t, r, raw.height - b] })),
    };
  } finally {
    reader.close();
  }
};
