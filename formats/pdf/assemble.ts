import { createDocument, type DocumentBuilder } from '../../document/builder';
import type { DoclingDocument, GroupItem, PictureItem, Provenance, TableItem, TextItem } from '../../document/model';
import type { Box } from './box';
import { isCaption, pairCaptions } from './captions';
import { findFurniture } from './furniture';
import { findHeadings } from './headings';
import { layoutPage, type Part, readLines, type ReadPage } from './layout';
import type { Line } from './lines';
import { withoutMark } from './lists';
import type { Bookmark, RawPage } from './page';
import type { Block } from './paragraphs';
import { tableData } from './tables';

interface LaidPage {
  page: ReadPage;
  parts: Part[];
  header: Line[];
  footer: Line[];
}

/** Pages as read to a document in reading order. */
export function assembleDocument(
  name: string,
  rawPages: readonly RawPage[],
  bookmarks: readonly Bookmark[],
): DoclingDocument {
  const builder = createDocument(name);
  const read = rawPages.map(readLines);
  const furniture = findFurniture(read.map(({ page, lines }) => ({ height: page.height, lines })));
  const pages = read.map((page): LaidPage => ({
    page,
    parts: layoutPage(
      page,
      page.lines.filter((line) => !furniture.has(line)),
    ),
    header: page.lines.filter((line) => furniture.get(line) === 'page_header'),
    footer: page.lines.filter((line) => furniture.get(line) === 'page_footer'),
  }));
  const blocks = pages.flatMap(({ page, parts }) =>
    parts.flatMap((part) => (part.kind === 'block' ? [{ block: part.block, pageNo: page.page.pageNo }] : [])),
  );
  const headings = findHeadings(
    blocks.filter(({ block }) => !isCaption(block.text)),
    bookmarks,
  );
  const writer = createWriter(builder, headings);
  rawPages.forEach(({ pageNo, width, height }) => builder.page(pageNo, width, height));
  for (const page of pages) writer.page(page);
  return builder.document;
}

/** The last text block, which a block of the next column or page may continue. */
interface Open {
  item: TextItem;
  place: string;
}

function createWriter(builder: DocumentBuilder, headings: ReadonlyMap<Block, number>): { page(page: LaidPage): void } {
  let list: GroupItem | undefined;
  let open: Open | undefined;

  function writeBlock(block: Block, page: ReadPage, place: string): void {
    const prov = provenance(page, block.box, block.text.length);
    const level = headings.get(block);
    if (level === undefined && block.mark) {
      const text = withoutMark(block.text, block.mark);
      list ??= builder.group('list');
      open = {
        item: builder.listItem(text, {
          parent: list,
          enumerated: block.mark.enumerated,
          marker: block.mark.marker,
          orig: block.text,
          prov: [prov],
        }),
        place,
      };
      return;
    }
    if (level === undefined && open && open.place !== place && flowsOn(open.item.text, block.text))
      return continueText(open, block, prov, place);
    list = undefined;
    if (level !== undefined) {
      open = undefined;
      if (level === 0) builder.text('title', block.text, { prov: [prov] });
      else builder.heading(level, block.text, { prov: [prov] });
    } else if (block.mono && block.lines.length > 1) {
      open = undefined;
      builder.code(block.text, { prov: [prov] });
    } else open = { item: builder.text('text', block.text, { prov: [prov] }), place };
  }

  function continueText(from: Open, block: Block, prov: Provenance, place: string): void {
    const { item } = from;
    const start = item.text.length + 1;
    item.text = joinFlow(item.text, block.text);
    item.orig = joinFlow(item.orig, block.text);
    item.prov.push({ ...prov, charspan: [start, item.text.length] });
    open = { item, place };
  }

  return {
    page({ page, parts, header, footer }) {
      for (const line of header)
        builder.text('page_header', line.text, {
          layer: 'furniture',
          prov: [provenance(page, line.box, line.text.length)],
        });
      const captions = pairCaptions(parts);
      const owned = new Set(captions.values());
      parts.forEach((part, index) => {
        if (part.kind === 'block') {
          if (!owned.has(part)) writeBlock(part.block, page, `${page.page.pageNo}/${Math.round(part.box.l / 50)}`);
          return;
        }
        list = undefined;
        writeFloating(builder, page, part, captions.get(index));
      });
      for (const line of page.aside)
        builder.text('text', line.text, { prov: [provenance(page, line.box, line.text.length)] });
      for (const line of footer)
        builder.text('page_footer', line.text, {
          layer: 'furniture',
          prov: [provenance(page, line.box, line.text.length)],
        });
    },
  };
}

function writeFloating(
  builder: DocumentBuilder,
  page: ReadPage,
  part: Exclude<Part, { kind: 'block' }>,
  caption: (Part & { kind: 'block' }) | undefined,
): void {
  const prov = [provenance(page, part.box, 0)];
  let owner: TableItem | PictureItem;
  if (part.kind === 'picture') owner = builder.picture({ prov });
  else {
    const height = page.page.height;
    const data = tableData(part.table, (box) => ({
      l: round(box.l),
      t: round(height - box.t),
      r: round(box.r),
      b: round(height - box.b),
      coord_origin: 'TOPLEFT',
    }));
    owner = builder.table(data, part.isIndex ? { prov, label: 'document_index' } : { prov });
  }
  if (caption)
    builder.caption(owner, caption.block.text, { prov: [provenance(page, caption.box, caption.block.text.length)] });
}

/** The end of one column or page and the start of the next are one paragraph: no end of sentence, and a small letter. */
function flowsOn(end: string, start: string): boolean {
  return /[a-z,-]$/.test(end) && /^[a-z]/.test(start);
}

function joinFlow(end: string, start: string): string {
  return /[a-z]-$/.test(end) ? end.slice(0, -1) + start : `${end} ${start}`;
}

function provenance(page: ReadPage, box: Box, length: number): Provenance {
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
