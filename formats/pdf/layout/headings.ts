import { findLargest, findSmallest } from '../../extremes';
import type { HeadingRules } from '../../format';
import { computeBodySize, computeSizeOfText } from '../blocks/body-size';
import { findBoldPages } from '../blocks/bold-pages';
import { findLabels } from '../blocks/label-styles';
import { createRowSearch } from '../blocks/row-search';
import { findStackedLines } from '../blocks/stacked-lines';
import { rightToLeft } from '../engine/characters';
import { groupBy } from '../geometry/group-by';
import type { Bookmark } from '../geometry/page';
import type { Line } from '../text/line';
import { isHeadingTag } from '../text/tags';
import { assignLevels } from './heading-levels';
import { toPlainText } from './heading-numbers';
import {
  findTerms,
  connective,
  isAddress,
  isContact,
  isDateOrAddress,
  isDatelineOrOption,
  isEdition,
  isLettered,
  isSectionNumber,
  isBoldSection,
  isBySize,
  isByWeight,
  isCode,
  isQuotation,
  isShort,
  longest,
  statement,
  isTitled,
  knownTitle,
  numberedYear,
  numbering,
  startsSection,
} from './heading-texts';
import type { Block, PlacedBlock } from './part';

/** The deepest level by type size; sizes alone distinguish few levels. */
const deepestBySize = 3;

/** Headings with their levels, by `rules` if given; the title has level 0. `lines` are those of the pages, with tables. */
export function findHeadings(
  blocks: readonly PlacedBlock[],
  bookmarks: readonly Bookmark[],
  { lines = [], rules }: { lines?: readonly Line[]; rules?: HeadingRules | undefined } = {},
): Map<Block, number> {
  const body = computeSizeOfText(blocks, lines);
  const marks = collectBookmarkLevels(rules?.useBookmarks === false ? [] : bookmarks);
  const tags = collectTagLevels(blocks);
  const matchingBlocks = listMatching(blocks, { body, marks, tags });
  const terms = findTerms(blocks, body);
  const { labels, stacked } = findTextInStyle(matchingBlocks, blocks, { body, marks, tags });
  const isInRow = createRowSearch(matchingBlocks);
  const outside = matchingBlocks.filter(
    (heading) =>
      !isInRow(heading) && !labels.has(heading.block) && (!terms.has(heading.block) || tags.has(heading.block)),
  );
  const title = findTitle(outside, body);
  const names = title ? findNamesBelow(title, blocks) : undefined;
  const isText = ({ block }: PlacedBlock) => names?.has(block) === true || stacked.has(block);
  const headings = outside.filter((heading) => heading === title || !isText(heading));
  // Type sizes on a cover do not indicate levels inside the document.
  const isCover = ({ pageNo }: PlacedBlock) => pageNo === 1 && (blocks.at(-1)?.pageNo ?? 1) > 3;
  const sizes = listLevelSizes(
    headings.filter((heading) => heading !== title && !isCover(heading)),
    body,
  );
  if (rules) {
    const levels = assignLevels(headings, bookmarks, rules);
    return title ? levels.set(title.block, 0) : levels;
  }
  const knownHeadings = headings.flatMap(({ block }): Known[] => {
    const level = findKnownLevel(block, marks, tags);
    return level === undefined ? [] : [{ block, level }];
  });
  return new Map(
    headings.map((heading) => [
      heading.block,
      heading === title ? 0 : getLevel(heading.block, { marks, tags, sizes, known: knownHeadings }),
    ]),
  );
}

/** The blocks that are set like headings, or that tags or bookmarks call so. */
function listMatching(
  blocks: readonly PlacedBlock[],
  { body, marks, tags }: { body: number; marks: ReadonlyMap<string, Marked>; tags: ReadonlyMap<Block, number> },
): PlacedBlock[] {
  const running = new Set(blocks.filter(({ block }) => isRunningText(block)).map(({ block }) => getSetting(block)));
  const context = { body, family: findBodyFamily(blocks), running };
  const boldPages = findBoldPages(blocks);
  const pageBodySizes = computePageBodySizes(blocks);
  const blocksAtRight = collectBlocksAtRight(blocks);
  const itemSettings = collectItemSettings(blocks);
  const slanted = collectSlantedSections(blocks, running);
  return blocks.filter(
    ({ block, pageNo }) =>
      tags.has(block) ||
      (isHeading(block, {
        ...context,
        boldBody: boldPages.has(pageNo),
        local: pageBodySizes.get(pageNo) ?? body,
        isAtRight: blocksAtRight.has(block),
        isSlanted: slanted.has(block),
        isItem: itemSettings.get(pageNo)?.has(getSetting(block)) === true,
      }) &&
        !isTaggedText(block, tags, body)) ||
      (block.label === undefined && isShort(block) && isMarked(block, pageNo, marks)),
  );
}

