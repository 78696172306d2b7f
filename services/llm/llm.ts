import type { Config } from '../../model/config';
import { AppError } from '../../model/errors';
import type { ModelSettings, ModelUsage } from '../../model/llm/model-host';
import { type NetworkConfig, buildNetworkRules } from '../../model/network-rules';
import { type AddressGuard, createAddressGuard, formatHostAndPort } from '../net/address-guard';
import { createGuardedFetch } from '../net/guarded-fetch';
import { type Purpose, withAttempts } from './attempts';
import { embedBatches } from './embed';
import { type ModelHost, buildModelHost } from './host';
import { createHostedProtocol } from './hosted';
import { createMemory, createModelLimits, createModelNames } from './memory';
import { createNativeProtocol } from './native';
import { createOpenAiProtocol } from './openai';
import type { ChatRequest, Llm, Reranking } from './ports';
import type { ChatReply, ModelProtocol } from './protocol';
import { requestScores } from './rerank';
import { askForJson, addSchemaText } from './structured';
import { estimateTokens } from './tokens';
import { traceProtocol } from './traced-protocol';

/** The server settings that models need. */
export type LlmConfig = NetworkConfig &
  Pick<Config, 'LOCALMODEL_HOST'> &
  Partial<Pick<Config, 'HOSTEDMODEL_API_BASE_URL' | 'DOCLOOM_HOSTEDMODEL_TOKEN_URL'>>;

const maxAnswerBytes = 256 * 1024 * 1024;
/** Of an answer, if neither the request nor the settings limit it. */
const defaultMaxTokens = 4_096;

/**
 * Chats and embeddings for every type of host. Hosts named in flows pass the address guard; hosts of the server's settings may be
 * private. Rate limits apply per model and instance, so a process has one.
 */
export function createLlm(
  config: LlmConfig,
  guard = createAddressGuard(buildNetworkRules(config)),
): Llm & Reranking & { close(): void } {
  return new HostedLlm(config, guard);
}

/** One attempt of a request. */
interface HostCall {
  protocol: ModelProtocol;
  host: ModelHost;
  signal: AbortSignal;
  noteAlive: () => void;
}

class HostedLlm {
  private readonly named;
  private readonly configured;
  private readonly protocols;
  private readonly limit = createModelLimits();
  private readonly byKnownName = createModelNames();
  /** Models whose hosts rejected a schema; the schema is part of their prompt. */
  private readonly withoutSchemas = createMemory();

  constructor(
    private readonly config: LlmConfig,
    guard: AddressGuard,
  ) {
    const addresses = [config.LOCALMODEL_HOST, config.HOSTEDMODEL_API_BASE_URL, config.DOCLOOM_HOSTEDMODEL_TOKEN_URL];
    const ownHosts = addresses.flatMap((address) =>
      address && URL.canParse(address) ? [formatHostAndPort(new URL(address))] : [],
    );
    this.named = createGuardedFetch(guard, maxAnswerBytes);
    this.configured = createGuardedFetch(createAddressGuard(ownHosts), maxAnswerBytes);
    this.protocols = {
      named: this.createProtocols(this.named.fetch),
      configured: this.createProtocols(this.configured.fetch),
    };
  }

  async chat(
    request: ChatRequest,
    settings: ModelSettings,
    signal: AbortSignal,
    onUsage?: (usage: ModelUsage) => void,
  ) {
    const { host, options } = buildModelHost(settings, this.config);
    const key = JSON.stringify([host.base.href, host.modelId]);
    const maxTokens = request.maxTokens ?? options.max_tokens ?? defaultMaxTokens;
    const stream = request.onText ?? (options.stream ? () => undefined : undefined);
    const { schema } = request;
    const send = async (messages: ChatRequest['messages'], enforced?: ChatRequest['schema']): Promise<ChatReply> => {
      const input = messages.reduce((sum, { content }) => sum + estimateTokens(content), 0);
      const reply = await this.sendToHost(host, { purpose: 'chat', tokens: input + maxTokens, signal }, (call) =>
        call.protocol.chat({
          host: call.host,
          messages,
          ...(enforced ? { schema: { name: enforced.name, schema: enforced.schema } } : {}),
          temperature: request.temperature ?? options.temperature ?? 0,
          maxTokens,
          ...(stream ? { onText: stream } : {}),
          signal: call.signal,
          noteAlive: call.noteAlive,
        }),
      );
      onUsage?.(buildUsage(host, reply, { input, output: estimateTokens(reply.text) }));
      return reply;
    };
    if (!schema) return await send(request.messages);
    const sendWithSchema = async (messages: ChatRequest['messages']): Promise<ChatReply> => {
      const sendAsText = () => send(addSchemaText(messages, schema));
      if (options.structured_output === 'prompt' || this.withoutSchemas.has(key)) return await sendAsText();
      try {
        return await send(messages, schema);
      } catch (error) {
        const isRefused = error instanceof AppError && error.code === 'MODEL_REQUEST_REFUSED';
        if (!isRefused || options.structured_output === 'schema') throw error;
        // Many servers do not support schemas. If the rejection had another reason, the same error occurs again.
        const reply = await sendAsText();
        this.withoutSchemas.add(key);
        return reply;
      }
    };
    if (request.isUnchecked) return await sendWithSchema(request.messages);
    return await askForJson({ ...request, schema }, sendWithSchema);
  }

