import { AppError } from '../../model/errors';
import { createFairSlots, type FairSlots } from '../pacing/fair-slots';
import type { ModelHost } from './host';
import { createRateLimit, type RateLimit } from '../pacing/rate-limit';

/** Flows name hosts and models as they like; what is remembered of them must not grow for ever. */
const mostRemembered = 1_000;
const gatewayPrefix = 'openai/';

/** A set that forgets everything when it is full. */
export function createMemory(): { has(key: string): boolean; add(key: string): void } {
  const known = new Set<string>();
  return {
    has: (key) => known.has(key),
    add(key) {
      if (known.size >= mostRemembered) known.clear();
      known.add(key);
    },
  };
}

/**
 * Waits for the turn of a request of so many tokens, by the limits that its host's settings name: requests at a time, requests and
 * tokens in a minute, of the whole process. Gives what ends the turn.
 */
export function createModelLimits(): (host: ModelHost, tokens: number, signal: AbortSignal) => Promise<() => void> {
  const rates = new Map<string, RateLimit>();
  const slots = new Map<string, FairSlots>();
  return async (host, tokens, signal) => {
    const place = [host.base.href, host.modelId];
    const own = known(slots, [...place, host.maxConcurrent], () => createFairSlots(host.maxConcurrent));
    const release = await own.take('', signal);
    try {
      const { requests, tokens: most } = host.limits;
      if (requests !== undefined)
        await known(rates, [...place, 'requests', requests], () => createRateLimit(requests)).take(1, signal);
      if (most !== undefined)
        await known(rates, [...place, 'tokens', most], () => createRateLimit(most)).take(tokens, signal);
      return release;
    } catch (error) {
      release();
      throw error;
    }
  };
}

function known<Value>(values: Map<string, Value>, names: readonly unknown[], make: () => Value): Value {
  const key = JSON.stringify(names);
  const value = values.get(key) ?? make();
  if (values.size >= mostRemembered && !values.has(key)) values.clear();
  values.set(key, value);
  return value;
}

/**
 * Does the work with the name that the host knows its model by: `openai/` before a name is for a gateway only, and a host behind
 * the same address that does not know it is asked without; from then on at once.
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
