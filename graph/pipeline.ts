import type { AbstractGraph as Graph } from 'graphology-types';
import { documentToJson } from '../document/json/write';
import type { DoclingDocument } from '../document/model';
import { chunksOf, createPeerChunks } from './ask/source-chunks';
import { buildGraph } from './build/build';
import { ExtractionError, ValueError } from './core/errors';
import { toGraphology } from './core/graphology';
import type { KnowledgeGraph, NodeKey } from './core/knowledge-graph';
import { type GraphStatistics, graphStatistics } from './core/statistics';
import { graphProblems } from './core/validate';
import type { Attributes } from './core/value';
import { clearPlaceholderIds } from './dense/placeholder-ids';
import { type ExtractInput, type Extracted, extractSource } from './extract-source';
import { consolidate } from './extract/consolidate';
import { findObservations } from './observed';
import { validateOptions, type PipelineOptions } from './pipeline-options';
import { bindProvenance, contentHash } from './provenance/provenance';
import { runStage } from './stage';
import { buildTrace } from './trace';

/** Input of a run, including everything from outside the library. */
export interface PipelineInput extends ExtractInput {
  /** A converted document, or Markdown text. */
  source: DoclingDocument | string;
  options?: Partial<PipelineOptions>;
  /** The name of the source in the ledger. */
  sourceName?: string;
  /** The id of the document in the ledger. Default: a hash of the source as JSON or text. */
  documentId?: string;
  /** Conversion time of the source, ISO 8601; for the ledger. */
  convertedAt?: string;
}

export interface PipelineContext {
  /** A directed graphology graph; a multigraph if two relations connect the same pair. All writers accept it. */
  knowledge_graph: Graph;
  /** The same graph in the library's own representation, which is faster to write. */
  graph: KnowledgeGraph;
  /** The extracted model; with `one-to-one` the first of `extracted_models`. */
  pydantic_model: Attributes;
  extracted_models: Attributes[];
  graph_metadata: GraphStatistics & { source_models: number };
  /** The ledger, unless `provenance` is off. */
  provenance?: Attributes;
  /** Changed or dropped data, one sentence each. */
  problems: string[];
  /** The extraction contract used. For `auto`, the choice and its reason. */
  contract: { used: Extracted['contract']; reason: string };
  /** Counts of the contract `dense`. */
  dense_stats?: Attributes;
  /** With `debug`: the steps of the run and their intermediate results. */
  trace_data?: Attributes;
}

/** Extracts the template's model from a source and builds its graph. Invalid options are reported before the model is called. */
export async function runPipeline(input: PipelineInput): Promise<PipelineContext> {
  const options = validateOptions(input.options ?? {}, input);
  const extracted = await runStage('Extraction', async () => {
    const source = await extractSource(input, options);
    return { ...source, models: selectModels(input, options, source) };
  });
  return runStage('Graph Conversion', () => convertSource(input, options, extracted));
}

function selectModels({ template, source }: PipelineInput, options: PipelineOptions, extracted: Extracted) {
  const instances = extracted.extracts.flatMap(({ instance }) => (instance ? [instance] : []));
  const whole =
    options.processing_mode === 'one-to-one' || instances.length < 2
      ? instances
      : [consolidate(template, template.root, instances)];
  const isWhole = options.processing_mode === 'many-to-one';
  const stem = isWhole && options.profile === 'peer' && typeof source !== 'string' ? source.name : undefined;
  const cleared =
    options.backend === 'rules' ? whole : whole.map((model) => clearPlaceholderIds(template, model, stem));
  const [first, ...others] = cleared.filter((model) => Object.keys(model).length > 0);
  if (first) return { first, all: [first, ...others] };
  throw createNothingFoundError(options.backend, findProblems(extracted));
}

/** Rules find labels only, which a newcomer does not know. */
function createNothingFoundError(backend: PipelineOptions['backend'], problems: string[]): ExtractionError {
  const hint =
    'Rules find labelled values only: add the labels of the source to the fields of the template, or use a model';
  const text = 'Nothing of the template was found in the source';
  return new ExtractionError(backend === 'rules' ? `${text}. ${hint}` : text, {
    reason: 'no_models_extracted',
    problems,
  });
}

const findProblems = ({ extracts, notes }: Extracted) => [...extracts.flatMap(({ problems }) => problems), ...notes];

function convertSource(
  input: PipelineInput,
  options: PipelineOptions,
  extracted: Extracted & { models: ReturnType<typeof selectModels> },
): PipelineContext {
  const { template } = input;
  const { first, all: models } = extracted.models;
  let ledger: Attributes | undefined;
  const pointers = new Map<NodeKey, string>();
  const graph = buildGraph(template, models, {
    profile: options.profile === 'peer' ? 'peer' : 'spec',
    reverseEdges: options.reverse_edges,
    onNode: (node, pointer) => {
      if (!pointers.has(node)) pointers.set(node, pointer);
    },
    beforeCleanUp: (built) => {
      if (options.provenance !== 'off' && !isPeerPages(options))
        ledger = bindProvenance(built, chooseEvidenceChunks(input, options, extracted), {
          ...buildLedgerOptions(input, options),
          pointers,
          ...findObservations(template, extracted),
        });
    },
  });
  const problems = graphProblems(graph);
  if (problems.length > 0) throw new ValueError(`The graph is invalid: ${problems.join('; ')}`);
  const { contract: used, reason, dense } = extracted;
  return {
    knowledge_graph: toGraphology(graph),
    graph,
    pydantic_model: first,
    extracted_models: models,
    graph_metadata: { ...graphStatistics(graph), source_models: models.length },
    provenance: ledger,
    problems: findProblems(extracted),
    contract: { used, reason },
    ...(dense ? { dense_stats: dense.stats } : {}),
    ...(options.debug ? { trace_data: buildTrace(input.source, { options, extracted, models, graph }) } : {}),
  };
}

// The peer keeps no evidence for pages with their own models.
const isPeerPages = ({ profile, processing_mode }: PipelineOptions) =>
  profile === 'peer' && processing_mode === 'one-to-one';

// Evidence uses chunks, even if the questions covered larger parts.
function chooseEvidenceChunks(
  { source, countTokens }: PipelineInput,
  options: PipelineOptions,
  { chunks, contract }: Extracted,
) {
  if (chunks.length > 1 || contract === 'dense' || contract === 'pictures') return chunks;
  const chunkOptions = { maxTokens: options.chunk_max_tokens, countTokens };
  return options.profile === 'peer' && typeof source !== 'string'
    ? createPeerChunks(source, chunkOptions)
    : chunksOf(source, chunkOptions);
}

function buildLedgerOptions(input: PipelineInput, options: PipelineOptions) {
  const { source, sourceName, template, convertedAt } = input;
  const getContent = () => (typeof source === 'string' ? source : documentToJson(source));
  const documentId = input.documentId ?? contentHash(getContent());
  const level = options.provenance === 'detailed' ? ('detailed' as const) : ('standard' as const);
  const pageCount = typeof source === 'string' ? undefined : Object.keys(source.pages).length || undefined;
  const inputType = typeof source === 'string' ? 'document' : 'docling_document';
  const isBoundOnly = options.profile === 'peer';
  return { documentId, source: sourceName ?? '', inputType, template, level, pageCount, convertedAt, isBoundOnly };
}
