import { createDocument } from '../../../document/builder';
import type { DoclingDocument } from '../../../document/model';
import type { PageScores } from '../../../model/conversion/task/confidence';
import { findLargest, findSmallest } from '../../extremes';
import type { HeadingRules, Profile } from '../../format';
import { computeBodySize } from '../blocks/body-size';
import { findFurniture } from '../furniture/furniture';
import type { Bookmark } from '../geometry/page';
import { findUsualStyle } from '../inline/inline-runs';
import { addComments } from '../inline/write-comments';
import { separateCodeNumbers } from '../lists/code-numbers';
import { markHyphens, unmarkDashes } from '../text/hyphens';
import type { Line } from '../text/line';
import { noteWords } from '../text/recognized-words';
import { dropFalseTags } from '../text/tags';
import { unmarkTypedText } from '../text/typed-text';
import type { ReadPage } from '../text/upright';
import { findWatermarks } from '../text/watermarks';
import { isCaptionBlock } from './captions';
import { joinContinuedTables } from './continued-tables';
import { findMonospacedTerms } from './heading-texts';
import { findHeadings } from './headings';
import { layoutPage, type TableMode } from './layout';
import { findFootnotes, isFormula } from './notes';
import type { PageModelReader } from './page-model-reader';
import { computeScores } from './page-scores';
import type { Block, Part } from './part';
import { createWriter, type LaidPage } from './write';

/** Margin for tabs as a share of the width, maximum tab length in characters, and minimum lines on a page of text. */
const tabZone = 0.12;
const longestTab = 60;
const minBody = 8;

/** Builds a document in reading order from the pages as read. `eyes` runs the table model, if there is one. */
export async function assembleDocument(
  name: string,
  read: readonly ReadPage[],
  { bookmarks, tableMode, headings: rules, pageModelReader: eyes, recordScores: scored, profile }: Assembling,
): Promise<DoclingDocument> {
  const builder = createDocument(name);
  unmarkTypewriter(read, profile);
  if (profile !== 'reference') unmarkTypedText(read.map(({ lines }) => lines));
  const numbers = profile === 'reference' ? [] : separateCodeNumbers(read);
  dropFalseTags(read);
  const all = read.map(({ lines }) => lines);
  if (profile === 'reference') unmarkDashes(all);
  else markHyphens(all);
  const furniture = findFurnitureOfPages(read);
  for (const line of numbers) furniture.set(line, 'page_header');
  const laid = read.map((seen): LaidPage => {
    const marks = findWatermarks(seen.lines, seen.aside);
    const page = marks.size > 0 ? omitMarked(seen, marks) : seen;
    const body = page.lines.filter((line) => !furniture.has(line));
    const { furniture: furnitureLines, ...layout } = layoutPage(page, body, tableMode);
    const header = [
      ...(furnitureLines?.header ?? page.lines.filter((line) => furniture.get(line) === 'page_header')),
      ...marks,
    ];
    const footer = furnitureLines?.footer ?? page.lines.filter((line) => furniture.get(line) === 'page_footer');
    const [tabs, aside] = separateTabs(layout.aside, body, page.page.width);
    return { page, ...layout, aside, header: [...header, ...tabs], footer };
  });
  const structured: LaidPage[] = [];
  for (const page of laid) {
    const seen = (await eyes?.readTableStructure(page)) ?? page;
    scored?.({ page: seen.page.page.pageNo, ...computeScores(seen) });
    structured.push(seen);
  }
  const pages = joinContinuedTables(structured);
  const blocks = pages.flatMap(({ page, parts }) =>
    listBlocks(parts).map((block) => ({ block, pageNo: page.page.pageNo })),
  );
  if (profile !== 'reference') for (const term of findMonospacedTerms(blocks)) term.mono = false;
  const size = computeBodySize(blocks);
  const notes = new Set(pages.flatMap(({ page, parts }) => [...findFootnotes(parts, size, page.page.height)]));
  const headings = findHeadings(
    blocks.filter(({ block }) => !isCaptionBlock(block) && !notes.has(block) && !isFormula(block)),
    bookmarks,
    { lines: all.flat(), rules },
  );
  for (const { page, width, height } of read) builder.page(page.pageNo, width, height);
  const writer = createWriter(builder, {
    headings,
    notes,
    profile,
    usual: findUsualStyle(blocks.map(({ block }) => block)),
  });
  for (const page of pages) writer.page(page);
  if (profile !== 'reference') addComments(builder, read);
  noteWords(builder.document, read);
  return builder.document;
}

/** Headers and footers. Those of pages that a model has analysed come from the model. */
function findFurnitureOfPages(read: readonly ReadPage[]): ReturnType<typeof findFurniture> {
  return findFurniture(
    read.map(({ page, lines, regions }) => ({
      pageNo: page.pageNo,
      height: page.height,
      width: page.width,
      lines: regions ? [] : lines,
      rules: page.rules,
    })),
  );
}

/** Separates sideways text in the margin, next to all lines: a tab or stamp of the page. The second list is the rest. */
function separateTabs(aside: readonly Line[], body: readonly Line[], width: number): [tabs: Line[], rest: Line[]] {
  const [left, right] = [findSmallest(body.map(({ box }) => box.l)), findLargest(body.map(({ box }) => box.r))];
  const isTab = ({ box, text }: Line) =>
    body.length >= minBody &&
    text.length <= longestTab &&
    ((box.r < left && box.r < tabZone * width) || (box.l > right && box.l > (1 - tabZone) * width));
  return [aside.filter(isTab), aside.filter((line) => !isTab(line))];
}

function omitMarked(page: ReadPage, marks: ReadonlySet<Line>): ReadPage {
  const isOther = (line: Line) => !marks.has(line);
  return { ...page, lines: page.lines.filter(isOther), aside: page.aside.filter(isOther) };
}

interface Assembling {
  bookmarks: readonly Bookmark[];
  tableMode?: TableMode | undefined;
  headings?: HeadingRules | undefined;
  pageModelReader?: PageModelReader | undefined;
  /** Receives the confidence scores of each page. */
  recordScores?: ((scores: PageScores) => void) | undefined;
  profile?: Profile | undefined;
}

function listBlocks(parts: readonly Part[]): Block[] {
  return parts.flatMap((part) => (part.kind === 'block' ? [part.block] : []));
}

/** Signs that code has more often than prose, and the share of them below which text is prose. */
const codeSigns = /[{}[\]()<>=+*/\\|&^%$#@_`~;"]/g;
const maxInProse = 0.05;

/**
 * In a document that is mostly monospaced, such as a typescript, monospaced type does not indicate code, unless the text has as many
 * signs as code has.
 */
function unmarkTypewriter(pages: readonly ReadPage[], profile: Profile | undefined): void {
  const lines = pages.flatMap((page) => page.lines);
  const length = (list: readonly Line[]) => list.reduce((sum, { text }) => sum + text.length, 0);
  const mono = lines.filter((line) => line.mono);
  if (length(mono) <= 0.5 * length(lines)) return;
  const signs = mono.reduce((sum, { text }) => sum + (text.match(codeSigns)?.length ?? 0), 0);
  if (profile !== 'reference' && signs > maxInProse * length(mono)) return;
  for (const line of mono) line.mono = false;
}