/** The blocks set like headings that are labels, parts of a sentence, or lines of text in larger type. */
function findTextInStyle(
  headings: readonly PlacedBlock[],
  blocks: readonly PlacedBlock[],
  { body, marks, tags }: { body: number; marks: ReadonlyMap<string, Marked>; tags: ReadonlyMap<Block, number> },
): { labels: Set<Block>; stacked: Set<Block> } {
  const isUnknown = (block: Block) => findKnownLevel(block, marks, tags) === undefined;
  const isByStyle = (block: Block) => isByWeight(block, body) && isUnknown(block);
  const bySize = headings.filter(({ block }) => isBySize(block, body) && isUnknown(block));
  return {
    labels: findLabels(headings, blocks, { isByWeight: isByStyle, getStyle: getSetting }),
    stacked: findStackedLines(bySize, blocks, getSetting),
  };
}

/** At most this many blocks below a title name its authors, and this many if several have an address. */
const maxNames = { usual: 4, addressed: 16 };

/** The plain blocks between a title and a date or address below it, which name the authors. */
function findNamesBelow(title: PlacedBlock, blocks: readonly PlacedBlock[]): Set<Block> {
  const below = blocks.slice(blocks.indexOf(title) + 1).filter(({ pageNo }) => pageNo === title.pageNo);
  const isEnd = (text: string) => isDateOrAddress(text) || isEdition(text);
  const near = below.slice(0, maxNames.addressed).filter(({ block }) => isAddress(block.text));
  const most = near.length > 1 ? maxNames.addressed : maxNames.usual;
  const end = below.findLastIndex(({ block }, index) => index <= most && isEnd(block.text));
  const names = below.slice(0, end + 1).map(({ block }) => block);
  const isName = (block: Block) =>
    isEnd(block.text) ||
    (block.label === undefined &&
      !isHeadingTag(block.tag) &&
      !block.bold &&
      !numbering.test(block.text) &&
      isShort(block));
  return new Set(names.every(isName) ? names : []);
}

function computePageBodySizes(blocks: readonly PlacedBlock[]): Map<number, number> {
  const pages = groupBy(blocks, ({ pageNo }) => pageNo);
  return new Map([...pages].map(([pageNo, pageBlocks]) => [pageNo, computeBodySize(pageBlocks)]));
}

/** Blocks in the right half of a page's text that end at its right edge and begin where no paragraph does. */
function collectBlocksAtRight(blocks: readonly PlacedBlock[]): Set<Block> {
  return new Set(
    [...groupBy(blocks, ({ pageNo }) => pageNo).values()].flatMap((group) => {
      const boxes = group.map(({ block }) => block.box);
      const [left, right] = [findSmallest(boxes.map(({ l }) => l)), findLargest(boxes.map(({ r }) => r))];
      const columns = group.filter(({ block }) => block.lines.length > 1);
      return group.flatMap(({ block }) => {
        const { l, r } = block.box;
        const isEnd = right - r < 3 && l > (left + right) / 2 && !rightToLeft.test(block.text);
        return isEnd && !columns.some((column) => Math.abs(column.block.box.l - l) < 2) ? [block] : [];
      });
    }),
  );
}

/** The styles of bulleted items, by page. */
function collectItemSettings(blocks: readonly PlacedBlock[]): Map<number, Set<string>> {
  const items = blocks.filter(({ block }) => block.mark && !block.mark.enumerated);
  const pages = groupBy(items, ({ pageNo }) => pageNo);
  return new Map(
    [...pages].map(([pageNo, pageBlocks]) => [pageNo, new Set(pageBlocks.map(({ block }) => getSetting(block)))]),
  );
}

/** The italic lines with section numbers. A single one may be a reference or a remark within the text. */
function collectSlantedSections(blocks: readonly PlacedBlock[], running: ReadonlySet<string>): Set<Block> {
  const slanted = blocks.flatMap(({ block }) =>
    block.italic && isSectionNumber(block) && !running.has(getSetting(block)) ? [block] : [],
  );
  return new Set(slanted.length > 1 ? slanted : []);
}

/** The font family of most characters. */
function findBodyFamily(blocks: readonly PlacedBlock[]): string {
  const counts = new Map<string, number>();
  for (const { block } of blocks) counts.set(block.family, (counts.get(block.family) ?? 0) + block.text.length);
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? '';
}

