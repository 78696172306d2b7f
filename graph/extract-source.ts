import type { DoclingDocument } from '../document/model';
import type { Checkpoints } from './ask/checkpoints';
import { chooseContract, defaultOutputTokens, fitsContext } from './ask/contract';
import type { LanguageModel } from './ask/language-model';
import {
  chunksOf,
  countQuarters,
  pageChunks,
  createPeerChunks,
  type SourceChunk,
  wholeChunk,
} from './ask/source-chunks';
import { ExtractionError } from './core/errors';
import { buildCatalog } from './dense/catalog';
import { type DenseExtract, extractDense } from './dense/dense';
import { type ChunkExtract, extractWithModel } from './extract/model';
import { extractWithPictures, type PagePicture, pagePictures } from './extract/pictures';
import { extractWithRules } from './extract/rules';
import type { PipelineOptions } from './pipeline-options';
import type { GraphTemplate } from './template/model';

/** Input of the extraction, and the model to ask. */
export interface ExtractInput extends Checkpoints {
  source: DoclingDocument | string;
  template: GraphTemplate;
  model?: LanguageModel;
  /** For the backend `vlm`. Default: the page images stored in the document. */
  pages?: readonly PagePicture[];
  countTokens?: (text: string) => number;
  signal?: AbortSignal;
}

/** The extracted data by chunk, the contract used, and the reason for it. */
export interface Extracted {
  chunks: readonly SourceChunk[];
  extracts: ChunkExtract[];
  contract: 'rules' | 'pictures' | 'direct' | 'dense';
  reason: string;
  /** Sentences about the whole document. */
  notes: string[];
  dense?: DenseExtract;
}

/** Extracts with the backend and contract from the options. */
export async function extractSource(input: ExtractInput, options: PipelineOptions): Promise<Extracted> {
  if (options.backend === 'vlm' && input.model) return extractFromPictures(input, options, input.model);
  const whole = wholeChunk(input.source);
  if (whole.text.trim() === '') throw new ExtractionError('The source has no text', { reason: 'no_models_extracted' });
  if (options.backend === 'rules' || !input.model) return extractByRules(input, options);
  const model = limitModel(input.model, options);
  if (options.processing_mode === 'one-to-one') {
    const contract = options.extraction_contract;
    const notes = contract === 'direct' ? [] : [`processing_mode one-to-one uses the contract direct, not ${contract}`];
    return { ...(await extractDirectly(input, options, { model, chunks: pageChunks(input.source) })), notes };
  }
  const { contract, reason } = resolveContract(input.template, options, model, whole.text.length);
  if (contract === 'direct')
    return {
      ...(await extractDirectly(input, options, { model, chunks: listDirectChunks(input, options, model, whole) })),
      reason,
    };
  return extractDensely(input, options, { model, reason });
}

function limitModel(model: LanguageModel, options: PipelineOptions): LanguageModel {
  const { context_limit: contextTokens = model.contextTokens, max_output_tokens: outputTokens = model.outputTokens } =
    options;
  return {
    contextTokens,
    outputTokens,
    hasStructuredOutput: options.structured_output && model.hasStructuredOutput,
    ask: (request) => model.ask(request),
  };
}

const buildFacts = (model: LanguageModel, contentChars: number) => ({
  contentChars,
  outputTokens: model.outputTokens ?? defaultOutputTokens,
  ...(model.contextTokens === undefined ? {} : { contextTokens: model.contextTokens }),
});

function resolveContract(template: GraphTemplate, options: PipelineOptions, model: LanguageModel, chars: number) {
  const { extraction_contract: contract, use_chunking: canChunk, profile } = options;
  if (contract !== 'auto') return { contract: contract as 'direct' | 'dense', reason: 'as requested' };
  const chosen = chooseContract({ ...buildFacts(model, chars), canChunk });
  if (chosen.contract === 'direct' || profile === 'peer' || buildCatalog(template).length > 1) return chosen;
  return { contract: 'direct' as const, reason: 'the template only describes the document itself' };
}

/** Assumed context size of a model that does not state it, for large questions. */
const assumedContextTokens = 32_000;

