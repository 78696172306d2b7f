import { createHash } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import type { AbstractGraph as Graph } from 'graphology-types';
import { documentToJson } from '../document/json';
import type { DoclingDocument } from '../document/model';
import { problemsOf } from '../model/validate';
import { buildGraph } from './build';
import { consolidate } from './consolidate';
import { ConfigurationError, ExtractionError, GraphLibraryError, PipelineError, ValueError } from './errors';
import { type ChunkExtract, extractWithModel } from './extract-model';
import { extractWithRules } from './extract-rules';
import type { FinishedWork } from './finished-work';
import { toGraphology } from './graphology';
import type { KnowledgeGraph, NodeKey } from './knowledge-graph';
import type { LanguageModel } from './language-model';
import { bindProvenance } from './provenance';
import { chunksOf, pageChunks, type SourceChunk, wholeChunk } from './source-chunks';
import { type GraphStatistics, graphStatistics } from './statistics';
import type { GraphTemplate } from './template';
import { graphProblems } from './validate';
import type { Attributes } from './value';

const oneOf = (values: readonly string[], fallback: string) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    { default: fallback },
  );

/** The options of a pipeline run; an unknown one is an error, not a silence. */
export const PipelineOptions = Type.Object(
  {
    backend: oneOf(['llm', 'vlm', 'rules'], 'llm'),
    inference: oneOf(['local', 'remote'], 'local'),
    processing_mode: oneOf(['one-to-one', 'many-to-one'], 'many-to-one'),
    extraction_contract: oneOf(['direct', 'dense', 'auto'], 'auto'),
    use_chunking: Type.Boolean({ default: true }),
    chunk_max_tokens: Type.Integer({ minimum: 16, default: 512 }),
    parallel_workers: Type.Integer({ minimum: 1, default: 4 }),
    gleaning_enabled: Type.Boolean({ default: true }),
    provenance: oneOf(['off', 'standard', 'detailed'], 'off'),
    reverse_edges: Type.Boolean({ default: false }),
    profile: oneOf(['spec', 'peer'], 'spec'),
    /** Which model answers is the caller's choice: these three are checked here and read by whoever brings the model. */
    provider_override: Type.Optional(Type.String()),
    model_override: Type.Optional(Type.String()),
    docling_config: oneOf(['ocr', 'vision'], 'ocr'),
  },
  { additionalProperties: false },
);
export type PipelineOptions = Static<typeof PipelineOptions>;

/** What a run needs of the outside, and what it works on. */
export interface PipelineInput extends FinishedWork {
  /** A converted document, or Markdown text. */
  source: DoclingDocument | string;
  template: GraphTemplate;
  options?: Partial<PipelineOptions>;
  /** For the backend `llm`. */
  model?: LanguageModel;
  /** How the source is called in the ledger. */
  sourceName?: string;
  /** When it was converted, ISO 8601; for the ledger. */
  convertedAt?: string;
  signal?: AbortSignal;
}

export interface PipelineContext {
  /** Directed, of graphology; a multigraph when two relations join one pair. Every writer takes it. */
  knowledge_graph: Graph;
  /** The same graph as the library keeps it, which is quicker to write. */
  graph: KnowledgeGraph;
  /** The extracted model; with `one-to-one` the first of `extracted_models`. */
  pydantic_model: Attributes;
  extracted_models: Attributes[];
  graph_metadata: GraphStatistics & { source_models: number };
  /** The ledger, unless `provenance` is off. */
  provenance?: Attributes;
  /** What had to be changed or left out, a sentence each. */
  problems: string[];
}

/** Extracts the template's model from a source and builds its graph. Errors of options come before any question is asked. */
export async function runPipeline(input: PipelineInput): Promise<PipelineContext> {
  const options = checkedOptions(input);
  const chunks = chunksFor(input, options);
  const extracts = await atStage('Extraction', () => extractAll(input, options, chunks));
  return atStage('Graph Conversion', () => converted(input, options, { chunks, extracts }));
}

function checkedOptions({ options: given = {}, model, template }: PipelineInput): PipelineOptions {
  const options = { ...given } as PipelineOptions;
  const problems = problemsOf(PipelineOptions, options).map(({ pointer, message }) => `${pointer || '/'} ${message}`);
  if (options.backend === 'vlm' && options.inference === 'remote')
    problems.push('the backend vlm supports only the inference local');
  else if (options.backend === 'vlm') problems.push('the backend vlm is not available: no vision model is built in');
  if (options.extraction_contract === 'dense')
    problems.push('the extraction_contract dense is not available; use auto, which asks chunk by chunk');
  if (options.backend === 'llm' && !model) problems.push('the backend llm needs a language model');
  if (template.classes.get(template.root)?.isEntity === false) problems.push('the root of the template is a component');
  if (problems.length > 0)
    throw new ConfigurationError(`The options are invalid: ${problems.join('; ')}`, { problems });
  return options;
}

