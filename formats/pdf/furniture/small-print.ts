import { noteWord } from '../layout/notes';
import type { Line } from '../text/line';
import type { PageLines } from './page-lines';
import { isPageNumber, maskNumbers } from './page-numbers';
import { createRepeatCount } from './repeated-lines';

type Edge = 'page_header' | 'page_footer';

/** Fewer slides may repeat a text by chance. */
const minSlides = 4;
/** The share of the slides that have the text. */
const minShare = 0.7;

/**
 * Name, place, date and number in the corner of slides: small texts near the edge, the same at one place on nearly all pages that
 * are wider than high. Numbers within texts must be the same, too: accounts and sources differ by them. `isSmall` tells small
 * print from notes and text; `findEdge` names the edge that a line is near.
 */
export function findSmallPrint(
  pages: readonly PageLines[],
  isSmall: (line: Line) => boolean,
  findEdge: (page: PageLines, line: Line) => Edge | undefined,
): [Line, Edge][] {
  const slides = pages.filter(({ width = 0, height }) => width > height);
  if (slides.length < minSlides) return [];
  const small = slides.map((page) =>
    page.lines.filter((line) => isSmall(line) && !noteWord.test(line.text) && findEdge(page, line) !== undefined),
  );
  const countSlides = createRepeatCount(slides, small, listKeys);
  return slides.flatMap((page, index) =>
    (small[index] as Line[]).flatMap((line): [Line, Edge][] => {
      const edge = findEdge(page, line);
      return edge && countSlides(line) >= minShare * slides.length ? [[line, edge]] : [];
    }),
  );
}

function listKeys(line: Line, pageNo: number): string[] {
  return isPageNumber(line) ? maskNumbers(line, pageNo) : [line.text];
}
