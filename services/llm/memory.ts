import { AppError } from '../../model/errors';
import { createFairSlots, type FairSlots } from '../pacing/fair-slots';
import { createRateLimit, type RateLimit } from '../pacing/rate-limit';
import type { ModelHost } from './host';

/** Limits memory use, because flows can name any number of hosts and models. */
const maxRemembered = 1_000;
const gatewayPrefix = 'openai/';

/** A set of keys that is cleared when it is full. */
export function createMemory(): { has(key: string): boolean; add(key: string): void } {
  const keys = new Set<string>();
  return {
    has: (key) => keys.has(key),
    add(key) {
      if (keys.size >= maxRemembered) keys.clear();
      keys.add(key);
    },
  };
}

/**
 * Waits until a request with this many tokens may start, according to the limits in the host's settings: concurrent requests, and
 * requests and tokens per minute, per process. Resolves to a function that ends the request's slot.
 */
export function createModelLimits(): (host: ModelHost, tokens: number, signal: AbortSignal) => Promise<() => void> {
  const rates = new Map<string, RateLimit>();
  const slots = new Map<string, FairSlots>();
  return async (host, tokens, signal) => {
    const place = [host.base.href, host.modelId];
    const hostSlots = getOrCreate(slots, [...place, host.maxConcurrent], () => createFairSlots(host.maxConcurrent));
    const release = await hostSlots.take('', signal);
    try {
      const { requests, tokens: maxTokens } = host.limits;
      if (requests !== undefined)
        await getOrCreate(rates, [...place, 'requests', requests], () => createRateLimit(requests)).take(1, signal);
      if (maxTokens !== undefined)
        await getOrCreate(rates, [...place, 'tokens', maxTokens], () => createRateLimit(maxTokens)).take(
          tokens,
          signal,
        );
      return release;
    } catch (error) {
      release();
      throw error;
    }
  };
}

function getOrCreate<Value>(values: Map<string, Value>, names: readonly unknown[], create: () => Value): Value {
  const key = JSON.stringify(names);
  const value = values.get(key) ?? create();
  if (values.size >= maxRemembered && !values.has(key)) values.clear();
  values.set(key, value);
  return value;
}

/**
 * Calls the host with the model name that it knows. The prefix `openai/` is meant for gateways: a host that does not know the
 * prefixed name is called without the prefix, and from then on at once.
 */
export function createModelNames(): <T>(host: ModelHost, work: (host: ModelHost) => Promise<T>) => Promise<T> {
  const shortNames = createMemory();
  return async (host, work) => {
    if (host.type !== 'gateway' || !host.modelId.startsWith(gatewayPrefix)) return await work(host);
    const key = JSON.stringify([host.base.href, host.modelId]);
    const short = { ...host, modelId: host.modelId.slice(gatewayPrefix.length) };
    if (shortNames.has(key)) return await work(short);
    try {
      return await work(host);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'HOSTEDMODEL_MODEL_NOT_FOUND') throw error;
      const answer = await work(short);
      shortNames.add(key);
      return answer;
    }
  };
}
