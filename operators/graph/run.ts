import { setImmediate } from 'node:timers/promises';
import {
  chatModel,
  ConfigurationError,
  ExtractionError,
  exportTexts,
  type GraphTemplate,
  jsonText,
  type LanguageModel,
  type PipelineContext,
  runPipeline,
  ValueError,
  textFormats,
} from '../../graph';
import { toGraphFailure } from '../../graph/failure';
import { getTemplate } from '../../graph/request';
import { countNouns } from '../../model/count-nouns';
import { AppError, errorCatalogue } from '../../model/errors';
import type { Row, RowFailure } from '../../model/flow/row';
import { addUsage, type ModelUsage, createEmptyUsage, getUsageMetrics } from '../../model/llm/model-host';
import type { OperatorContext, OperatorResult } from '../operator';
import { mapConcurrently } from '../rows/parallel';
import { readSource } from '../rows/row-source';
import { openCheckpoints, buildCheckpointPrefix } from './checkpoints';
import { defaults, type GraphConfig, readModelSettings } from './schema';

type Context = OperatorContext<'files' | 'llm'>;
type Outcome = { row: Row; problems: number } | { failed: RowFailure };

/**
 * Adds a graph to each row. Graphs are written under keys of job, document and operator, so that a second attempt overwrites the
 * first. A document that matches nothing in the template continues without a graph; a warning counts those.
 */
export async function run(rows: readonly Row[], config: GraphConfig, context: Context): Promise<OperatorResult> {
  // The end of the run builds the graph of all documents.
  if (config.graph_name !== undefined) return { rows: [...rows] };
  const template = parseTemplate(config, context.operator);
  const usage = createEmptyUsage();
  const maxConcurrent = config.backend === 'llm' ? (config.provider_config?.max_concurrent_requests ?? 4) : 1;
  const outcomes = await mapConcurrently(rows, maxConcurrent, context, (row, signal) =>
    // Rules never wait, so without this no cancellation would be noticed before the last row.
    setImmediate().then(() => readGraph(row, { config, template, usage, context: { ...context, signal } })),
  );
  const done = outcomes.flatMap((outcome) => ('row' in outcome ? [outcome] : []));
  const emptyCount = done.filter(({ row }) => row['graph_ref'] === null).length;
  const sum = (pick: (item: (typeof done)[number]) => unknown) =>
    done.reduce((total, item) => total + Number(pick(item)), 0);
  return {
    rows: done.map(({ row }) => row),
    failed: outcomes.flatMap((outcome) => ('failed' in outcome ? [outcome.failed] : [])),
    warnings:
      emptyCount === 0
        ? []
        : [`${countNouns(emptyCount, 'document')} without anything that the template describes got no graph.`],
    metrics: {
      graphs: done.length - emptyCount,
      graph_nodes: sum(({ row }) => row['graph_nodes']),
      graph_edges: sum(({ row }) => row['graph_edges']),
      graph_problems: sum(({ problems }) => problems),
      ...getUsageMetrics(usage),
    },
  };
}

function parseTemplate({ template }: GraphConfig, operator: string): GraphTemplate {
  try {
    return getTemplate(template);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new AppError('OPERATOR_CONFIGURATION_INVALID', `'${operator}': ${error.message}`, undefined, error);
  }
}

interface Work {
  config: GraphConfig;
  template: GraphTemplate;
  usage: ModelUsage;
  context: Context;
}

async function readGraph(row: Row, work: Work): Promise<Outcome> {
  const { signal } = work.context;
  signal.throwIfAborted();
  try {
    const graph = await extractGraph(row, work);
    if (graph.graph.nodes.size === 0) return omitGraph(row, graph.problems.length);
    const key = `graphs/${work.context.run.jobId}/${row.id}/${work.context.operator}`;
    await writeFiles(graph, key, work);
    const counts = { graph_nodes: graph.graph.nodes.size, graph_edges: graph.graph.edges.size };
    return { row: { ...row, graph_ref: `${key}/graph.json`, ...counts }, problems: graph.problems.length };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ExtractionError && error.details['reason'] === 'no_models_extracted')
      return omitGraph(row, (error.details['problems'] as string[] | undefined)?.length ?? 0);
    const failure = toFailure(error);
    // An unavailable store or model host is not the document's fault.
    if (errorCatalogue[failure.code].scope !== 'document') throw failure;
    return { failed: { id: row.id, name: row.name, code: failure.code, message: failure.message } };
  }
}

/** The outcome of a document in which the template found nothing. */
function omitGraph(row: Row, problems: number): Outcome {
  return { row: { ...row, graph_ref: null, graph_nodes: 0, graph_edges: 0 }, problems };
}

function toFailure(error: unknown): AppError {
  if (error instanceof ValueError) return new AppError('GRAPH_PIPELINE_FAILED', error.message, undefined, error);
  return toGraphFailure(error);
}

async function extractGraph(row: Row, { config, template, usage, context }: Work): Promise<PipelineContext> {
  const isModel = config.backend === 'llm';
  return runPipeline({
    source: await readSource(row, context),
    template,
    options: {
      backend: isModel ? 'llm' : 'rules',
      chunk_max_tokens: config.chunk_max_tokens ?? defaults.chunkMaxTokens,
      extraction_contract: isModel ? (config.extraction_contract ?? defaults.contract) : defaults.contract,
      ...buildLimits(config),
      provenance: config.provenance ?? defaults.provenance,
      reverse_edges: config.reverse_edges ?? false,
    },
    ...(isModel
      ? { model: createModel(config, context, usage), ...(await openDocumentCheckpoints(row, context)) }
      : {}),
    sourceName: row.name,
    convertedAt: context.run.startedAt.slice(0, 19),
    signal: context.signal,
  });
}

/** The limits of the model: context size and answer length. */
function buildLimits({ context_limit, provider_config }: GraphConfig) {
  const { max_tokens } = provider_config ?? {};
  return {
    ...(context_limit === undefined ? {} : { context_limit }),
    ...(max_tokens === undefined ? {} : { max_output_tokens: max_tokens }),
  };
}

/** Work that an earlier attempt of the same run finished for the document. */
function openDocumentCheckpoints(row: Row, { services, run, operator }: Context) {
  return openCheckpoints(services.files, buildCheckpointPrefix(run, operator, row.id));
}

/** Adapts the configured model to the library's interface. The library validates answers itself. */
function createModel(config: GraphConfig, { services, signal: runSignal }: Context, usage: ModelUsage): LanguageModel {
  const settings = readModelSettings(config);
  return chatModel((question, signal = runSignal) =>
    services.llm.chat(question, settings, signal, (used) => addUsage(usage, used)),
  );
}

async function writeFiles(pipelineContext: PipelineContext, folder: string, { config, context }: Work): Promise<void> {
  for (const [name, pieces] of iterateFiles(pipelineContext, config.formats ?? [], context.run.startedAt)) {
    context.signal.throwIfAborted();
    await context.services.files.put(`${folder}/${name}`, new TextEncoder().encode([...pieces].join('')));
  }
}

function* iterateFiles(
  { graph, provenance, extracted_models: models }: PipelineContext,
  formats: readonly string[],
  createdAt: string,
): Generator<[string, Iterable<string>]> {
  const facts = { profile: 'spec', sourceModels: models.length, createdAt } as const;
  for (const format of textFormats)
    if (format === 'json' || formats.includes(format)) yield* exportTexts(format, graph, facts);
  if (provenance) yield ['provenance.json', [jsonText(provenance, { indent: 2, nonFinite: 'null' })]];
}
