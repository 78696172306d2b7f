import type { Config } from '../../model/config';
import { AppError } from '../../model/errors';
import type { ModelSettings, ModelUsage } from '../../model/llm/model-host';
import { type NetworkConfig, buildNetworkRules } from '../../model/network-rules';
import { type AddressGuard, createAddressGuard, formatHostAndPort } from '../net/address-guard';
import { createGuardedFetch } from '../net/guarded-fetch';
import { withAttempts } from './attempts';
import { embedBatches } from './embed';
import { type ModelHost, buildModelHost } from './host';
import { createHostedProtocol } from './hosted';
import { createMemory, createModelLimits, createModelNames } from './memory';
import { createNativeProtocol } from './native';
import { createOpenAiProtocol } from './openai';
import type { ChatRequest, Llm } from './ports';
import type { ChatReply, ModelProtocol } from './protocol';
import { askForJson, addSchemaText } from './structured';
import { estimateTokens } from './tokens';
import { traceProtocol } from './traced-protocol';

/** The server settings that models need. */
export type LlmConfig = NetworkConfig &
  Pick<Config, 'LOCALMODEL_HOST'> &
  Partial<Pick<Config, 'HOSTEDMODEL_API_BASE_URL' | 'DOCLOOM_HOSTEDMODEL_TOKEN_URL'>>;

const maxAnswerBytes = 256 * 1024 * 1024;

/**
 * Chats and embeddings for every type of host. Hosts named in flows pass the address guard; hosts of the server's settings may be
 * private. Rate limits apply per model and instance, so a process has one.
 */
export function createLlm(
  config: LlmConfig,
  guard = createAddressGuard(buildNetworkRules(config)),
): Llm & { close(): void } {
  return new HostedLlm(config, guard);
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
    const maxTokens = request.maxTokens ?? options.max_tokens ?? 4_096;
    const stream = request.onText ?? (options.stream ? () => undefined : undefined);
    const ask = async (messages: ChatRequest['messages'], byHost: boolean): Promise<ChatReply> => {
      const { schema } = request;
      const sent = schema && !byHost ? addSchemaText(messages, schema) : messages;
      const estimate = sent.reduce((sum, { content }) => sum + estimateTokens(content), 0);
      const buildAttempts = (modelHost: ModelHost) => ({
        host: modelHost,
        purpose: 'chat' as const,
        signal,
        takeTurn: () => this.limit(host, estimate + maxTokens, signal),
        work: (ended: AbortSignal, noteAlive: () => void) =>
          this.chooseProtocol(modelHost).chat({
            host: modelHost,
            messages: sent,
            ...(schema && byHost ? { schema: { name: schema.name, schema: schema.schema } } : {}),
            temperature: request.temperature ?? options.temperature ?? 0,
            maxTokens,
            ...(stream ? { onText: stream } : {}),
            signal: ended,
            noteAlive,
          }),
      });
      const reply = await this.byKnownName(host, (modelHost) => withAttempts(buildAttempts(modelHost)));
      onUsage?.(buildUsage(host, reply, { input: estimate, output: estimateTokens(reply.text) }));
      return reply;
    };
    const { schema } = request;
    if (!schema) return await ask(request.messages, false);
    const askShaped = async (messages: ChatRequest['messages']): Promise<ChatReply> => {
      if (options.structured_output === 'prompt' || this.withoutSchemas.has(key)) return await ask(messages, false);
      try {
        return await ask(messages, true);
      } catch (error) {
        const isRefused = error instanceof AppError && error.code === 'MODEL_REQUEST_REFUSED';
        if (!isRefused || options.structured_output === 'schema') throw error;
        // Many servers do not support schemas. If the rejection had another reason, the same error occurs again.
        const reply = await ask(messages, false);
        this.withoutSchemas.add(key);
        return reply;
      }
    };
    if (request.isUnchecked) return await askShaped(request.messages);
    return await askForJson({ ...request, schema }, askShaped);
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
        const estimate = part.reduce((sum, text) => sum + estimateTokens(text), 0);
        const buildAttempts = (modelHost: ModelHost) => ({
          host: modelHost,
          purpose: 'embed' as const,
          signal: ended,
          takeTurn: () => this.limit(host, estimate, ended),
          work: (attempt: AbortSignal) => {
            const request = { host: modelHost, texts: part, signal: attempt };
            return this.chooseProtocol(modelHost).embed(
              dimensions === undefined ? request : { ...request, dimensions },
            );
          },
        });
        const reply = await this.byKnownName(host, (modelHost) => withAttempts(buildAttempts(modelHost)));
        onUsage?.(buildUsage(host, reply, { input: estimate, output: 0 }));
        return reply.vectors;
      },
      onBatch,
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
