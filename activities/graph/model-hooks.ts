import { listConnectionNames, findUsableConnection } from '../../model/connection/connection';
import { ChatProviderConfig, type ModelUsage } from '../../model/llm/model-host';
import type { VisionEndpoint } from '../../model/page/vision';
import { trimSlashes } from '../../model/trim-slashes';
import { writeCheckpoint } from '../../operators/graph/checkpoints';
import { readModelSettings } from '../../operators/graph/schema';
import type { GraphHooks } from '../../services/graph/builder';
import type { GraphRecord } from '../../services/graph/store';
import type { ChatRequest } from '../../services/llm/ports';
import { resolveSecrets } from '../../services/run/secrets';
import { findDefaultHost } from '../model-fallback';
import type { GraphDeps } from './deps';

/** The options that the thread of a graph receives. */
export function omitModelId({ options: { model_id: _shown, ...options } }: GraphRecord) {
  return options;
}

/** The calls that a graph thread makes: to the model that the graph names, and to the files that store finished work. */
export async function createModelHooks(
  deps: Pick<GraphDeps, 'files' | 'llm' | 'vision' | 'env' | 'connections' | 'localModelHost'>,
  graph: GraphRecord,
  building: {
    signal: AbortSignal;
    /** Prefix of the keys of finished work. */
    work: string;
    onDone?: () => Promise<void>;
    onUsage?: (usage: ModelUsage) => void;
  },
): Promise<GraphHooks> {
  const { files, llm, vision } = deps;
  const { signal, work, onDone, onUsage } = building;
  const input = graph.provider_config === undefined ? {} : (JSON.parse(graph.provider_config) as ChatProviderConfig);
  const owner = { username: graph.owner, groups: graph.owner_groups ?? [] };
  const names = listConnectionNames(input);
  const opened = names.length === 0 ? [] : ((await deps.connections?.open(names, [owner])) ?? []);
  const provider_config = resolveSecrets(input, deps.env, {
    schema: ChatProviderConfig,
    fallback: [findDefaultHost(graph.options.type, deps.env)],
    types: ['model'],
    findConnection: (name) => findUsableConnection(opened, name, [owner]),
  });
  const settings = readModelSettings({ type: graph.options.type, provider_config });
  return {
    ask: (question, over) => llm.chat(question as ChatRequest, settings, AbortSignal.any([signal, over]), onUsage),
    see: (question, over) =>
      vision.ask(createVisionEndpoint(provider_config, deps.localModelHost), question, AbortSignal.any([signal, over])),
    async done({ key, text }) {
      await writeCheckpoint(files, work, key, text);
      await onDone?.();
    },
  };
}

const visionTimeoutSeconds = 300;

/** Endpoint of a vision model, over the OpenAI protocol of a local host. */
function createVisionEndpoint(config: ChatProviderConfig, localHost: string): VisionEndpoint {
  const { model_id, api_base, api_key, timeout = visionTimeoutSeconds } = config;
  const base = trimSlashes(api_base ?? `${trimSlashes(localHost)}/v1`);
  return {
    url: `${base}/chat/completions`,
    headers: api_key === undefined ? {} : { authorization: `Bearer ${api_key}` },
    params: { model: model_id, temperature: config.temperature ?? 0, max_tokens: config.max_tokens ?? 4_096 },
    timeoutMs: timeout * 1_000,
    concurrency: config.max_concurrent_requests ?? 1,
    isConfigured: api_base === undefined,
  };
}
