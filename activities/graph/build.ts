import { createReadStream } from 'node:fs';
import path from 'node:path';
import { connectionNames, usableConnection } from '../../model/connection/connection';
import { AppError, errorCatalogue } from '../../model/errors';
import { type GraphOutcome, isFinalGraph } from '../../model/graph/graph-build';
import { ChatProviderConfig } from '../../model/llm/model-host';
import type { VisionEndpoint } from '../../model/page/vision';
import { writeCheckpoint, readCheckpoints } from '../../operators/graph/checkpoints';
import { modelSettings } from '../../operators/graph/schema';
import type { GraphBuilder, GraphHooks, ThreadFailure } from '../../services/graph/builder';
import { graphFileKey, graphInput, tidyGraph } from '../../services/graph/files';
import type { GraphRecord, GraphStore } from '../../services/graph/store';
import type { ChatRequest, Llm } from '../../services/llm/ports';
import type { FilesStore } from '../../services/storage/files';
import { modelFallback } from '../model-fallback';
import type { ConnectionsStore } from '../../services/connection/store';
import { resolveSecrets } from '../../services/run/secrets';
import { withTemporaryFolder } from '../../services/storage/temporary-folder';
import type { Vision } from '../../services/llm/vision';
import { runActivityWork, type Pulse } from '../conduct';
import type { GraphActivities } from '../../model/graph/activities';

/** Dependencies of the activities of graphs. */
export interface GraphDeps {
  store: GraphStore;
  files: FilesStore;
  llm: Pick<Llm, 'chat'>;
  vision: Pick<Vision, 'ask'>;
  /** Host of the vision models when a request names no address. */
  localModelHost: string;
  builder: GraphBuilder;
  /** The environment of the worker. Secret references are resolved only here. */
  env: Record<string, string | undefined>;
  /** Opens the secrets that requests name as `${connection:NAME}`. */
  connections?: Pick<ConnectionsStore, 'open'>;
}

/** How often a running build checks for cancellation. It polls the record because Temporal may be down at that time. */
const askEveryMs = 500;

/** The activities of graphs. */
export function createGraphActivities(deps: GraphDeps): GraphActivities {
  return {
    build_graph: ({ graphId }) => runActivityWork((signal, pulse) => build(deps, graphId, signal, pulse)),
    finish_graph: ({ graphId, outcome }) => runActivityWork(() => finish(deps, graphId, outcome)),
  };
}

async function build(deps: GraphDeps, id: string, given: AbortSignal, pulse: Pulse): Promise<GraphOutcome> {
  const graph = await deps.store.begin(id);
  if (!graph || isFinalGraph(graph.state)) return { state: 'CANCELED' };
  const cancelled = watchCancel(deps.store, id);
  const signal = AbortSignal.any([given, cancelled.signal]);
  try {
    return await withTemporaryFolder((folder) => buildIn(folder, deps, { graph, signal, pulse }));
  } catch (error) {
    given.throwIfAborted();
    if (cancelled.signal.aborted) return { state: 'CANCELED' };
    throw error;
  } finally {
    cancelled.stop();
  }
}

interface Build {
  graph: GraphRecord;
  signal: AbortSignal;
  pulse: Pulse;
}

async function buildIn(folder: string, deps: GraphDeps, { graph, signal, pulse }: Build): Promise<GraphOutcome> {
  const { files, builder } = deps;
  const input = graphInput(graph.id);
  const finished = await readCheckpoints(files, input.work);
  const hooks = await hooksOf(deps, graph, { pulse, signal, done: finished.size });
  const task = {
    source: await files.get(input.source),
    sourceType: graph.source_type,
    sourceName: graph.source.name,
    template: Buffer.from(await files.get(input.template)).toString(),
    options: optionsOf(graph),
    createdAt: graph.created_at,
    finished,
    folder,
  };
  const answer = await builder.build(task, hooks, signal).catch(ended);
  if ('failure' in answer) return failed(answer.failure);
  for (const { name } of answer.facts.files) {
    signal.throwIfAborted();
    await files.put(graphFileKey(graph.id, name), createReadStream(path.join(folder, name)));
  }
  return { state: 'COMPLETED', facts: answer.facts };
}