/** Levels of the blocks tagged as headings, starting at 1; a title that is alone at the highest level is not counted. */
function collectTagLevels(blocks: readonly PlacedBlock[]): Map<Block, number> {
  const taggedHeadings = blocks.flatMap(({ block }) =>
    isHeadingTag(block.tag) && block.label === undefined && isShort(block)
      ? [{ block, level: Number(/\d/.exec(block.tag ?? '')?.[0] ?? 1) }]
      : [],
  );
  const highest = findSmallest(taggedHeadings.map(({ level }) => level));
  const isTitled =
    taggedHeadings.filter(({ level }) => level === highest).length === 1 && taggedHeadings[0]?.level === highest;
  const first = isTitled ? highest : highest - 1;
  return new Map(taggedHeadings.map(({ block, level }) => [block, Math.max(1, level - first)]));
}

/** In a document with tagged headings, true for an unnumbered block with another tag, unless large or in capitals. */
function isTaggedText({ tag, size, text }: Block, tags: ReadonlyMap<Block, number>, body: number): boolean {
  if (numbering.test(text) || !/\p{Ll}/u.test(text)) return false;
  return tags.size > 1 && tag !== undefined && !isHeadingTag(tag) && size < 1.12 * body;
}

/** A paragraph of several lines. */
function isRunningText({ lines, text, label, mark }: Block): boolean {
  return label === undefined && !mark && lines.length >= 4 && text.length > longest.characters;
}

/** The style of a block: font family, size in half points, weight and slant. */
function getSetting({ family, size, bold, italic }: Block): string {
  return `${family} ${Math.round(size * 2)} ${bold} ${italic}`;
}

interface Body {
  body: number;
  /** The body size of the page, which may differ from that of the document. */
  local: number;
  /** The block ends at the right edge of the page's text and begins where no paragraph does. */
  isAtRight: boolean;
  /** Items of lists on the page have the same style. */
  isItem: boolean;
  family: string;
  /** Most of the page is bold. */
  boldBody: boolean;
  /** The styles of paragraphs, which a heading does not share. */
  running: ReadonlySet<string>;
  /** One of several italic lines with section numbers, in a document whose paragraphs are not in italics. */
  isSlanted: boolean;
}

function isHeading(
  block: Block,
  { body, local, isAtRight, isItem, family, boldBody, running, isSlanted }: Body,
): boolean {
  const { text, size, bold } = block;
  if (block.label !== undefined) return block.label === 'section_header' || block.label === 'title';
  if (!isShort(block) || block.mono) return false;
  if (bold && !boldBody && numberedYear.test(text)) return true;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const isFew = letters < 2 || letters < 0.3 * text.replace(/\s/g, '').length;
  if (isFew && !(bold && startsSection(text))) return false;
  // List items in larger type.
  if (block.mark?.enumerated && !bold && size < 1.3 * body && /^\d+[.)]$/.test(block.mark.marker)) return false;
  if (isBoldSection(block)) return true;
  const isLarge = size >= 1.12 * body || (bold && size >= 1.12 * local);
  if (connective.test(text) || (statement.test(text) && !isLarge)) return false;
  if (/[,;]$/.test(text) || isQuotation(block) || (block.mark && !block.mark.enumerated)) return false;
  if (isDateOrAddress(text) || isContact(text) || isCode(text) || (isDatelineOrOption(text) && !isLarge)) return false;
  // A unit or remark, such as [In thousands].
  if (/^(?:\([^)]*\)|\[[^\]]*\])$/.test(text)) return false;
  // A sentence is not a heading, unless it is as large as one.
  const isSentence = /[.]$/.test(text) && (block.lines.length > 1 || (!bold && text.split(' ').length > 8));
  if (isLarge && (isItem || running.has(getSetting(block))) && !bold && !numbering.test(text)) return false;
  if (isLarge) return !isSentence || size >= 1.4 * body;
  const isNumbered = numbering.test(text) && !/[.:]$/.test(text);
  // Numbered, in another font and slightly larger than the text.
  if (
    block.family !== family &&
    size >= 1.04 * body &&
    block.lines.length <= 2 &&
    block.mark?.enumerated &&
    !/[.:]$/.test(text)
  )
    return true;
  // A name, a role or a code at the right edge belongs to what is beside or above it.
  if (isAtRight) return false;
  // Some documents set their deepest numbered headings smaller than the text, or in the same weight.
  if (isSectionNumber(block) && size >= 0.85 * body && (bold ? !boldBody : isTitled(text) || isSlanted)) return true;
  if (bold && !boldBody && size >= 0.85 * body && knownTitle.test(text)) return true;
  if (bold && !boldBody && size >= 0.95 * body && block.lines.length <= 2)
    return (!block.mark || isNumbered || isLettered(block)) && !/[.:]$/.test(text);
  return false;
}

