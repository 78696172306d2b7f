import { AppError, type ErrorCode } from '../../model/errors';
import { pause } from '../pacing/pause';
import { parseRetryAfterMs } from '../pacing/retry-after';
import { chooseErrorCodes, type ModelHost } from './host';

/** An unsuccessful response of a model host, before it is classified. A class, because it passes through client libraries. */
export class HostRefusal extends Error {
  constructor(
    readonly url: URL,
    readonly status: number,
    readonly headers: Headers,
    readonly text: string,
  ) {
    super(`${url.href} answered ${status}`);
  }
}

/** Kind of request. It determines what an error status means. */
export type Purpose = 'chat' | 'embed';

/** One request. `signal` cancels it; a call of `noteAlive` restarts the timeout because the host is still responding. */
export type Work<T> = (signal: AbortSignal, noteAlive: () => void) => Promise<T>;

/** Options of a request with retries. */
export interface Attempts<T> {
  host: ModelHost;
  purpose: Purpose;
  signal: AbortSignal;
  /**
   * Waits for a rate limit slot before each attempt and returns its release. The waiting time does not count against the timeout.
   */
  takeTurn: () => Promise<() => void>;
  work: Work<T>;
  /** The longest time of an attempt whose host goes on responding, unless its timeout is longer. Default: an hour. */
  longestMs?: number;
}

/** A host that sends a piece from time to time would never end an answer. */
const defaultLongestMs = 3_600_000;

/** Repeats the request until it succeeds, as often as the host's settings allow, and waits between attempts as the host asks. */
export async function withAttempts<T>(attempts: Attempts<T>): Promise<T> {
  const { host, signal, takeTurn } = attempts;
  for (let attempt = 0; ; attempt++) {
    const release = await takeTurn();
    const outcome = await attemptOnce(attempts).finally(release);
    if (!(outcome instanceof Failure)) return outcome;
    const { error, mayRetry } = outcome;
    const waitMs = error.details.retryAfterMs ?? computeBackoffMs(attempt);
    if (!mayRetry || attempt >= host.maxRetries || waitMs > host.maxWaitMs) throw error;
    await pause(waitMs, signal);
  }
}

/** A failed attempt. */
class Failure {
  constructor(
    readonly error: AppError,
    readonly mayRetry: boolean,
  ) {}
}

async function attemptOnce<T>(attempt: Attempts<T>): Promise<T | Failure> {
  const { host, purpose, signal, work } = attempt;
  signal.throwIfAborted();
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), host.timeoutMs);
  const longestMs = Math.max(attempt.longestMs ?? defaultLongestMs, host.timeoutMs);
  const end = new AbortController();
  const endTimer = setTimeout(() => end.abort(), longestMs);
  try {
    return await work(AbortSignal.any([signal, timeout.signal, end.signal]), () => timer.refresh());
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const cause = findRootCause(error);
    if (cause instanceof AppError) return new Failure(cause, false);
    if (timeout.signal.aborted)
      return describeOutage(host, `has not answered within ${host.timeoutMs / 1_000} s`, error);
    if (end.signal.aborted) {
      const { error: late } = describeOutage(host, `did not finish its answer within ${longestMs / 1_000} s`, error);
      return new Failure(late, false);
    }
    if (cause instanceof HostRefusal) return toRefusal(cause, host, purpose);
    if (cause.name === 'SyntaxError') {
      return new Failure(
        new AppError(
          'INVALID_RESPONSE',
          `${host.base.origin} answered 200, but not with JSON: ${cutExcerpt(cause.message)}`,
          {},
          error,
        ),
        false,
      );
    }
    const { message, code, name } = cause as NodeJS.ErrnoException;
    const reason = code && !message.includes(code) ? `${code} ${message}` : message || name;
    return describeOutage(host, `cannot be reached: ${reason}`, error);
  } finally {
    clearTimeout(timer);
    clearTimeout(endTimer);
  }
}

function describeOutage(host: ModelHost, what: string, cause: unknown): Failure {
  const message = `The model host ${host.base.origin} ${what}.`;
  return new Failure(new AppError(chooseErrorCodes(host).away, message, {}, cause), true);
}

/** The innermost cause: libraries wrap the errors of their `fetch`. */
function findRootCause(error: unknown): Error {
  let root = asError(error) ?? new Error(String(error));
  for (let inner = asError(root.cause); inner && !(root instanceof AppError); inner = asError(root.cause)) root = inner;
  // All addresses of a host name failed.
  const { errors } = root as { errors?: unknown };
  return (Array.isArray(errors) && asError(errors[0])) || root;
}

// Checked by shape, because errors of the platform may come from another realm.
function asError(value: unknown): Error | undefined {
  return typeof value === 'object' && value !== null && 'message' in value ? (value as Error) : undefined;
}

/** 500 ms, doubled per attempt up to 10 s, minus up to a quarter at random, so that clients do not retry in lockstep. */
function computeBackoffMs(attempt: number): number {
  return Math.min(10_000, 500 * 2 ** attempt) * (1 - Math.random() / 4);
}

function toRefusal({ url, status, headers, text }: HostRefusal, host: ModelHost, purpose: Purpose): Failure {
  const answer = `${url.href} answered ${status}: ${cutExcerpt(text, host.apiKey)}`;
  const retryAfterMs = parseRetryAfterMs(headers.get('retry-after') ?? undefined);
  const details = retryAfterMs === undefined ? {} : { retryAfterMs };
  const { away: awayCode, missing } = chooseErrorCodes(host);
  const createFailure = (code: ErrorCode, message: string, mayRetry = false) =>
    new Failure(new AppError(code, `${message} ${answer}`, mayRetry ? details : {}), mayRetry);
  switch (status) {
    case 401:
    case 403:
      return createFailure(
        'HOSTEDMODEL_AUTH_FAILED',
        `The model host rejected the credentials (api_key ${host.apiKey ? 'given' : 'not given'}).`,
      );
    case 404:
    case 405:
    case 501:
      return createFailure(
        missing,
        `The model host has no model '${host.modelId}' for ${purpose === 'chat' ? 'chats' : 'embeddings'}, or api_base is wrong.`,
      );
    case 408:
    case 429:
    case 502:
    case 503:
    case 504:
      return createFailure(awayCode, 'The model host is overloaded or unavailable.', true);
    case 400:
    case 413:
    case 422:
      return createFailure(
        purpose === 'chat' ? 'MODEL_REQUEST_REFUSED' : 'EMBEDDING_REFUSED',
        'The model host rejected a text or a setting.',
      );
    default:
      return createFailure(
        status >= 500 ? 'EXTERNAL_SERVICE_ERROR' : 'INVALID_RESPONSE',
        'The model host failed.',
        status >= 500,
      );
  }
}

const maxExcerpt = 300;

/** A short excerpt of a response body for messages. Hides API keys, also partial ones, that the server repeats. */
export function cutExcerpt(text: string, apiKey?: string): string {
  const hidden = (apiKey ? text.replaceAll(apiKey, '********') : text).replace(
    /\b(sk|pk|hf)[-_][\w*-]{6,}/g,
    '$1-********',
  );
  const short = hidden.replace(/\s+/g, ' ').trim();
  if (short === '') return '(no text)';
  return short.length > maxExcerpt ? `${short.slice(0, maxExcerpt)}…` : short;
}
