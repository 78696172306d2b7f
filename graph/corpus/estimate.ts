import { chooseContract, defaultOutputTokens, fitsContext } from '../ask/contract';
import { writeFieldGuide } from '../ask/prompts';
import { chunksOf, countQuarters } from '../ask/source-chunks';
import { buildCatalog } from '../dense/catalog';
import type { PipelineOptions } from '../pipeline-options';
import type { GraphTemplate } from '../template/model';

/** The estimated cost of extracting a text. */
export interface ExtractionEstimate {
  chunks: number;
  /** Requests to the model, if it answers the first time. */
  modelCalls: number;
  inputTokens: number;
}

type Options = Pick<
  PipelineOptions,
  | 'backend'
  | 'extraction_contract'
  | 'processing_mode'
  | 'use_chunking'
  | 'chunk_max_tokens'
  | 'gleaning_enabled'
  | 'context_limit'
  | 'max_output_tokens'
  | 'dense_skeleton_batch_tokens'
>;

/** Tokens of the instructions around the text and the descriptions of the fields, roughly. */
const instructionTokens = 150;

/** Assumed context size of a model that does not state it, as in the extraction itself. */
const assumedContextTokens = 32_000;

/**
 * Estimates chunks, requests and input tokens of an extraction without asking a model. Exact for the contract `direct`; for
 * `dense` it assumes one request for each class of entities to fill.
 */
export function estimateExtraction(text: string, template: GraphTemplate, options: Options): ExtractionEstimate {
  const chunks = chunksOf(text, { maxTokens: options.chunk_max_tokens }).length;
  if (options.backend === 'rules') return { chunks, modelCalls: 0, inputTokens: 0 };
  const guide = countQuarters(writeFieldGuide(template)) + instructionTokens;
  const tokens = countQuarters(text);
  const passes = options.gleaning_enabled ? 2 : 1;
  const facts = {
    contentChars: text.length,
    outputTokens: options.max_output_tokens ?? defaultOutputTokens,
    contextTokens: options.context_limit ?? assumedContextTokens,
  };
  if (isDense(template, options, facts)) {
    const batches = Math.max(1, Math.ceil(tokens / options.dense_skeleton_batch_tokens));
    const modelCalls = batches * passes + buildCatalog(template).length;
    return { chunks, modelCalls, inputTokens: tokens * (passes + 1) + guide * modelCalls };
  }
  const isWhole = !options.use_chunking || fitsContext(facts);
  const callsForWhole = options.processing_mode === 'many-to-one' ? passes : 1;
  const modelCalls = isWhole ? callsForWhole : chunks;
  return { chunks, modelCalls, inputTokens: (isWhole ? tokens * modelCalls : tokens) + guide * modelCalls };
}

function isDense(
  template: GraphTemplate,
  { processing_mode: mode, extraction_contract: asked, use_chunking: canChunk }: Options,
  facts: { contentChars: number; outputTokens: number; contextTokens: number },
): boolean {
  if (mode === 'one-to-one' || asked === 'direct') return false;
  if (asked === 'dense') return true;
  return chooseContract({ ...facts, canChunk }).contract === 'dense' && buildCatalog(template).length > 1;
}