// `direct` asks once about the whole; `auto` too when it fits the model together with an answer of the same size.
function chunksFor({ source, model }: PipelineInput, options: PipelineOptions): SourceChunk[] {
  if (options.processing_mode === 'one-to-one') return pageChunks(source);
  const whole = wholeChunk(source);
  if (options.backend === 'rules' || !options.use_chunking || options.extraction_contract === 'direct') return [whole];
  const tokens = Math.ceil(whole.text.length / 4);
  const fits = model?.contextTokens !== undefined && tokens * 2 + 2000 <= model.contextTokens;
  return fits ? [whole] : chunksOf(source, { maxTokens: options.chunk_max_tokens });
}

async function extractAll(
  input: PipelineInput,
  options: PipelineOptions,
  chunks: readonly SourceChunk[],
): Promise<ChunkExtract[]> {
  if (chunks.every(({ text }) => text.trim() === ''))
    throw new ExtractionError('The source has no text', { reason: 'no_models_extracted' });
  const { template, model } = input;
  if (options.backend === 'rules' || !model) {
    return chunks.map((chunk) => {
      const { instance, problems } = extractWithRules(template, chunk.text);
      return Object.keys(instance).length === 0 ? { chunk, problems } : { chunk, instance, problems };
    });
  }
  return extractWithModel(chunks, {
    template,
    model,
    parallel: options.parallel_workers,
    isGleaning: options.gleaning_enabled && chunks.length === 1 && options.processing_mode === 'many-to-one',
    signal: input.signal,
    finished: input.finished,
    onChunkDone: input.onChunkDone,
  });
}

function converted(
  input: PipelineInput,
  options: PipelineOptions,
  { chunks, extracts }: { chunks: readonly SourceChunk[]; extracts: readonly ChunkExtract[] },
): PipelineContext {
  const { template } = input;
  const found = extracts.flatMap(({ instance }) => (instance ? [instance] : []));
  const models =
    options.processing_mode === 'one-to-one' || found.length < 2
      ? found
      : [consolidate(template, template.root, found)];
  const problems = extracts.flatMap((extract) => extract.problems);
  const [first] = models;
  if (!first)
    throw new ExtractionError('Nothing of the template was found in the source', {
      reason: 'no_models_extracted',
      problems,
    });
  let ledger: Attributes | undefined;
  const pointers = new Map<NodeKey, string>();
  const graph = buildGraph(template, models, {
    profile: options.profile === 'peer' ? 'peer' : 'spec',
    reverseEdges: options.reverse_edges,
    onNode: (node, pointer) => {
      if (!pointers.has(node)) pointers.set(node, pointer);
    },
    beforeCleanUp: (built) => {
      if (options.provenance !== 'off')
        ledger = bindProvenance(built, evidenceChunks(input, options, chunks), {
          ...ledgerOptions(input, options),
          pointers,
        });
    },
  });
  const wrong = graphProblems(graph);
  if (wrong.length > 0) throw new ValueError(`The graph is invalid: ${wrong.join('; ')}`);
  return {
    knowledge_graph: toGraphology(graph),
    graph,
    pydantic_model: first,
    extracted_models: models,
    graph_metadata: { ...graphStatistics(graph), source_models: models.length },
    provenance: ledger,
    problems,
  };
}

// Evidence is as fine as chunks, also where the questions were not.
function evidenceChunks(input: PipelineInput, options: PipelineOptions, asked: readonly SourceChunk[]) {
  return asked.length > 1 ? asked : chunksOf(input.source, { maxTokens: options.chunk_max_tokens });
}

function ledgerOptions({ source, sourceName, template, convertedAt }: PipelineInput, options: PipelineOptions) {
  const content = typeof source === 'string' ? source : documentToJson(source);
  const documentId = createHash('blake2b512').update(content).digest('hex').slice(0, 32);
  const level = options.provenance === 'detailed' ? ('detailed' as const) : ('standard' as const);
  const pageCount = typeof source === 'string' ? undefined : Object.keys(source.pages).length || undefined;
  return { documentId, source: sourceName ?? '', template, level, pageCount, convertedAt };
}

// The library's own errors and a cancellation say what they are; whatever else is thrown gets the name of its stage.
async function atStage<T>(stage: string, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isCancellation = error instanceof Error && error.name === 'AbortError';
    if (error instanceof GraphLibraryError || isCancellation) throw error;
    const details = { stage, error: error instanceof Error ? error.message : String(error) };
    throw new PipelineError(`The pipeline failed at the stage '${stage}'`, details, error);
  }
}
