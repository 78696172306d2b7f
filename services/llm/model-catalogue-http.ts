import type { Static, TSchema } from '@sinclair/typebox';
import { AppError, type ErrorCode } from '../../model/errors';
import { trimSlashes } from '../../model/trim-slashes';
import { listProblems } from '../../model/validate';
import type { HttpAnswer, HttpJson } from '../net/http-json';

/** Connection to a model host. */
export interface HostTools {
  base: URL;
  http: HttpJson;
  signal: AbortSignal;
}

const timeoutMs = 10_000;
const maxBytes = 16 * 1024 * 1024;

/** The address of an endpoint below a base, with or without a trailing slash in the base. */
export function createEndpoint(base: URL, path: string): URL {
  return new URL(`${base.origin}${trimSlashes(base.pathname)}${path}`);
}

/** Requests a host. Throws the code `away` when it cannot be reached; other errors, such as a rejected address, are rethrown. */
export async function askHost(
  { http, signal }: HostTools,
  call: { url: URL; body?: unknown; away: ErrorCode },
): Promise<HttpAnswer> {
  const common = { url: call.url, timeoutMs, maxBytes, signal };
  try {
    return await (call.body === undefined ? http.get(common) : http.post({ ...common, body: call.body }));
  } catch (error) {
    if (error instanceof AppError) throw error;
    const reason = error instanceof Error ? error.message || (error as NodeJS.ErrnoException).code : String(error);
    throw new AppError(call.away, `The model host ${call.url.origin} cannot be reached: ${reason}.`, {}, error);
  }
}

/** The validated body of a response with status 200. Throws INVALID_RESPONSE for any other response. */
export function parseBody<S extends TSchema>(answer: HttpAnswer, schema: S, url: URL): Static<S> {
  const where = `${url.origin}${url.pathname}`;
  if (answer.status !== 200)
    throw new AppError('INVALID_RESPONSE', `${where} answered ${answer.status}; expected 200.`);
  const body = parseJson(answer.text, where);
  const [problem] = listProblems(schema, body);
  if (!problem) return body;
  throw new AppError(
    'INVALID_RESPONSE',
    `${where} did not answer with a list of models: ${problem.pointer || '/'} ${problem.message}.`,
  );
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError('INVALID_RESPONSE', `${where} answered 200, but not with JSON.`, {}, error);
  }
}
