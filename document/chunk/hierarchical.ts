import { writeKeyLines, listKeys } from '../graph-keys';
import type { DoclingDocument, DocumentOrigin, FormItem, KeyValueItem, NodeItem, Provenance } from '../model';
import { toTopLeft, findHeadingLevel, joinPlainText } from '../pages';
import { listCellRefs, childrenOf, isGraph, isGroup, isPicture, isTable, isText, nodeAt } from '../tree';
import { createNodeWriter, type MarkdownBlock, type MarkdownNodeWriter } from '../write/markdown';
import { pipeLines, type TableLines, writeTripletLines } from './table';

/** How items are written as text. */
export interface ChunkDocumentOptions {
  /** Writes tables as Markdown instead of "row, column = value". */
  markdownTables?: boolean;
  /** Numbers the columns of tables without a header row, as the reference does. Default: "row: value, value". */
  numberedColumns?: boolean;
  /** Written for each picture. Default: only the caption and description of the picture are written. */
  imagePlaceholder?: string;
  /** Also yields headings without content as separate chunks. By default their words are in no chunk. */
  bareHeadings?: boolean;
}

/** A unit that is split only if it alone is too large: an item, or a table with its caption. */
export interface ChunkPiece {
  text: string;
  /** Separator between the previous piece and this one. */
  before: string;
  items: readonly NodeItem[];
  /** Set for a table, which can be split between rows. */
  table?: TableLines;
}

/** A part of a document with the path of headings above it, outermost first. */
export interface DocumentChunk {
  /** The text without the headings. */
  text: string;
  headings: readonly string[];
  pieces: readonly ChunkPiece[];
}

/**
 * Yields one chunk for each list, paragraph, table, code block and picture with text, in reading order. Headings are not
 * chunks; they form the heading path of the chunks below them. Takes linear time.
 */
export function* chunkHierarchically(
  document: DoclingDocument,
  options: ChunkDocumentOptions = {},
): Generator<DocumentChunk> {
  const writer = createNodeWriter(document, {
    unescaped: true,
    compactTables: true,
    imagePlaceholder: options.imagePlaceholder ?? '',
  });
  let path: Heading[] = [];
  // The innermost heading while nothing is under it.
  let bare: Heading | undefined;
  for (const node of iterateNodes(document, writer)) {
    const level = node.content_layer === 'body' ? findHeadingLevel(node) : undefined;
    if (level !== undefined) {
      const text = joinPlainText(document, node);
      if (bare && level <= bare.level) {
        if (options.bareHeadings) yield buildHeadingChunk(path);
        bare = undefined;
      }
      path = path.filter((heading) => heading.level < level);
      if (text !== '') {
        bare = { level, text, node };
        path.push(bare);
      }
    }
    if (level !== undefined && !isGroup(node)) {
      // Marks the content of the heading as written.
      writer.write(node);
      continue;
    }
    const pieces = listPieces(document, writer, node, options);
    const text = joinPieces(pieces);
    if (text.trim() === '') continue;
    bare = undefined;
    yield { text, headings: path.map((heading) => heading.text), pieces };
  }
  if (bare && options.bareHeadings) yield buildHeadingChunk(path);
}

interface Heading {
  level: number;
  text: string;
  node: NodeItem;
}

/** The last heading of a path as a chunk under the others. */
function buildHeadingChunk(path: readonly Heading[]): DocumentChunk {
  const last = path.slice(-1);
  const pieces = last.map(({ text, node }) => ({ text, before: '\n', items: [node] }));
  return { text: joinPieces(pieces), headings: path.slice(0, -1).map(({ text }) => text), pieces };
}

/** Returns the text to embed: the headings, one per line, followed by the text of the chunk. */
export function contextualize({ headings, text }: Pick<DocumentChunk, 'headings' | 'text'>): string {
  return [...headings, text].join('\n');
}

/** Joins the pieces of a chunk with their separators. */
export function joinPieces(pieces: readonly ChunkPiece[]): string {
  return pieces.map(({ text, before }, index) => (index === 0 ? text : before + text)).join('');
}

/** Yields every node, in reading order, that can become a chunk or a heading. Groups that only hold other nodes are entered. */
function* iterateNodes(document: DoclingDocument, writer: MarkdownNodeWriter): Generator<NodeItem> {
  const open: NodeItem[][] = [childrenOf(document, document.body).toReversed()];
  const seen = new Set<string>();
  for (let level = open.at(-1); level; level = open.at(-1)) {
    const node = level.pop();
    if (!node) {
      open.pop();
      continue;
    }
    if (seen.has(node.self_ref) || writer.isDone(node)) continue;
    seen.add(node.self_ref);
    yield node;
    // The content of cells is written with their table.
    for (const ref of isTable(node) ? listCellRefs(node) : []) seen.add(ref);
    if (!isPicture(node)) open.push(childrenOf(document, node).toReversed());
  }
}

