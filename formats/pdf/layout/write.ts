import type { DocumentBuilder } from '../../../document/builder';
import type { PictureItem, Provenance, TableItem } from '../../../document/model';
import { toFormulaWords } from '../../enrich/code';
import { labelsAuthor } from '../../enrich/pictures';
import type { Profile } from '../../format';
import { rightToLeft } from '../engine/characters';
import { findLink } from '../engine/links';
import { writeFormulaTex } from '../formula/write-formula';
import type { Box } from '../geometry/box';
import { findInlineRuns, type StyleContext } from '../inline/inline-runs';
import { continueRuns, type OpenText, type PlacedRun, styleItem, writeParagraph } from '../inline/write-runs';
import { omitMark } from '../lists/lists';
import { createNestedLists } from '../lists/nested-lists';
import { createTableData } from '../table/tables';
import type { Line } from '../text/line';
import type { ReadPage } from '../text/upright';
import { isCaptionBlock, isCode, isLineOfCode, pairCaptions } from './captions';
import type { Layout } from './layout';
import { isFormula } from './notes';
import { buildBlocks } from './paragraphs';
import type { Block, BlockPart, Part, PicturePart, TablePart } from './part';

/** The layout of a page, with its page headers and footers. */
export interface LaidPage extends Layout {
  page: ReadPage;
  header: Line[];
  footer: Line[];
}

/** The roles found for blocks. */
export interface Labels {
  headings: ReadonlyMap<Block, number>;
  notes: ReadonlySet<Block>;
  profile?: Profile | undefined;
  /** Styles of most of the document. */
  usual: StyleContext['usual'];
}

/** The last text block, which a block in the next column or page may continue. */
interface Open extends OpenText {
  place: string;
  /** Its last part. */
  block: Block;
}

