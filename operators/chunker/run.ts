import { chunkText, type TextChunk } from '../../document/chunk/simple';
import { findFirstSpanAfter, type MarkdownSpan, toMarkdownWithSpans } from '../../document/pages';
import { readableText } from '../../document/write/text';
import { AppError } from '../../model/errors';
import type { Row, RowFailure, RowSkip } from '../../model/flow/row';
import { createEmptyUsage, getUsageMetrics } from '../../model/llm/model-host';
import type { OperatorContext, OperatorResult } from '../operator';
import { findStoredDocument } from '../rows/row-source';
import { createHybridChunker } from './hybrid';
import { type ChunkerConfig, getChunkType, defaultChunkSize, computeOverlap } from './schema';
import { createSemanticChunker } from './semantic';

type Context = OperatorContext<'files' | 'tokenizers' | 'embedder'>;

/** One row per chunk, in document order. All other columns are copied from the document. */
export async function run(rows: readonly Row[], config: ChunkerConfig, context: Context): Promise<OperatorResult> {
  const warnings: string[] = [];
  const type = getChunkType(config);
  const hybrid = type === 'hybrid' ? await createHybridChunker(config, context, warnings) : undefined;
  const semantic = type === 'semantic' ? createSemanticChunker(config, context) : undefined;
  const options = { chunkSize: config.chunk_size ?? defaultChunkSize, chunkOverlap: computeOverlap(config) };
  const cutIntoPieces = async (text: string, spans: readonly MarkdownSpan[]) =>
    semantic ? await semantic.cut(text, spans) : chunkText(text, options);
  const cutRow = (row: Row & { content: string }) =>
    hybrid ? hybrid.cut(row) : cutText(row, cutIntoPieces, context, warnings);
  const chunks: Row[] = [];
  const failed: RowFailure[] = [];
  const skipped: RowSkip[] = [];
  for (const [index, row] of rows.entries()) {
    context.signal.throwIfAborted();
    const { content } = row;
    if (typeof content !== 'string') {
      failed.push({
        id: row.id,
        name: row.name,
        code: 'OPERATOR_EXECUTION_FAILED',
        message: `The column content holds ${content === null ? 'null' : typeof content}; expected the text of the document.`,
      });
    } else {
      const ownChunks = await cutRow({ ...row, content }).catch((error: unknown) => toFailure(row, error));
      if ('code' in ownChunks) {
        failed.push(ownChunks);
        continue;
      }
      if (ownChunks.length === 0)
        skipped.push({ id: row.id, name: row.name, reason: 'It has no text to cut into chunks.' });
      for (const chunk of ownChunks) chunks.push(chunk);
    }
    context.progress(index + 1, rows.length);
  }
  return {
    rows: chunks,
    failed,
    skipped,
    warnings,
    metrics: { total_chunks: chunks.length, ...getUsageMetrics(semantic?.usage ?? createEmptyUsage()) },
  };
}

/** The failure of a document whose text the model host rejected. Rethrows every other error. */
function toFailure(row: Row, error: unknown): RowFailure {
  if (!(error instanceof AppError) || error.code !== 'EMBEDDING_REFUSED') throw error;
  return { id: row.id, name: row.name, code: error.code, message: error.message };
}

async function cutText(
  row: Row & { content: string },
  cutIntoPieces: (text: string, spans: readonly MarkdownSpan[]) => Promise<TextChunk[]>,
  context: Context,
  warnings: string[],
): Promise<Row[]> {
  const spans = row.content.trim() === '' ? [] : await readSpans(row, row.content, context, warnings);
  const pieces = await cutIntoPieces(row.content, spans);
  return pieces.map((piece, index) => chunkRow(row, index, piece, spans));
}

function chunkRow(row: Row, index: number, piece: TextChunk, spans: readonly MarkdownSpan[]): Row {
  const covered = listOverlapping(spans, piece);
  const pages = [...new Set(covered.flatMap(({ page }) => (page === undefined ? [] : [page])))].toSorted(
    (a, b) => a - b,
  );
  const boxes = covered.flatMap(({ page, bbox }) => (page === undefined || !bbox ? [] : [[page, ...bbox]]));
  return {
    ...row,
    id: `${row.id}_${index}`,
    document_id: row.id,
    chunk_index: index,
    start_index: piece.start,
    content: piece.text,
    headings: covered[0]?.headings ?? [],
    page_numbers: pages,
    bbox: boxes,
  };
}

function listOverlapping(spans: readonly MarkdownSpan[], { start, end }: TextChunk): MarkdownSpan[] {
  const covered: MarkdownSpan[] = [];
  for (let index = findFirstSpanAfter(spans, start); index < spans.length; index++) {
    const span = spans[index];
    if (!span || span.start >= end) break;
    covered.push(span);
  }
  return covered;
}

/**
 * Positions of the text in the full document. Empty when there is no document, or when an operator has changed the text since.
 */
async function readSpans(row: Row, content: string, context: Context, warnings: string[]): Promise<MarkdownSpan[]> {
  if (row.document_ref === undefined || row.document_ref === null) return [];
  const document = await findStoredDocument(row, context.services.files);
  if (!document) {
    warnings.push(
      `The full document of '${row.name}' is no longer stored; its chunks have no pages, headings and boxes.`,
    );
    return [];
  }
  // Tables of earlier versions hold Markdown in `content`, and an operator may have copied the Markdown column into it.
  for (const options of [readableText, {}]) {
    const { markdown, spans } = toMarkdownWithSpans(document, options);
    if (markdown === content) return spans;
  }
  return [];
}
