import { createDocument } from '../../document/builder';
import type { DoclingDocument } from '../../document/model';
import { isCaption } from './captions';
import { joinContinuedTables } from './continued-tables';
import { findFurniture } from './furniture';
import { bodySize, findHeadings } from './headings';
import { layoutPage, type Part } from './layout';
import type { Line } from './lines';
import { findFootnotes, isFormula } from './notes';
import type { Bookmark } from './page';
import type { Block } from './paragraphs';
import type { ReadPage } from './upright';
import { createWriter, type LaidPage } from './write';

/** Pages as read to a document in reading order. */
export function assembleDocument(
  name: string,
  read: readonly ReadPage[],
  { bookmarks, tableMode }: { bookmarks: readonly Bookmark[]; tableMode?: 'fast' | 'accurate' | undefined },
): DoclingDocument {
  const builder = createDocument(name);
  unmarkTypewriter(read);
  const furniture = findFurniture(read.map(({ page, lines }) => ({ height: page.height, lines })));
  const laid = read.map((page): LaidPage => ({
    page,
    ...layoutPage(
      page,
      page.lines.filter((line) => !furniture.has(line)),
      tableMode,
    ),
    header: page.lines.filter((line) => furniture.get(line) === 'page_header'),
    footer: page.lines.filter((line) => furniture.get(line) === 'page_footer'),
  }));
  const pages = joinContinuedTables(laid);
  const blocks = pages.flatMap(({ page, parts }) =>
    blocksOf(parts).map((block) => ({ block, pageNo: page.page.pageNo })),
  );
  const size = bodySize(blocks);
  const notes = new Set(pages.flatMap(({ page, parts }) => [...findFootnotes(parts, size, page.page.height)]));
  const headings = findHeadings(
    blocks.filter(({ block }) => !isCaption(block.text) && !notes.has(block) && !isFormula(block)),
    bookmarks,
  );
  for (const { page, width, height } of read) builder.page(page.pageNo, width, height);
  const writer = createWriter(builder, { headings, notes });
  for (const page of pages) writer.page(page);
  return builder.document;
}

function blocksOf(parts: readonly Part[]): Block[] {
  return parts.flatMap((part) => (part.kind === 'block' ? [part.block] : []));
}

/** In a document typed on a typewriter, type of one width is no sign of code. */
function unmarkTypewriter(pages: readonly ReadPage[]): void {
  const lines = pages.flatMap((page) => page.lines);
  const length = (list: readonly Line[]) => list.reduce((sum, { text }) => sum + text.length, 0);
  if (length(lines.filter(({ mono }) => mono)) <= 0.5 * length(lines)) return;
  for (const line of lines) line.mono = false;
}
