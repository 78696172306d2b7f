import { pipeLines, type TableLines, tripletLines } from './table';
import { keyLines, keysOf } from '../graph-keys';
import { createNodeWriter, type MarkdownBlock, type MarkdownNodeWriter } from '../write/markdown';
import type { DoclingDocument, DocumentOrigin, FormItem, KeyValueItem, NodeItem, Provenance } from '../model';
import { fromTopLeft, headingLevel, plainText } from '../pages';
import { cellRefs, childrenOf, isGraph, isGroup, isPicture, isTable, isText, nodeAt } from '../tree';

/** How items become text. */
export interface ChunkDocumentOptions {
  /** Tables as Markdown instead of "row, column = value". */
  markdownTables?: boolean;
  /** Written for each picture. Default: pictures show their caption and description only. */
  imagePlaceholder?: string;
}

/** A piece that is not parted unless it alone is too large: an item, or the items of a caption and its table. */
export interface ChunkPiece {
  text: string;
  /** What separates it from the piece before. */
  before: string;
  items: readonly NodeItem[];
  /** A table can be parted between rows. */
  table?: TableLines;
}

/** A part of a document with the path of headings above it, outermost first. */
export interface DocumentChunk {
  /** The text itself, without the headings. */
  text: string;
  headings: readonly string[];
  pieces: readonly ChunkPiece[];
}

/**
 * One chunk for each list, paragraph, table, code block and picture with text, in reading order. Headings are no chunks but
 * the path of those below them. Takes linear time.
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
  let path: { level: number; text: string }[] = [];
  for (const node of nodesOf(document, writer)) {
    const level = node.content_layer === 'body' ? headingLevel(node) : undefined;
    if (level !== undefined) {
      const text = plainText(document, node);
      path = path.filter((heading) => heading.level < level);
      if (text !== '') path.push({ level, text });
    }
    if (level !== undefined && !isGroup(node)) {
      // Marks what the heading holds as written.
      writer.write(node);
      continue;
    }
    const pieces = piecesOf(document, writer, node, options);
    const text = joinPieces(pieces);
    if (text.trim() !== '') yield { text, headings: path.map((heading) => heading.text), pieces };
  }
}

/** The chunk as an embedding should see it: the headings, a line each, then the text. */
export function contextualize({ headings, text }: Pick<DocumentChunk, 'headings' | 'text'>): string {
  return [...headings, text].join('\n');
}

/** The text of pieces as it stands in a chunk. */
export function joinPieces(pieces: readonly ChunkPiece[]): string {
  return pieces.map(({ text, before }, index) => (index === 0 ? text : before + text)).join('');
}

/** Every node in reading order that can become a chunk or a heading; groups that only hold others are looked through. */
function* nodesOf(document: DoclingDocument, writer: MarkdownNodeWriter): Generator<NodeItem> {
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
    // What stands in cells is written with their table.
    for (const ref of isTable(node) ? cellRefs(node) : []) seen.add(ref);
    if (!isPicture(node)) open.push(childrenOf(document, node).toReversed());
  }
}

function piecesOf(
  document: DoclingDocument,
  writer: MarkdownNodeWriter,
  node: NodeItem,
  options: ChunkDocumentOptions,
): ChunkPiece[] {
  if (isGroup(node)) {
    if (!['list', 'ordered_list', 'inline'].includes(node.label)) return [];
    const items = node.label === 'inline' ? inlineItems(document, node) : undefined;
    return writer.write(node).map((block) => ({ ...pieceOf(block), ...(items ? { items } : {}) }));
  }
  if (isTable(node) && node.content_layer === 'body') return tablePieces(document, writer, node, options);
  const [first, ...rest] = isGraph(node) ? graphPieces(writer, node) : writer.write(node).map(pieceOf);
  if (!first) return [];
  // A caption stands below code, else above what it names.
  const captions = captionsOf(document, node);
  return [{ ...first, items: isText(node) ? [node, ...captions] : [...captions, node] }, ...rest];
}

