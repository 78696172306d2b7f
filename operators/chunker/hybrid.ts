import { escapeText } from '../../document/chunk/escape-text';
import { boxesOf, contextualize, itemsOf, pagesOf } from '../../document/chunk/hierarchical';
import { chunkHybrid, type HybridChunk } from '../../document/chunk/hybrid';
import type { DoclingDocument } from '../../document/model';
import { findHeadingLevel, joinPlainText } from '../../document/pages';
import { defaultLimits } from '../../formats/format';
import { read as readMarkdown } from '../../formats/markdown/read';
import type { Row } from '../../model/flow/row';
import type { Tokenizer } from '../../model/llm/tokenizer';
import type { OperatorContext } from '../operator';
import { findStoredDocument, isTextOf } from '../rows/row-source';
import { type ChunkerConfig, defaultImagePlaceholder, defaultTokenizer } from './schema';

type Context = OperatorContext<'files' | 'tokenizers'>;

/** Splits documents into chunks, with one configuration. */
export interface HybridChunker {
  /** One row per chunk of the document. */
  cut(row: Row & { content: string }): Promise<Row[]>;
  /** The tokenizer used for counting. */
  tokenizer: Tokenizer;
}

/** Loads the tokenizer. If the requested one is not available, warns and names its replacement. */
export async function createHybridChunker(
  config: ChunkerConfig,
  context: Context,
  warnings: string[],
): Promise<HybridChunker> {
  const requestedName = config.tokenizer ?? config.docling_tokenizer;
  const name = requestedName ?? defaultTokenizer;
  const tokenizer = await context.services.tokenizers.load(name);
  if (requestedName !== undefined && tokenizer.name !== requestedName) {
    warnings.push(`The tokenizer '${name}' is not in the models folder; tokens were counted with '${tokenizer.name}'.`);
  }
  const options = {
    tokenizer,
    maxTokens: config.chunk_size ?? tokenizer.maxTokens,
    mergePeers: config.merge_peers ?? true,
    bareHeadings: true,
    markdownTables: config.use_markdown_tables ?? false,
    imagePlaceholder: config.use_markdown_images ? (config.image_placeholder ?? defaultImagePlaceholder) : '',
  };
  return {
    tokenizer,
    async cut(row) {
      const document = await readDocument(row, context, { warnings, isAsked: config.chunk_type === 'hybrid' });
      return [...chunkHybrid(document, options)].map((chunk, index) =>
        chunkRow(row, index, { chunk, document, isRaw: config.contextualize === false }),
      );
    },
  };
}

function chunkRow(
  row: Row,
  index: number,
  { chunk, document, isRaw }: { chunk: HybridChunk; document: DoclingDocument; isRaw: boolean },
): Row {
  const items = itemsOf(chunk);
  return {
    ...row,
    id: `${row.id}_${index}`,
    document_id: row.id,
    chunk_index: index,
    content: isRaw ? chunk.text : contextualize(chunk),
    headings: [...chunk.headings],
    page_numbers: pagesOf(items),
    bbox: boxesOf(document, items),
    num_tokens: chunk.tokens,
    doc_items: items.map(({ self_ref }) => self_ref),
  };
}

/**
 * The full document. Parses `content` instead if there is none, or if an operator has changed the text since, with a warning
 * only if hybrid chunks were requested.
 */
async function readDocument(
  row: Row & { content: string },
  context: Context,
  { warnings, isAsked }: { warnings: string[]; isAsked: boolean },
): Promise<DoclingDocument> {
  const document = await findStoredDocument(row, context.services.files);
  if (document && isTextOf(document, row.content)) return document;
  // Operators that mask text drop the full document.
  const isGone = !document && row.document_ref !== undefined && row.document_ref !== null;
  const reason = isGone ? 'is no longer stored in full' : 'was changed since its extraction';
  if (isAsked || isGone) warnings.push(`The text of '${row.name}' ${reason}; its chunks have no pages and boxes.`);
  const headingLevels = new Map((document ? [...iterateHeadings(document)] : []).concat(listTitle(row)));
  // The reader of Markdown treats NUL as a sign of a binary file.
  const markdown = escapeText(row.content.replaceAll('\0', ' '), headingLevels);
  return readMarkdown(new TextEncoder().encode(markdown), { name: row.name, limits: defaultLimits });
}

/** The text and level of each heading. */
function* iterateHeadings(document: DoclingDocument): Generator<[string, number]> {
  for (const item of document.texts) {
    const level = findHeadingLevel(item);
    if (level !== undefined) yield [joinPlainText(document, item), level];
  }
}

/** The title as a heading of level 0; empty for a document without one. */
function listTitle({ metadata }: Row): [string, number][] {
  const title = metadata?.['title'];
  return typeof title === 'string' && title !== '' ? [[title, 0]] : [];
}