/** Writes pages one after the other; lists and paragraphs continue across columns and pages. */
export function createWriter(
  builder: DocumentBuilder,
  { headings, notes, profile, usual }: Labels,
): { page(page: LaidPage): void } {
  const lists = createNestedLists(builder);
  let open: Open | undefined;
  /** The paragraph above small print at the end of its column, which the next column may continue. */
  let interrupted: Open | undefined;

  function writeBlock(block: Block, page: ReadPage, place: string, caption?: BlockPart): void {
    if (!block.mono && isNoise(block.mark ? omitMark(block.text, block.mark) : block.text)) return;
    const prov = buildProvenance(page, block.box, block.text.length);
    const hyperlink = findLink(block.lines, page.page.links) ?? null;
    const level = headings.get(block);
    if (level !== undefined) return writeHeading(block, level, { prov: [prov], hyperlink });
    if (notes.has(block)) {
      const note = builder.text('footnote', block.text, { prov: [prov], hyperlink });
      return void styleItem(builder, note, listRuns(block, page, prov));
    }
    if (isCaptionBlock(block)) return void builder.text('caption', block.text, { prov: [prov] });
    const box = block.mark && findCheckbox(block.mark.marker);
    if (block.mark && box) return void builder.text(box, omitMark(block.text, block.mark), { prov: [prov] });
    const runs = listRuns(block, page, prov);
    if (block.mark) return writeListItem(block, { prov, hyperlink, runs }, place);
    const flow = findFlow(block, place);
    if (flow) {
      const more = runs.length > 0 ? runs : [{ text: block.text, formatting: null, hyperlink: null, prov }];
      open = { ...continueRuns(builder, flow, more, joinFlow), place, block };
      interrupted = undefined;
      return;
    }
    lists.endLists();
    if (isFormula(block)) {
      const tex = profile === 'reference' ? undefined : writeFormulaTex(block.lines, page.page.rules);
      const unread = profile === 'reference' ? '' : toFormulaWords(block.text);
      return void builder.text('formula', tex ?? unread, { orig: block.text, prov: [prov] });
    }
    const above = [open, interrupted].find((text) => isAbovePrint(text, block, place));
    open = interrupted = undefined;
    if (isCode(block) || (profile !== 'reference' && isLineOfCode(block))) return writeCode(block, page, prov, caption);
    if (profile !== 'reference') interrupted = above;
    const styled =
      runs.length > 0 || hyperlink === null ? runs : [{ text: block.text, formatting: null, hyperlink, prov }];
    open = { ...writeParagraph(builder, block.text, prov, styled), place, block };
  }

  function findFlow(block: Block, place: string): Open | undefined {
    if (interrupted && interrupted.place !== place && isAlike(interrupted.block, block) && flowsOn(interrupted, block))
      return interrupted;
    return open && open.place !== place && flowsOn(open, block) ? open : undefined;
  }

  function writeHeading(block: Block, level: number, place: { prov: Provenance[]; hyperlink: string | null }): void {
    lists.endLists();
    open = interrupted = undefined;
    if (level === 0) builder.text('title', block.text, place);
    else builder.heading(level, block.text, place);
  }

  function writeCode(block: Block, page: ReadPage, prov: Provenance, caption: BlockPart | undefined): void {
    const code = builder.code(block.text, { prov: [prov] });
    if (!caption) return;
    const { text } = caption.block;
    const place = buildProvenance(page, caption.box, text.length);
    code.captions?.push({ $ref: builder.text('caption', text, { parent: code, prov: [place] }).self_ref });
  }

  function writeListItem(
    block: Block,
    { prov, hyperlink, runs }: { prov: Provenance; hyperlink: string | null; runs: readonly PlacedRun[] },
    place: string,
  ): void {
    if (!block.mark) return;
    const { marker, enumerated } = block.mark;
    // Mirrored, right-to-left lists follow the rules for left-to-right lists.
    const { l, r, b, t } = block.box;
    const box = rightToLeft.test(block.text) ? { l: -r, r: -l, b, t } : block.box;
    const parent = lists.findGroup({ box, size: block.size, enumerated }, place);
    const item = builder.listItem(omitMark(block.text, block.mark), {
      parent,
      enumerated,
      // A private-use character means nothing outside its font.
      marker: /^[\ue000-\uf8ff]$/.test(marker) ? '·' : marker || '-',
      orig: block.text,
      prov: [prov],
      hyperlink,
    });
    lists.setLastItem(item);
    open = { ...styleItem(builder, item, runs), place, block };
    interrupted = undefined;
  }

  /** Styled runs of the block; empty for the reference profile (no styles), monospaced blocks and words without styles. */
  function listRuns(block: Block, page: ReadPage, whole: Provenance): PlacedRun[] {
    if (profile === 'reference' || block.mono) return [];
    const { rules, links, struck } = page.page;
    const runs = findInlineRuns(block, { rules, links, struck, usual }) ?? [];
    if (runs.length === 1) return runs.map((run) => ({ ...run, prov: whole }));
    return runs.map((run) => ({ ...run, prov: buildProvenance(page, run.box, run.text.length) }));
  }

  return {
    page({ page, parts, header, footer, aside }) {
      for (const line of header) writeLine(builder, 'page_header', page, line);
      const captions = pairCaptions(parts);
      const owned = new Set<Part>(captions.values());
      parts.forEach((part, index) => {
        if (part.kind !== 'block') {
          lists.endLists();
          writeFloating(builder, page, part, { caption: captions.get(index), profile });
        } else if (!owned.has(part))
          writeBlock(part.block, page, `${page.page.pageNo}/${part.column}`, captions.get(index));
      });
      for (const line of aside) writeLine(builder, 'text', page, line);
      for (const line of footer) writeLine(builder, 'page_footer', page, line);
    },
  };
}

function writeLine(
  builder: DocumentBuilder,
  label: 'page_header' | 'page_footer' | 'text',
  page: ReadPage,
  line: Line,
): void {
  const prov = [buildProvenance(page, line.box, line.text.length)];
  builder.text(label, line.text, label === 'text' ? { prov } : { layer: 'furniture', prov });
}

