import { type Box, measureOverlapX, union } from '../geometry/box';
import type { Block, BlockPart, Part } from './part';

const caption =
  /^[[(]?(?:figure|fig\.|table|tab\.|abbildung|abb\.|tabelle|listing|chart|diagram|exhibit|plate|scheme|그림|표|図|表|图)\s*(?:\d|[a-z]{0,3}[-.]?\d|[ivx]+\b)/i;
/** The maximum distance of a caption from its owner, in points. */
const reach = 40;

/** A sentence that mentions a figure, such as "Table 3 lists the colours." */
const mention = /^\S+\s*[\d.-]*\d\s+\p{Ll}.*[.:]$/su;
/** Listing names, which are captions only beside code; elsewhere "Example 3" starts a paragraph. */
const codeCaption = /^(?:listing|example|beispiel|program|algorithm|code|snippet)\s*(?:\d|[a-z]?[-.]?\d)/i;

/** A unit between a table's caption and its header row, such as [In thousands] or (Numbers in thousands). */
const unit = /^[[(](?:\p{L}+ ){0,2}in .{3,40}[\])]$/iu;

/** True for text that is only the unit of a table's numbers. */
export function isUnit(text: string): boolean {
  return unit.test(text);
}

/** Merges a unit just below a caption into that caption. */
export function attachUnits<T extends Part | { kind: 'frame' }>(parts: readonly T[]): T[] {
  const captions = parts.filter((part) => part.kind === 'block' && isCaption(part.block.text)) as (T & BlockPart)[];
  const owners = new Map<T, T & BlockPart>();
  for (const part of parts) {
    if (part.kind !== 'block' || !isUnit(part.block.text)) continue;
    const { box } = part;
    const owner = captions.find(
      (caption) =>
        isAbove(caption.box, box) && caption.box.b - box.t < part.block.size && measureOverlapX(caption.box, box) > 0,
    );
    if (owner) owners.set(part, owner);
  }
  if (owners.size === 0) return [...parts];
  return parts
    .filter((part) => !owners.has(part))
    .map((part) => {
      const captionBlocks = [...owners].flatMap(([unitPart, owner]) =>
        owner === part && unitPart.kind === 'block' ? [unitPart.block] : [],
      );
      return captionBlocks.length === 0 || part.kind !== 'block' ? part : (addBlocks(part, captionBlocks) as T);
    });
}

const label = /^(?:figure|table|exhibit|abbildung|tabelle)\s+[a-z]{0,3}[-.]?\d{1,3}(?:[-.]\d{1,3})?[a-z]?[.:]?$/i;
/** Maximum number of lines in a table title, which is below its label. */
const longestTitle = 3;

/**
 * Merges a label on its own, such as `Table 6`, and the bold title just below it into one caption, and a caption that ends with a
 * comma and its last line: that line is a separate block if the one above leaves room (`…, in Districts,` `2006-07`).
 */
export function joinLabels<T extends Part | { kind: 'frame' }>(parts: readonly T[]): T[] {
  return joinBelow(joinBelow(parts, isLabel), isOpenCaption);
}

function isLabel({ text }: Block): boolean {
  return label.test(text);
}

function isOpenCaption({ text }: Block): boolean {
  return text.endsWith(',') && isCaption(text);
}

/** Appends the title just below each block that passes the test. */
function joinBelow<T extends Part | { kind: 'frame' }>(parts: readonly T[], isOpen: (block: Block) => boolean): T[] {
  const labels = parts.filter((part) => part.kind === 'block' && isOpen(part.block)) as (T & BlockPart)[];
  const titles = new Map<T, T & BlockPart>();
  for (const labelBlock of labels) {
    const title = parts.find(
      (part) =>
        part.kind === 'block' && !labels.includes(part as T & BlockPart) && isTitleOf(part.block, labelBlock.block),
    );
    if (title) titles.set(labelBlock, title as T & BlockPart);
  }
  if (titles.size === 0) return [...parts];
  const used = new Set<T>(titles.values());
  return parts
    .filter((part) => !used.has(part))
    .map((part) => {
      const title = titles.get(part);
      return title && part.kind === 'block' ? (addBlocks(part, [title.block]) as T) : part;
    });
}

function isTitleOf(title: Block, { box, size }: Block): boolean {
  const isBelow = isAbove(box, title.box) && box.b - title.box.t < 0.6 * size;
  const isAligned = Math.abs(box.l - title.box.l) < 2 || Math.abs(box.l + box.r - title.box.l - title.box.r) < 4;
  return isBelow && isAligned && title.bold && !title.mark && title.lines.length <= longestTitle;
}

/** Appends more blocks to the part. */
function addBlocks(part: BlockPart, more: readonly Block[]): BlockPart {
  const lines = [part.block, ...more].flatMap((block) => block.lines);
  const text = [part.block, ...more].map((block) => block.text).join(' ');
  const box = union(lines.map((line) => line.box));
  return { ...part, box, block: { ...part.block, lines, text, box } };
}

/** True for text that reads like a caption, such as "Figure 1". */
export function isCaption(text: string): boolean {
  return caption.test(text) && text.length < 400 && !mention.test(text);
}

/** True for a caption block, by its label if a model gave one, else by its text. */
export function isCaptionBlock({ label, text }: Block): boolean {
  return label === undefined ? isCaption(text) : label === 'caption';
}

/** True for a code listing; a monospaced name in running text is not a listing. */
export function isCode(block: Block): boolean {
  if (block.label !== undefined) return block.label === 'code';
  return block.mono && block.lines.length > 1;
}

/** True for a line of code on its own: several monospaced words, or one with signs of code. A single word is a name. */
export function isLineOfCode({ label, mono, lines, mark, text }: Block): boolean {
  if (label !== undefined || !mono || lines.length > 1 || mark) return false;
  return lines.every(({ words }) => words.every(({ font }) => font.mono)) && /\S\s+\S|[(){}[\]=<>;$\\|]/.test(text);
}

/** True for the caption of a figure. */
export function isFigureCaption(text: string): boolean {
  return isCaption(text) && /^[[(]?(?:fig|abb|그림|図|图|chart|diagram|scheme)/i.test(text);
}

/** The captions of tables, pictures and listings by index in `parts`: the nearest match for each, used once. */
export function pairCaptions(parts: readonly Part[]): Map<number, BlockPart> {
  const pairs = parts.flatMap((part, index) => {
    const isListing = part.kind === 'block';
    if (isListing && !isCode(part.block)) return [];
    return parts.flatMap((other, place) => {
      if (other.kind !== 'block' || isCode(other.block)) return [];
      const { text } = other.block;
      if (!isCaptionBlock(other.block) && !(isListing && codeCaption.test(text) && isShortName(text))) return [];
      const distance = findDistanceTo(part.box, other.box);
      if (distance === undefined || (isListing && isParted(parts, index, place))) return [];
      return [{ index, other, distance: distance + scoreDoubt(part, other) }];
    });
  });
  const blockParts = new Map<number, BlockPart>();
  const used = new Set<BlockPart>();
  for (const { index, other } of pairs.toSorted((a, b) => a.distance - b.distance)) {
    if (blockParts.has(index) || used.has(other)) continue;
    blockParts.set(index, other);
    used.add(other);
  }
  return blockParts;
}

/** Text further apart in reading order is in another column. */
const longestGap = 8;

/** True if a heading or a paragraph is between a caption and the code that it would name, on the page and in reading order. */
function isParted(parts: readonly Part[], index: number, place: number): boolean {
  const [first, last] = [Math.min(index, place), Math.max(index, place)];
  if (last - first > longestGap) return false;
  const [upper, lower] = [parts[first] as Part, parts[last] as Part].toSorted((a, b) => b.box.t - a.box.t) as [
    Part,
    Part,
  ];
  return parts.slice(first + 1, last).some(({ kind, box }) => {
    const isBetween = isAbove(upper.box, box) && isAbove(box, lower.box);
    return kind === 'block' && isBetween && measureOverlapX(box, upper.box) > 0 && measureOverlapX(box, lower.box) > 0;
  });
}

/** True for a short name rather than a sentence about one. */
function isShortName(text: string): boolean {
  return text.length < 150 && !mention.test(text);
}

/** The vertical gap in points if one box is above the other and near it. */
function findDistanceTo(box: Box, text: Box): number | undefined {
  if (measureOverlapX(box, text) <= 0) return undefined;
  if (!isAbove(text, box) && !isAbove(box, text)) return undefined;
  const distance = isAbove(text, box) ? text.b - box.t : box.b - text.t;
  return distance <= reach ? Math.max(distance, 0) : undefined;
}

function isAbove(upper: Box, lower: Box): boolean {
  return upper.b >= lower.t - 4;
}

/** A penalty in points for a caption that names another type, or is on the unusual side (table captions are above). */
function scoreDoubt(part: Part, caption: BlockPart): number {
  if (part.kind === 'block') return codeCaption.test(caption.block.text) ? 0 : reach;
  const namesTable = /^[[(]?(?:tab|표|表)/i.test(caption.block.text);
  const isUsualSide = isAbove(caption.box, part.box) === (part.kind === 'table');
  return (namesTable === (part.kind === 'table') ? 0 : reach) + (isUsualSide ? 0 : reach / 4);
}
