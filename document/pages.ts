import type { BoundingBox, DoclingDocument, NodeItem } from './model';
import { isRunOn } from './run-on';
import { childrenOf, findInlineContent, isGroup, isText } from './tree';
import { markdownBlocks, type MarkdownOptions } from './write/markdown';

/** A block of the Markdown: `markdown.slice(start, end)` is its text. */
export interface MarkdownSpan {
  start: number;
  end: number;
  /** Page of the item's first provenance. */
  page?: number;
  /** Texts of the headings above the block, outermost first. For a heading, its own text is the last. */
  headings: string[];
  /** Left, top, right, bottom in points from the top left of the page. */
  bbox?: number[];
  /** True for titles, section headings and sheets. */
  isHeading?: boolean;
  /** The reference of the item, such as `#/texts/3`. */
  ref?: string;
}

/** Returns the Markdown of `toMarkdown` and the position of each block, in order and without overlaps. */
export function toMarkdownWithSpans(
  document: DoclingDocument,
  options: MarkdownOptions = {},
): { markdown: string; spans: MarkdownSpan[] } {
  const spans: MarkdownSpan[] = [];
  const parts: string[] = [];
  let path: { level: number; text: string }[] = [];
  let length = 0;
  for (const { text, before, node } of markdownBlocks(document, options)) {
    const separator = parts.length === 0 ? '' : before;
    parts.push(separator, text);
    const level = findHeadingLevel(node);
    if (level !== undefined)
      path = [...path.filter((heading) => heading.level < level), { level, text: joinPlainText(document, node) }];
    const start = length + separator.length;
    length = start + text.length;
    spans.push({
      start,
      end: length,
      headings: path.map((heading) => heading.text),
      ...(level === undefined ? {} : { isHeading: true }),
      ...locateNode(document, node),
    });
  }
  return { markdown: parts.join(''), spans };
}

/** The index of the first span that ends after the offset; `spans.length` if there is none. The spans are in order. */
export function findFirstSpanAfter(spans: readonly MarkdownSpan[], offset: number): number {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.end ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns 0 for the title, 1 for sections and sheets, and so on; undefined for other nodes. */
export function findHeadingLevel(node: NodeItem): number | undefined {
  if (node.label === 'title') return 0;
  if (node.label === 'sheet') return 1;
  return node.label === 'section_header' ? ((node as { level?: number }).level ?? 1) : undefined;
}

/** Returns the text of a heading. The text of a heading with several styles is in the runs of its inline group. */
export function joinPlainText(document: DoclingDocument, node: NodeItem): string {
  if (isText(node) && node.text !== '') return node.text;
  if (isGroup(node) && node.label === 'sheet') return node.name;
  const inline = isText(node) ? findInlineContent(document, node) : undefined;
  return (inline ? [inline] : childrenOf(document, node))
    .filter((child) => (isGroup(child) ? child.label === 'inline' : isText(child)))
    .map((child, index) => (index === 0 || isRunOn(child) ? '' : ' ') + joinPlainText(document, child))
    .join('');
}

function locateNode(document: DoclingDocument, node: NodeItem): Pick<MarkdownSpan, 'page' | 'bbox' | 'ref'> {
  let [item, group]: [NodeItem | undefined, NodeItem | undefined] = [node, undefined];
  for (let depth = 0; item && isGroup(item) && depth < 100; depth++) {
    group = item;
    item = childrenOf(document, item)[0];
  }
  const prov = item && !isGroup(item) ? item.prov[0] : undefined;
  const ref = item?.self_ref;
  if (!prov) return { ref };
  // The runs of a paragraph with several styles have one box each.
  const runs = group?.label === 'inline' ? childrenOf(document, group) : [];
  const boxes = runs.flatMap((run) => (isGroup(run) ? [] : run.prov)).filter(({ page_no }) => page_no === prov.page_no);
  const height = document.pages[String(prov.page_no)]?.size.height;
  const all = (boxes.length > 0 ? boxes : [prov]).map(({ bbox }) => toTopLeft(bbox, height));
  const findEdge = (side: number, pick: (a: number, b: number) => number) =>
    all.map((box) => box[side] as number).reduce((edge, value) => pick(edge, value));
  const bbox = [findEdge(0, Math.min), findEdge(1, Math.min), findEdge(2, Math.max), findEdge(3, Math.max)];
  return { ref, page: prov.page_no, bbox };
}

/**
 * Returns left, top, right, bottom with the origin at the top left. Without a known page height the box is returned unchanged.
 */
export function toTopLeft(box: BoundingBox, pageHeight: number | undefined): number[] {
  if (box.coord_origin !== 'BOTTOMLEFT' || pageHeight === undefined) return [box.l, box.t, box.r, box.b];
  return [box.l, pageHeight - box.t, box.r, pageHeight - box.b];
}
