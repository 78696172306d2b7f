import {
  type BreakpointKind,
  chunkSemantic,
  defaultBreakpointAmounts,
  splitSentences,
  listSentenceWindows,
} from '../../document/chunk/semantic';
import type { TextChunk } from '../../document/chunk/simple';
import type { MarkdownSpan } from '../../document/pages';
import { AppError, type ErrorCode } from '../../model/errors';
import { addUsage, type ModelUsage, createEmptyUsage } from '../../model/llm/model-host';
import type { OperatorContext } from '../operator';
import { type ChunkerConfig, defaultChunkSize, buildSemanticEmbeddings } from './schema';

/** Codes of a model host that cannot be reached. */
const unreachableCodes: readonly ErrorCode[] = ['LOCALMODEL_CONNECTION_FAILED', 'CONNECTION_ERROR'];

type Context = OperatorContext<'embedder'>;

/** Splits texts where their meaning changes. */
export interface SemanticChunker {
  /** The pieces of a text, in order. `spans` marks headings. Throws the errors of the embedder. */
  cut(text: string, spans: readonly MarkdownSpan[]): Promise<TextChunk[]>;
  /** Model usage so far. */
  usage: ModelUsage;
}

/**
 * Turns an unreachable model host into a final error: the embedder has already retried, so the run does not wait any longer.
 */
function markFinal(error: unknown): unknown {
  if (!(error instanceof AppError) || !unreachableCodes.includes(error.code)) return error;
  return new AppError(error.code, error.message, { ...error.details, isFinal: true }, error.cause);
}

/** Creates a chunker that embeds each sentence together with its neighbours. */
export function createSemanticChunker(config: ChunkerConfig, { services, signal }: Context): SemanticChunker {
  const settings = buildSemanticEmbeddings(config);
  const kind: BreakpointKind = config.breakpoint_threshold_type ?? 'percentile';
  const usage = createEmptyUsage();
  return {
    usage,
    async cut(text, spans) {
      const headings = new Set(spans.flatMap(({ isHeading, start }) => (isHeading ? [start] : [])));
      const sentences = splitSentences(text, headings);
      const windows = listSentenceWindows(text, sentences, config.sentence_buffer ?? 1);
      // A single sentence is always one chunk, so no vectors are needed.
      const vectors =
        sentences.length < 2
          ? []
          : await services.embedder
              .embed(windows, settings, signal, { onUsage: (used) => addUsage(usage, used) })
              .catch((error: unknown) => {
                throw markFinal(error);
              });
      return chunkSemantic(text, sentences, vectors, {
        kind,
        amount: config.breakpoint_threshold_amount ?? defaultBreakpointAmounts[kind],
        chunkSize: config.chunk_size ?? defaultChunkSize,
        chunkOverlap: config.chunk_overlap ?? 0,
      });
    },
  };
}
