import type { VisionEndpoint } from '../../page/vision';
import { isRemote, type ModelConfig } from './model-configs';
import type { VisionSettings, VisionTask } from './vision-settings';

/** Reads a member of a model configuration that the schema does not list. */
export function getMember(config: ModelConfig | null, name: string): unknown {
  return (config as Record<string, unknown> | null)?.[name];
}

/** True when a model is available: the one in the request, else the server's own. */
export function hasModel(config: ModelConfig | null, { server }: Pick<VisionSettings, 'server'>): boolean {
  return isRemote(config) || (server !== undefined && mayUseServer(config));
}

/** A configuration without a way to run the model leaves that to the server. */
function mayUseServer(config: ModelConfig | null): boolean {
  const type = config?.engine_options?.engine_type;
  return type === undefined || type === 'auto_inline';
}

/** Default addresses of these kinds of servers, for requests that name none. */
const defaultAddresses: Readonly<Record<string, string>> = {
  api: 'http://localhost:11434/v1/chat/completions',
  api_ollama: 'http://localhost:11434/v1/chat/completions',
  api_lmstudio: 'http://localhost:1234/v1/chat/completions',
  api_openai: 'https://api.openai.com/v1/chat/completions',
};

const defaultTimeoutSeconds = 60;
/** Larger values in a request are lowered to these. */
const maxTimeoutSeconds = 3_600;
const maxConcurrency = 64;

/** The address and parameters for calling the model of a task; undefined when there is no model. */
export function findEndpoint(
  task: VisionTask,
  config: ModelConfig | null,
  { server }: VisionSettings,
): VisionEndpoint | undefined {
  const params = buildParams(config);
  const remote = isRemote(config) ? config?.engine_options : undefined;
  if (!remote) {
    if (!server) return undefined;
    const model = server.findModel(task);
    return {
      url: server.url,
      headers: server.apiKey ? { Authorization: `Bearer ${server.apiKey}` } : {},
      params: { ...(model ? { model } : {}), ...params },
      timeoutMs: server.timeoutMs,
      concurrency: server.concurrency,
      isConfigured: true,
    };
  }
  const { engine_type: type, url, headers, timeout = defaultTimeoutSeconds, concurrency = 1 } = remote;
  return {
    url: url ?? defaultAddresses[type] ?? '',
    headers: headers ?? {},
    params,
    timeoutMs: Math.min(timeout, maxTimeoutSeconds) * 1_000,
    concurrency: Math.min(Math.max(1, concurrency), maxConcurrency),
    isConfigured: false,
  };
}

/** Members of the request body: those of the request, else those of the model specification. */
function buildParams(config: ModelConfig | null): Record<string, unknown> {
  if (!config) return {};
  const spec = config.model_spec ?? {};
  const params = config.engine_options?.params ?? {};
  const model = isRemote(config) ? (spec['default_repo_id'] ?? spec['name']) : undefined;
  const temperature = getMember(config, 'temperature') ?? spec['temperature'];
  const maxTokens = spec['max_new_tokens'];
  const hasLimit = 'max_tokens' in params || 'max_completion_tokens' in params;
  return {
    ...(typeof model === 'string' && model !== '' ? { model } : {}),
    ...(typeof temperature === 'number' ? { temperature } : {}),
    ...(typeof maxTokens === 'number' && !hasLimit ? { max_tokens: maxTokens } : {}),
    ...params,
  };
}