function listPieces(
  document: DoclingDocument,
  writer: MarkdownNodeWriter,
  node: NodeItem,
  options: ChunkDocumentOptions,
): ChunkPiece[] {
  if (isGroup(node)) {
    if (!['list', 'ordered_list', 'inline'].includes(node.label)) return [];
    const items = node.label === 'inline' ? listInlineItems(document, node) : undefined;
    return writer.write(node).map((block) => ({ ...buildPiece(block), ...(items ? { items } : {}) }));
  }
  if (isTable(node) && node.content_layer === 'body') return listTablePieces(document, writer, node, options);
  const [first, ...others] = isGraph(node) ? listGraphPieces(writer, node) : writer.write(node).map(buildPiece);
  if (!first) return [];
  // A caption comes after code, and before every other kind of item.
  const captions = listCaptions(document, node);
  return [{ ...first, items: isText(node) ? [node, ...captions] : [...captions, node] }, ...others];
}

/** Keys and values, one line per key. The Markdown of the reference only has a placeholder for them. */
function listGraphPieces(writer: MarkdownNodeWriter, node: KeyValueItem | FormItem): ChunkPiece[] {
  const caption = writer.captions(node);
  const footnotes = writer.write(node).filter((block) => block.node !== node);
  const lines = node.content_layer === 'body' ? writeKeyLines(listKeys(node)) : [];
  const text = [caption, lines.join('\n')].filter((part) => part !== '').join('\n\n');
  return [{ text, before: '\n\n', items: [node] }, ...footnotes.map(buildPiece)];
}

const buildPiece = ({ text, before, node }: MarkdownBlock): ChunkPiece => ({ text, before, items: [node] });

function listTablePieces(
  document: DoclingDocument,
  writer: MarkdownNodeWriter,
  node: Extract<NodeItem, { data: unknown }>,
  options: ChunkDocumentOptions,
): ChunkPiece[] {
  const caption = writer.captions(node);
  const [first, ...footnotes] = writer.write(node);
  const markdown = first?.text ?? '';
  const table = options.markdownTables
    ? pipeLines(caption === '' ? markdown : markdown.slice(caption.length).trimStart())
    : writeTripletLines(document, node, options.numberedColumns);
  const tableText = table.lead + table.lines.join(table.glue);
  const text = [caption, tableText].filter((part) => part !== '').join('\n\n');
  const lead = caption === '' ? table.lead : `${caption}\n\n${table.lead}`;
  const piece = { text, before: '\n\n', items: [...listCaptions(document, node), node], table: { ...table, lead } };
  return text === '' ? [] : [piece, ...footnotes.map(buildPiece)];
}

function listInlineItems(document: DoclingDocument, group: NodeItem): NodeItem[] {
  return childrenOf(document, group).filter((child) => !isGroup(child));
}

function listCaptions(document: DoclingDocument, node: NodeItem): NodeItem[] {
  const refs = 'captions' in node ? (node.captions ?? []) : [];
  return refs.flatMap(({ $ref }) => nodeAt(document, $ref) ?? []);
}

/** A chunk as returned by the chunk endpoints. */
export interface ChunkRecord {
  filename: string;
  /** Starts at 0 in each document. */
  chunk_index: number;
  text: string;
  raw_text: string | null;
  num_tokens: number | null;
  headings: string[] | null;
  captions: string[] | null;
  doc_items: string[];
  page_numbers: number[];
  /** The positions of the chunk on its pages. */
  prov: Provenance[];
  metadata: { origin: DocumentOrigin | null; has_image: boolean };
}

/** Facts about a chunk that the chunk itself does not hold. */
export interface ChunkRecordFacts {
  filename: string;
  index: number;
  includeRawText?: boolean;
  /** Tokens of the text with its headings; absent if tokens were not counted. */
  tokens?: number;
}

/** Returns the record that clients of the chunk endpoints receive. */
export function chunkRecord(document: DoclingDocument, chunk: DocumentChunk, facts: ChunkRecordFacts): ChunkRecord {
  const items = itemsOf(chunk);
  const captions = items
    .flatMap((item) => listCaptions(document, item))
    .flatMap((item) => joinPlainText(document, item) || []);
  return {
    filename: facts.filename,
    chunk_index: facts.index,
    text: contextualize(chunk),
    raw_text: facts.includeRawText ? chunk.text : null,
    num_tokens: facts.tokens ?? null,
    headings: chunk.headings.length > 0 ? [...chunk.headings] : null,
    captions: captions.length > 0 ? captions : null,
    doc_items: items.map(({ self_ref }) => self_ref),
    page_numbers: pagesOf(items),
    prov: items.flatMap((item) => (isGroup(item) ? [] : item.prov)),
    metadata: { origin: document.origin ?? null, has_image: items.some(isPicture) },
  };
}

/** Returns each item once, in order. */
export function itemsOf({ pieces }: Pick<DocumentChunk, 'pieces'>): NodeItem[] {
  return [...new Set(pieces.flatMap(({ items }) => items))];
}

/** Returns the page numbers of all provenances, in ascending order. */
export function pagesOf(items: readonly NodeItem[]): number[] {
  const pages = items.flatMap((item) => (isGroup(item) ? [] : item.prov.map(({ page_no }) => page_no)));
  return [...new Set(pages)].toSorted((a, b) => a - b);
}

/** Returns page, left, top, right and bottom of every provenance, in points from the top left of the page. */
export function boxesOf(document: DoclingDocument, items: readonly NodeItem[]): number[][] {
  return items.flatMap((item) =>
    isGroup(item)
      ? []
      : item.prov.map(({ page_no, bbox }) => [
          page_no,
          ...toTopLeft(bbox, document.pages[String(page_no)]?.size.height),
        ]),
  );
}