// One question about the whole document. If it does not fit into the context with its answer, one question per chunk.
function listDirectChunks(
  { source, countTokens }: ExtractInput,
  options: PipelineOptions,
  model: LanguageModel,
  whole: SourceChunk,
): SourceChunk[] {
  const facts = { contextTokens: assumedContextTokens, ...buildFacts(model, whole.text.length) };
  if (!options.use_chunking || fitsContext(facts)) return [whole];
  return chunksOf(source, { maxTokens: options.chunk_max_tokens, countTokens });
}

function extractByRules({ source, template }: ExtractInput, options: PipelineOptions): Extracted {
  const chunks = options.processing_mode === 'one-to-one' ? pageChunks(source) : [wholeChunk(source)];
  const extracts = chunks.map((chunk) => {
    const { instance, problems } = extractWithRules(template, chunk.text);
    return Object.keys(instance).length === 0 ? { chunk, problems } : { chunk, instance, problems };
  });
  return { chunks, extracts, contract: 'rules', reason: 'the backend is rules', notes: [] };
}

async function extractFromPictures(
  input: ExtractInput,
  options: PipelineOptions,
  model: LanguageModel,
): Promise<Extracted> {
  const pages = input.pages ?? pagePictures(input.source);
  if (pages.length === 0)
    throw new ExtractionError('The source has no pictures of its pages', {
      reason: 'no_models_extracted',
      hint: 'The backend vlm reads PDF files and pictures.',
    });
  const extracts = await extractWithPictures(pages, {
    source: input.source,
    template: input.template,
    model: limitModel(model, options),
    parallel: options.parallel_workers,
    ...pickCallOptions(input),
  });
  const chunks = extracts.map(({ chunk }) => chunk);
  return { chunks, extracts, contract: 'pictures', reason: 'the backend is vlm', notes: [] };
}

const pickCallOptions = ({ signal, finished, onChunkDone }: ExtractInput) => ({ signal, finished, onChunkDone });

async function extractDirectly(
  input: ExtractInput,
  options: PipelineOptions,
  { model, chunks }: { model: LanguageModel; chunks: SourceChunk[] },
): Promise<Extracted> {
  const extracts = await extractWithModel(chunks, {
    template: input.template,
    model,
    parallel: options.parallel_workers,
    isGleaning: options.gleaning_enabled && chunks.length === 1 && options.processing_mode === 'many-to-one',
    isSparseAskedAgain: options.structured_sparse_check && model.hasStructuredOutput === true,
    ...pickCallOptions(input),
  });
  return { chunks, extracts, contract: 'direct', reason: 'as requested', notes: [] };
}

const maxBatchTokens = 4096;

async function extractDensely(
  input: ExtractInput,
  options: PipelineOptions,
  { model, reason }: { model: LanguageModel; reason: string },
): Promise<Extracted> {
  const { source, template, countTokens = countQuarters } = input;
  const chunkOptions = { maxTokens: options.chunk_max_tokens, countTokens };
  const chunks =
    options.profile === 'peer' && typeof source !== 'string'
      ? createPeerChunks(source, chunkOptions)
      : chunksOf(source, chunkOptions);
  const denseExtract = await extractDense(chunks, {
    template,
    model,
    countTokens,
    options: {
      batchTokens: Math.min(options.dense_skeleton_batch_tokens, maxBatchTokens),
      fillCap: options.dense_fill_nodes_cap,
      fillContext: options.dense_fill_context as 'scoped' | 'full',
      dedupe: options.dense_dedupe as 'off' | 'standard' | 'aggressive',
      parallel: options.parallel_workers,
      isGleaning: options.gleaning_enabled,
      profile: options.profile === 'peer' ? 'peer' : 'spec',
    },
    ...pickCallOptions(input),
  });
  const { instance, problems } = denseExtract;
  const [first] = chunks;
  if (instance && first) {
    const extracts = [{ chunk: first, instance, problems }];
    return { chunks, extracts, contract: 'dense', reason, notes: [], dense: denseExtract };
  }
  const answer = await extractDirectly(input, options, {
    model,
    chunks: listDirectChunks(input, options, model, wholeChunk(source)),
  });
  const notes = [...problems, 'the document was asked about directly instead'];
  return { ...answer, reason: 'the contract dense found no root', notes, dense: denseExtract };
}