/** The largest heading of the first page that has one, if it is larger than all others. */
function findTitle(headings: readonly PlacedBlock[], body: number): PlacedBlock | undefined {
  // A model that distinguishes titles from headings takes precedence.
  if (headings.some(({ block }) => block.label !== undefined))
    return headings.find(({ block }) => block.label === 'title');
  const first = headings.filter(({ pageNo }) => pageNo === headings[0]?.pageNo && pageNo <= 2);
  const largest = first.toSorted((a, b) => b.block.size - a.block.size)[0];
  if (!largest || largest.block.size < 1.25 * body || numbering.test(largest.block.text)) return undefined;
  const others = headings.filter((heading) => heading !== largest);
  if (others.length === 0) return undefined;
  // The version below a title is often as large.
  if (others.every(({ block }) => block.size < 0.95 * largest.block.size || isEdition(block.text))) return largest;
  // The section headings are as large, but they are numbered and the title is not.
  const isNumbered = others
    .filter(({ block }) => block.size >= 0.95 * largest.block.size)
    .every(({ block }) => numbering.test(block.text));
  return isNumbered && largest === headings[0] ? largest : undefined;
}

/** Sizes of headings, largest first; sizes within about half a point share a level. */
function listLevelSizes(headings: readonly PlacedBlock[], body: number): number[] {
  const sizes: number[] = [];
  for (const { block } of headings.toSorted((a, b) => b.block.size - a.block.size)) {
    const size = Math.max(block.size, body);
    if (sizes.length === 0 || (sizes.at(-1) as number) - size > Math.max(0.6, 0.06 * size)) sizes.push(size);
  }
  return sizes;
}

/** A heading whose level comes from a bookmark, a tag or its number. */
interface Known {
  block: Block;
  level: number;
}

function findKnownLevel(
  block: Block,
  marks: ReadonlyMap<string, Marked>,
  tags: ReadonlyMap<Block, number>,
): number | undefined {
  const marked = marks.get(toPlainText(block.text))?.level ?? tags.get(block);
  if (marked !== undefined) return Math.min(marked, 100);
  return numbering.exec(block.text)?.[1]?.split('.').length;
}

/** The known level, else that of known headings in the same style, else one by size, above smaller known headings. */
function getLevel(
  block: Block,
  {
    marks,
    tags,
    sizes,
    known,
  }: {
    marks: ReadonlyMap<string, Marked>;
    tags: ReadonlyMap<Block, number>;
    sizes: readonly number[];
    known: readonly Known[];
  },
): number {
  const ownLevel = findKnownLevel(block, marks, tags);
  if (ownLevel !== undefined) return ownLevel;
  const slack = Math.max(0.6, 0.06 * block.size);
  const alike = known.filter((other) => isAlike(other.block, block, slack)).map(({ level }) => level);
  if (alike.length > 0) return findSmallest(alike);
  const rank = sizes.findIndex((size) => block.size >= size - Math.max(0.6, 0.06 * size));
  const bySize = Math.min(rank < 0 ? Math.max(sizes.length, 1) : rank + 1, deepestBySize);
  const smaller = known.filter((other) => other.block.size < block.size - slack).map(({ level }) => level);
  return Math.max(1, Math.min(bySize, findSmallest(smaller) - 1));
}

function isAlike(a: Block, b: Block, slack: number): boolean {
  return a.bold === b.bold && a.italic === b.italic && a.family === b.family && Math.abs(a.size - b.size) <= slack;
}

/** The outline entries of a title. */
interface Marked {
  level: number;
  /** Target pages of the entries with that title; empty if they have no target. */
  pages: Set<number>;
}

function collectBookmarkLevels(bookmarks: readonly Bookmark[]): Map<string, Marked> {
  const marks = new Map<string, Marked>();
  for (const { title, level, pageNo } of bookmarks) {
    const key = toPlainText(title);
    if (key.length <= 2) continue;
    const mark = marks.get(key) ?? { level, pages: new Set() };
    marks.set(key, mark);
    if (pageNo !== undefined) mark.pages.add(pageNo);
  }
  return marks;
}

/** True for a title on the target page of its bookmark; the same words elsewhere, as in a list of contents, do not count. */
function isMarked({ text }: Block, pageNo: number, marks: ReadonlyMap<string, Marked>): boolean {
  const pages = marks.get(toPlainText(text))?.pages;
  return pages !== undefined && (pages.size === 0 || pages.has(pageNo));
}
