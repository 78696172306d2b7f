import { AppError } from '../../../model/errors';
import { startTimeLimit, type TimeLimit } from '../../../model/time/time-limit';
import { type AddressGuard, findAppError } from '../../net/address-guard';
import { createGuardedFetch } from '../../net/guarded-fetch';
import { pause } from '../../pacing/pause';
import { parseRetryAfterMs } from '../../pacing/retry-after';

/** A request to the server of a source. */
export interface RemoteRequest {
  url: URL;
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Until the whole response has been read; default one minute. Its body may not be silent for longer than a minute in any case. */
  timeoutMs?: number;
  /** Also follow redirects to other servers, without headers and body, for pre-signed addresses of files. */
  followsElsewhere?: boolean;
}

/** Requests to one server, over connections that the guard has checked. */
export interface Requests {
  /**
   * Returns the response, whatever its status. If the server is busy, waits for the time that it names, at most four times for at
   * most a minute each; then throws CONNECTION_ERROR with the requested time. Follows redirects within the same origin only, so
   * that credentials are not sent elsewhere. Throws the guard's error, CONNECTION_ERROR, or the signal's reason; reading the
   * body throws INVALID_RESPONSE if it breaks off, or cannot be decompressed.
   */
  send(request: RemoteRequest, signal: AbortSignal): Promise<Response>;
  close(): void;
}

const defaultTimeoutMs = 60_000;
/** For the content of a document, which may be large. */
export const contentTimeoutMs = 10 * 60_000;
const longestSilenceMs = 60_000;
/** Higher ones are not defined (RFC 9110, section 15). */
const highestStatus = 599;
const maxRedirects = 5;
/** Longest wait within a call; for a longer one, the run waits. */
const maxWaitMs = 60_000;
const maxWaits = 4;
const firstWaitMs = 500;
const busyStatuses = [429, 503];

/** Keeps connections open between requests, until it is closed. */
export function createRequests(guard: AddressGuard, silenceMs = longestSilenceMs): Requests {
  const http = createGuardedFetch(guard, Number.MAX_SAFE_INTEGER);
  const sendOnce = async (request: RemoteRequest, signal: AbortSignal): Promise<Response> => {
    const { method = 'GET', followsElsewhere = false } = request;
    let { url, headers = {}, body } = request;
    for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
      const response = await http.fetch(url, { method, headers, signal, ...(body === undefined ? {} : { body }) });
      const location = response.headers.get('location');
      if (response.status < 300 || response.status > 399 || location === null) return response;
      await response.body?.cancel();
      const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
      if (next?.origin !== url.origin) {
        if (!followsElsewhere || next === undefined || !isSafeRedirect(url, next))
          throw new AppError(
            'SOURCE_UNREADABLE',
            `${formatPlace(url)} leads to another server, which is not followed.`,
          );
        // Credentials are for the server that the flow names.
        headers = {};
        body = undefined;
      }
      url = next;
    }
    throw new AppError('SOURCE_UNREADABLE', `${formatPlace(request.url)} has more than ${maxRedirects} redirects.`);
  };
  return {
    async send(request, signal) {
      const place = formatPlace(request.url);
      for (let waits = 0; ; waits += 1) {
        const limit = startTimeLimit(request.timeoutMs ?? defaultTimeoutMs);
        const limited = AbortSignal.any([signal, limit.controller.signal]);
        const response = await sendOnce(request, limited).catch((error: unknown) => {
          limit.clear();
          signal.throwIfAborted();
          const unreachable = `${place} cannot be reached: ${describeCause(error)}.`;
          throw findAppError(error) ?? new AppError('CONNECTION_ERROR', unreachable, {}, error);
        });
        if (response.status > highestStatus) {
          limit.clear();
          await response.body?.cancel();
          throw new AppError('INVALID_RESPONSE', `${place} answered with the status ${response.status}.`);
        }
        if (!busyStatuses.includes(response.status))
          return withCodedErrors(response, { place, signal, limit, silenceMs });
        limit.clear();
        await response.body?.cancel();
        const requestedMs = parseRetryAfterMs(response.headers.get('retry-after') ?? undefined);
        const waitMs = requestedMs ?? firstWaitMs * 2 ** waits;
        if (waits === maxWaits || waitMs > maxWaitMs)
          throw new AppError('CONNECTION_ERROR', `${place} asks to wait (${response.status}).`, {
            retryAfterMs: waitMs,
          });
        await pause(waitMs, signal);
      }
    },
    close: () => http.close(),
  };
}

interface Reading {
  place: string;
  signal: AbortSignal;
  limit: TimeLimit;
  silenceMs: number;
}

/** The response, whose body fails with errors that have a code, also if nothing arrives for a reader that waits. */
function withCodedErrors(response: Response, { place, signal, limit, silenceMs }: Reading): Response {
  const { status, headers } = response;
  if (!response.body) {
    limit.clear();
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const silent = new Error(`nothing arrived for ${silenceMs / 1_000} s`);
        const timer = setTimeout(() => limit.controller.abort(silent), silenceMs);
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          limit.clear();
          controller.close();
        } catch (error) {
          limit.clear();
          signal.throwIfAborted();
          throw new AppError('INVALID_RESPONSE', `${place} broke off its answer: ${describeCause(error)}.`, {}, error);
        } finally {
          clearTimeout(timer);
        }
      },
      cancel: (reason) => {
        limit.clear();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  // Without the reason phrase, which may contain characters that a new response refuses.
  return new Response(body, { status, headers });
}

/** True for an address without a password, and without a step from https to http. */
function isSafeRedirect(from: URL, next: URL): boolean {
  return (
    next.username === '' && next.password === '' && (next.protocol === 'https:' || next.protocol === from.protocol)
  );
}

/** Only the origin: paths may contain names of documents, and queries may contain signatures. */
function formatPlace({ origin }: URL): string {
  return `The server ${origin}`;
}

function describeCause(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason was given';
  return error.cause instanceof Error ? describeCause(error.cause) : error.message;
}

/** The body as text. Throws INVALID_RESPONSE if it exceeds the maximum size of a listing. */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > maxBytes)
      throw new AppError('INVALID_RESPONSE', `The answer of the server has more than ${maxBytes} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