function writeFloating(
  builder: DocumentBuilder,
  page: ReadPage,
  part: TablePart | PicturePart,
  { caption, profile }: { caption: BlockPart | undefined; profile: Profile | undefined },
): void {
  const places = [{ page, box: part.box }, ...(part.kind === 'table' ? (part.continued ?? []) : [])];
  const prov = places.map((place) => buildProvenance(place.page, place.box, 0));
  const owner = part.kind === 'picture' ? builder.picture({ prov }) : writeTable(builder, page, part, prov);
  if (caption)
    builder.caption(owner, caption.block.text, {
      prov: [buildProvenance(page, caption.box, caption.block.text.length)],
    });
  if (part.kind === 'picture') writeLabels(builder, { parent: owner as PictureItem, page, profile }, part.labels);
}

function writeTable(
  builder: DocumentBuilder,
  page: ReadPage,
  { table, isIndex }: TablePart,
  prov: Provenance[],
): TableItem {
  const { height } = page.page;
  const toTopOrigin = ({ l, t, r, b }: Box) => ({
    l: round(l),
    t: round(height - t),
    r: round(r),
    b: round(height - b),
    coord_origin: 'TOPLEFT' as const,
  });
  return builder.table(createTableData(table, toTopOrigin), isIndex ? { prov, label: 'document_index' } : { prov });
}

/**
 * Writes the labels of a drawing as its children. Output formats omit children of pictures, so a description repeats the words,
 * except in the reference profile.
 */
function writeLabels(
  builder: DocumentBuilder,
  { parent, page, profile }: { parent: PictureItem; page: ReadPage; profile: Profile | undefined },
  labels: readonly Line[],
): void {
  for (const line of labels)
    builder.text('text', line.text, { parent, prov: [buildProvenance(page, line.box, line.text.length)] });
  if (labels.length === 0 || profile === 'reference') return;
  const text = buildBlocks(labels)
    .map((block) => block.text)
    .join(', ');
  parent.meta = { description: { text, created_by: labelsAuthor } } as PictureItem['meta'];
}

/** The label for a line that starts with a checkbox. */
function findCheckbox(marker: string): 'checkbox_selected' | 'checkbox_unselected' | undefined {
  if (marker === '☐') return 'checkbox_unselected';
  return marker === '☑' || marker === '☒' ? 'checkbox_selected' : undefined;
}

/** True for one or two symbols without letters or digits: a decoration, or the remains of an unreadable font; not for an option. */
function isNoise(text: string): boolean {
  return text.replace(/^\u2014 /, '').length <= 2 && !/[\p{L}\p{N}]/u.test(text) && text !== '-?';
}

/** Words that never end a sentence or a list item. */
const openWord =
  /\s(?:a|an|the|of|to|in|by|for|from|with|and|or|at|than|about|der|die|das|dem|den|des|und|oder|von|mit|für|de|du|des|la|le|les|et|ou|el|los|las|y|del)$/;

/** True if a paragraph continues in the next column or page: no sentence end, then a lower-case letter, or an open word. */
function flowsOn({ text: end, block: before }: Open, block: Block): boolean {
  if (/[\p{Ll},-]$/u.test(end) && /^\p{Ll}/u.test(block.text)) return true;
  return (
    isAlike(before, block) &&
    openWord.test(end) &&
    /^[\p{L}\p{N}]/u.test(block.text) &&
    block.lines[0]?.words[0]?.font.bold === false
  );
}

function isAlike(before: Block, block: Block): boolean {
  return Math.abs(before.size - block.size) < 0.3 && before.family === block.family;
}

/** The type size of small print, and its distance from the text above it, as shares of that text's size. */
const smallPrint = { size: 0.9, gap: 0.5 };

/** True for a paragraph above small print, such as the notice on the first page of a paper. */
function isAbovePrint(open: Open | undefined, { size, box }: Block, place: string): boolean {
  if (!open || open.place !== place) return false;
  const above = open.block;
  return size <= smallPrint.size * above.size && above.box.b - box.t > smallPrint.gap * above.size;
}

function joinFlow(end: string, start: string): string {
  return /\p{Ll}-$/u.test(end) ? end.slice(0, -1) + start : `${end} ${start}`;
}

function buildProvenance(page: ReadPage, box: Box, length: number): Provenance {
  const { l, t, r, b } = page.toPage(box);
  return {
    page_no: page.page.pageNo,
    bbox: { l: round(l), t: round(t), r: round(r), b: round(b), coord_origin: 'BOTTOMLEFT' },
    charspan: [0, length],
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