/** Keys and values in lines; the Markdown of the reference has a mark for them only. */
function graphPieces(writer: MarkdownNodeWriter, node: KeyValueItem | FormItem): ChunkPiece[] {
  const caption = writer.captions(node);
  const footnotes = writer.write(node).filter((block) => block.node !== node);
  const lines = node.content_layer === 'body' ? keyLines(keysOf(node)) : [];
  const text = [caption, lines.join('\n')].filter((part) => part !== '').join('\n\n');
  return [{ text, before: '\n\n', items: [node] }, ...footnotes.map(pieceOf)];
}

const pieceOf = ({ text, before, node }: MarkdownBlock): ChunkPiece => ({ text, before, items: [node] });

function tablePieces(
  document: DoclingDocument,
  writer: MarkdownNodeWriter,
  node: Extract<NodeItem, { data: unknown }>,
  options: ChunkDocumentOptions,
): ChunkPiece[] {
  const caption = writer.captions(node);
  const [first, ...rest] = writer.write(node);
  const markdown = first?.text ?? '';
  const table = options.markdownTables
    ? pipeLines(caption === '' ? markdown : markdown.slice(caption.length).trimStart())
    : tripletLines(document, node);
  const own = table.lead + table.lines.join(table.glue);
  const text = [caption, own].filter((part) => part !== '').join('\n\n');
  const lead = caption === '' ? table.lead : `${caption}\n\n${table.lead}`;
  const piece = { text, before: '\n\n', items: [...captionsOf(document, node), node], table: { ...table, lead } };
  return text === '' ? [] : [piece, ...rest.map(pieceOf)];
}

function inlineItems(document: DoclingDocument, group: NodeItem): NodeItem[] {
  return childrenOf(document, group).filter((child) => !isGroup(child));
}

function captionsOf(document: DoclingDocument, node: NodeItem): NodeItem[] {
  const refs = 'captions' in node ? (node.captions ?? []) : [];
  return refs.flatMap(({ $ref }) => nodeAt(document, $ref) ?? []);
}

/** A chunk in the shape of the chunk endpoints. */
export interface ChunkRecord {
  filename: string;
  /** From 0, in each document anew. */
  chunk_index: number;
  text: string;
  raw_text: string | null;
  num_tokens: number | null;
  headings: string[] | null;
  captions: string[] | null;
  doc_items: string[];
  page_numbers: number[];
  /** Where on its pages the chunk stands. */
  prov: Provenance[];
  metadata: { origin: DocumentOrigin | null; has_image: boolean };
}

/** What the record of a chunk needs beside the chunk. */
export interface ChunkRecordFacts {
  filename: string;
  index: number;
  includeRawText?: boolean;
  /** Of the text with its headings; absent where nothing was counted. */
  tokens?: number;
}

/** The record of one chunk, as clients of the chunk endpoints read it. */
export function chunkRecord(document: DoclingDocument, chunk: DocumentChunk, facts: ChunkRecordFacts): ChunkRecord {
  const items = itemsOf(chunk);
  const captions = items
    .flatMap((item) => captionsOf(document, item))
    .flatMap((item) => plainText(document, item) || []);
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

/** Each item once, in order. */
export function itemsOf({ pieces }: Pick<DocumentChunk, 'pieces'>): NodeItem[] {
  return [...new Set(pieces.flatMap(({ items }) => items))];
}

/** Pages of all provenances, ascending. */
export function pagesOf(items: readonly NodeItem[]): number[] {
  const pages = items.flatMap((item) => (isGroup(item) ? [] : item.prov.map(({ page_no }) => page_no)));
  return [...new Set(pages)].toSorted((a, b) => a - b);
}

/** Page, left, top, right, bottom of every provenance, in points from the top left of the page. */
export function boxesOf(document: DoclingDocument, items: readonly NodeItem[]): number[][] {
  return items.flatMap((item) =>
    isGroup(item)
      ? []
      : item.prov.map(({ page_no, bbox }) => [
          page_no,
          ...fromTopLeft(bbox, document.pages[String(page_no)]?.size.height),
        ]),
  );
}