  async embed(
    texts: readonly string[],
    settings: ModelSettings,
    {
      signal,
      dimensions,
      batch = {},
      onBatch,
      onUsage,
    }: {
      signal: AbortSignal;
      dimensions?: number;
      batch?: { maxTexts?: number; maxTokens?: number };
      onBatch: (from: number, vectors: number[][]) => Promise<void> | void;
      onUsage?: ((usage: ModelUsage) => void) | undefined;
    },
  ) {
    const { host } = buildModelHost(settings, this.config);
    await embedBatches(texts, {
      host,
      ...batch,
      signal,
      request: async (part, ended) => {
        const input = part.reduce((sum, text) => sum + estimateTokens(text), 0);
        const reply = await this.sendToHost(host, { purpose: 'embed', tokens: input, signal: ended }, (call) =>
          call.protocol.embed({
            host: call.host,
            texts: part,
            ...(dimensions === undefined ? {} : { dimensions }),
            signal: call.signal,
          }),
        );
        onUsage?.(buildUsage(host, reply, { input, output: 0 }));
        return reply.vectors;
      },
      onBatch,
    });
  }

  async rerank(
    { query, texts }: Parameters<Reranking['rerank']>[0],
    settings: ModelSettings,
    signal: AbortSignal,
    onUsage?: (usage: ModelUsage) => void,
  ) {
    const { host } = buildModelHost(settings, this.config);
    const input = texts.reduce((sum, text) => sum + estimateTokens(query) + estimateTokens(text), 0);
    const { fetch } = host.isConfigured ? this.configured : this.named;
    const reply = await this.sendToHost(host, { purpose: 'embed', tokens: input, signal }, (call) =>
      requestScores(fetch, { host: call.host, query, texts, signal: call.signal }),
    );
    onUsage?.(buildUsage(host, reply, { input, output: 0 }));
    return reply.scores;
  }

  /** Sends a request within the limits of the host, with retries, and under the model name that the host knows. */
  private sendToHost<Reply>(
    host: ModelHost,
    { purpose, tokens, signal }: { purpose: Purpose; tokens: number; signal: AbortSignal },
    request: (call: HostCall) => Promise<Reply>,
  ): Promise<Reply> {
    return this.byKnownName(host, (namedHost) => {
      const protocol = this.chooseProtocol(namedHost);
      return withAttempts({
        host: namedHost,
        purpose,
        signal,
        takeTurn: () => this.limit(host, tokens, signal),
        work: (ended, noteAlive) => request({ protocol, host: namedHost, signal: ended, noteAlive }),
      });
    });
  }

  close() {
    this.named.close();
    this.configured.close();
  }

  private createProtocols(fetch: typeof globalThis.fetch): Record<ModelHost['protocol'], ModelProtocol> {
    const tokens = { url: this.config.DOCLOOM_HOSTEDMODEL_TOKEN_URL ?? '', fetch: this.configured.fetch };
    return {
      openai: traceProtocol(createOpenAiProtocol(fetch)),
      native: traceProtocol(createNativeProtocol(fetch)),
      hosted: traceProtocol(createHostedProtocol(fetch, tokens)),
    };
  }

  private chooseProtocol(host: ModelHost) {
    return this.protocols[host.isConfigured ? 'configured' : 'named'][host.protocol];
  }
}

/** Token usage of a reply, estimated when the host does not report it. */
function buildUsage(
  { prices }: ModelHost,
  reply: { inputTokens?: number; outputTokens?: number },
  estimate: { input: number; output: number },
): ModelUsage {
  const inputTokens = reply.inputTokens ?? estimate.input;
  const outputTokens = reply.outputTokens ?? estimate.output;
  const cost = (inputTokens * prices.input + outputTokens * prices.output) / 1_000_000;
  return { requests: 1, inputTokens, outputTokens, cost, fromCache: 0 };
}