function optionsOf({ options: { model_id: _shown, ...options } }: GraphRecord) {
  return options;
}

async function hooksOf(
  deps: GraphDeps,
  graph: GraphRecord,
  { pulse, signal, done }: { pulse: Pulse; signal: AbortSignal; done: number },
): Promise<GraphHooks> {
  const { store, files, llm, vision } = deps;
  const { work } = graphInput(graph.id);
  const given = graph.provider_config === undefined ? {} : (JSON.parse(graph.provider_config) as ChatProviderConfig);
  const owner = { username: graph.owner, groups: graph.owner_groups ?? [] };
  const names = connectionNames(given);
  const opened = names.length === 0 ? [] : ((await deps.connections?.open(names, [owner])) ?? []);
  const provider_config = resolveSecrets(given, deps.env, {
    schema: ChatProviderConfig,
    fallback: [modelFallback(graph.options.type, deps.env)],
    types: ['model'],
    connection: (name) => usableConnection(opened, name, [owner]),
  });
  const settings = modelSettings({ type: graph.options.type, provider_config });
  return {
    ask: (question, over) => llm.chat(question as ChatRequest, settings, AbortSignal.any([signal, over])),
    see: (question, over) =>
      vision.ask(seeing(provider_config, deps.localModelHost), question, AbortSignal.any([signal, over])),
    async done({ key, text }) {
      await writeCheckpoint(files, work, key, text);
      done += 1;
      pulse.done = done;
      await store.noteChunks(graph.id, done);
    },
  };
}

const visionTimeoutSeconds = 300;

/** Endpoint of a vision model, over the OpenAI protocol of a local host. */
function seeing(config: ChatProviderConfig, localHost: string): VisionEndpoint {
  const { model_id, api_base, api_key, timeout = visionTimeoutSeconds } = config;
  const base = (api_base ?? `${localHost.replace(/\/+$/, '')}/v1`).replace(/\/+$/, '');
  return {
    url: `${base}/chat/completions`,
    headers: api_key === undefined ? {} : { authorization: `Bearer ${api_key}` },
    params: { model: model_id, temperature: config.temperature ?? 0, max_tokens: config.max_tokens ?? 4_096 },
    timeoutMs: timeout * 1_000,
    concurrency: config.max_concurrent_requests ?? 1,
    isConfigured: api_base === undefined,
  };
}

/** Turns an error of the build into a failure that can be reported; rethrows errors without a code. */
function ended(error: unknown): { failure: ThreadFailure } {
  if (!(error instanceof AppError)) throw error;
  return { failure: { code: error.code, message: error.message } };
}

/** Returns a failure as the outcome when a retry would meet it again. Throws every other failure, which is then retried. */
function failed({ code, message, isFinal, retryAfterMs }: ThreadFailure): GraphOutcome {
  if (isFinal || errorCatalogue[code].retry === 'never') return { state: 'FAILED', code, message };
  throw new AppError(code, message, retryAfterMs === undefined ? {} : { retryAfterMs });
}

async function finish(
  { store, files }: Pick<GraphDeps, 'store' | 'files'>,
  id: string,
  outcome: GraphOutcome,
): Promise<void> {
  const { graph } = await store.end(id, endOf(outcome));
  await tidyGraph(files, id, graph?.state);
}

function endOf(outcome: GraphOutcome) {
  if (outcome.state === 'COMPLETED') return { state: outcome.state, facts: outcome.facts };
  if (outcome.state === 'CANCELED') return { state: outcome.state };
  return { state: outcome.state, error: { code: outcome.code, message: outcome.message } };
}

/** Aborts when the record is final or deleted. */
function watchCancel(store: Pick<GraphStore, 'get'>, id: string): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const ask = async () => {
    const graph = await store.get(id);
    if (!graph || isFinalGraph(graph.state)) controller.abort(new Error('The graph was cancelled.'));
  };
  const later = () => {
    timer = setTimeout(() => {
      // Errors are ignored: the next poll tries again.
      void ask()
        .catch(() => undefined)
        .then(() => {
          if (timer && !controller.signal.aborted) later();
        });
    }, askEveryMs).unref();
  };
  later();
  return {
    signal: controller.signal,
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
