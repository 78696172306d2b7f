import { type Static, type TObject, Type } from '@sinclair/typebox';
import { escapePointer } from '../flow/alert';
import type { OperatorProblem } from '../flow/operator';

/** Kinds of model hosts, for chats and embeddings, with their aliases. */
export const modelTypes = {
  local_api: {
    aliases: ['ollama', 'openai'],
    text: 'a local or remote server that speaks the OpenAI protocol, or that of the local model host',
  },
  gateway: { aliases: ['litellm'], text: 'a gateway to several vendors that speaks the OpenAI protocol' },
  hosted: { aliases: ['watsonx'], text: "a hosted vendor's own interface" },
} as const satisfies Record<string, { aliases: readonly string[]; text: string }>;
export type ModelType = keyof typeof modelTypes;

/** The type of that name or alias; undefined when there is none. */
export function findModelType(name: string): ModelType | undefined {
  const entries = Object.entries(modelTypes) as [ModelType, { aliases: readonly string[] }][];
  return entries.find(([type, { aliases }]) => type === name || aliases.includes(name))?.[0];
}

/** The members of `provider_config` shared by chats and embeddings: address, credentials and prices of a model host. */
export const modelHostMembers = {
  model_id: Type.Optional(Type.String({ minLength: 1, description: 'The name of the model on its host.' })),
  api_base: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'URL of the host, such as `http://127.0.0.1:8000/v1`. Default: `local_api` the configured LOCALMODEL_HOST, `hosted` the configured HOSTEDMODEL_API_BASE_URL.',
    }),
  ),
  api_key: Type.Optional(
    Type.String({
      secret: true,
      description:
        'Sent as a bearer token; for `hosted` it is exchanged for one. Use a reference such as `${DOCLOOM_SECRET_MODEL_KEY}`.',
    }),
  ),
  protocol: Type.Optional(
    Type.Union([Type.Literal('openai'), Type.Literal('native')], {
      description:
        'The protocol of a `local_api` host: `openai` (`/chat/completions`, `/embeddings`) or `native` (`/api/chat`, `/api/embed`). Default: `native` if `api_base` is absent or has no path, else `openai`.',
    }),
  ),
  container_id: Type.Optional(
    Type.String({ minLength: 1, description: 'Project or space at the hosted vendor; required for `hosted`.' }),
  ),
  container_kind: Type.Optional(
    Type.Union([Type.Literal('project'), Type.Literal('space')], {
      description: 'What container_id refers to. Default: project.',
    }),
  ),
  timeout: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, maximum: 3_600, default: 60, description: 'Timeout of a request in seconds.' }),
  ),
  max_retries: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 20,
      default: 4,
      description: 'Retries of a request that failed because of overload or an outage.',
    }),
  ),
  max_wait: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 3_600,
      default: 60,
      description:
        'Longest delay (Retry-After) in seconds that a request waits before it is retried; for longer delays the run waits, shows this, and retries.',
    }),
  ),
  max_concurrent_requests: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 64, default: 4, description: 'Concurrent requests.' }),
  ),
  requests_per_minute: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, description: 'Maximum requests per minute that a worker sends to the model.' }),
  ),
  tokens_per_minute: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, description: 'Maximum (estimated) tokens per minute that a worker sends.' }),
  ),
  input_price: Type.Optional(
    Type.Number({
      minimum: 0,
      description: 'Price of a million input tokens; with it, the report includes the cost.',
    }),
  ),
  output_price: Type.Optional(Type.Number({ minimum: 0, description: 'Price of a million output tokens.' })),
};

/** The settings of a chat model. Unknown members are ignored. */
export const ChatProviderConfig = Type.Object(
  {
    ...modelHostMembers,
    temperature: Type.Optional(
      Type.Number({ minimum: 0, maximum: 2, default: 0, description: 'Sampling temperature.' }),
    ),
    max_tokens: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, default: 4_096, description: 'Maximum tokens of an answer.' }),
    ),
    stream: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Stream the answer; `timeout` then applies between its pieces.',
      }),
    ),
    structured_output: Type.Optional(
      Type.Union([Type.Literal('schema'), Type.Literal('prompt')], {
        description:
          'How the structure of an answer is requested: by JSON Schema, or in the prompt. Default: by schema, and in the prompt once the host has refused that.',
      }),
    ),
  },
  { additionalProperties: true },
);
export type ChatProviderConfig = Static<typeof ChatProviderConfig>;

/** The model to call: `type` (or `provider`) and its `provider_config`, with secrets resolved. */
export interface ModelSettings {
  type?: unknown;
  provider?: unknown;
  provider_config?: unknown;
}

/** Usage of models: requests, tokens and cost. Added up for the report of a run. */
export interface ModelUsage {
  requests: number;
  inputTokens: number;
  outputTokens: number;
  /** In the currency of the configured prices; 0 without prices. */
  cost: number;
  /** Number of answers served from the cache. */
  fromCache: number;
}

/** A zero usage to add to. */
export function createEmptyUsage(): ModelUsage {
  return { requests: 0, inputTokens: 0, outputTokens: 0, cost: 0, fromCache: 0 };
}

/** Adds `more` to `total`, in place. */
export function addUsage(total: ModelUsage, more: ModelUsage): void {
  total.requests += more.requests;
  total.inputTokens += more.inputTokens;
  total.outputTokens += more.outputTokens;
  total.cost += more.cost;
  total.fromCache += more.fromCache;
}

/** The usage as metrics for an operator's report, without zero values. */
export function getUsageMetrics(usage: ModelUsage): Record<string, number> {
  const all = {
    model_requests: usage.requests,
    model_input_tokens: usage.inputTokens,
    model_output_tokens: usage.outputTokens,
    model_cost: Math.round(usage.cost * 1e9) / 1e9,
    model_answers_from_cache: usage.fromCache,
  };
  return Object.fromEntries(Object.entries(all).filter(([, count]) => count > 0));
}

/** The total usage of all operators of a run, computed from the metrics in their reports. */
export function sumUsage(operators: readonly { metrics: Record<string, number> }[]): ModelUsage {
  const total = createEmptyUsage();
  for (const { metrics } of operators)
    addUsage(total, {
      requests: metrics['model_requests'] ?? 0,
      inputTokens: metrics['model_input_tokens'] ?? 0,
      outputTokens: metrics['model_output_tokens'] ?? 0,
      cost: metrics['model_cost'] ?? 0,
      fromCache: metrics['model_answers_from_cache'] ?? 0,
    });
  return total;
}

/** One warning per unknown member of a `provider_config`. */
export function findUnknownMembers(schema: TObject, value: unknown, pointer: string): OperatorProblem[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const knownNames = Object.keys(schema.properties);
  return Object.keys(value)
    .filter((name) => !knownNames.includes(name))
    .map((name) => ({
      severity: 'warning',
      messageCode: 'UNKNOWN_CONFIGURATION_KEY',
      message: `'${name}' is not a setting of ${pointer.slice(1)} and is ignored; its settings are: ${knownNames.join(', ')}.`,
      pointer: `${pointer}/${escapePointer(name)}`,
    }));
}
