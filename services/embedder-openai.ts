import { type Static, Type } from '@sinclair/typebox';
import { AppError } from '../model/errors';
import { problemsOf } from '../model/validate';
import { type HttpAnswer, type HttpJson } from './http-json';
import { pause } from './pause';
import { retryAfterMs } from './retry-after';

/** Where and how to ask an OpenAI-compatible `/embeddings`. */
export interface OpenAiSettings {
  apiBase: string;
  apiKey?: string;
  modelId: string;
  /** Asked of the server, and checked in its answers. */
  dimensions?: number;
  batchSize: number;
  maxConcurrentRequests: number;
  /** Of one request. */
  timeoutMs: number;
  /** Further attempts of one request. */
  maxRetries: number;
  /** The longest wait between attempts. Where a server asks for more, the error carries its wish instead. */
  maxWaitMs: number;
}

const Answer = Type.Object({
  data: Type.Array(
    Type.Object({ index: Type.Optional(Type.Integer()), embedding: Type.Array(Type.Number(), { minItems: 1 }) }),
  ),
});
type Answer = Static<typeof Answer>;

/** A server refuses empty inputs; a text without characters other than white space is sent as this. */
const emptyText = '(empty)';
const maxAnswerBytes = 256 * 1024 * 1024;

/**
 * The vectors of the texts, in order, whatever order the server answers in. Requests of `batchSize` texts run
 * `maxConcurrentRequests` at a time; the first failure ends the others.
 */
export async function embedByOpenAi(
  texts: readonly string[],
  settings: OpenAiSettings,
  http: HttpJson,
  options: { signal: AbortSignal; progress?: (done: number) => void },
): Promise<number[][]> {
  const vectors: number[][] = [];
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  let next = 0;
  let done = 0;
  async function work(): Promise<void> {
    while (next < texts.length) {
      const from = next;
      const batch = texts.slice(from, from + settings.batchSize);
      next = from + batch.length;
      for (const [index, vector] of (await request(batch, settings, http, signal)).entries())
        vectors[from + index] = vector;
      done += batch.length;
      options.progress?.(done);
    }
  }
  const workers = Array.from(
    { length: Math.min(settings.maxConcurrentRequests, Math.ceil(texts.length / settings.batchSize)) },
    () =>
      work().catch((error: unknown) => {
        stop.abort(error);
        throw error;
      }),
  );
  const settled = await Promise.allSettled(workers);
  options.signal.throwIfAborted();
  if (stop.signal.aborted) throw stop.signal.reason;
  const failed = settled.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
  checkDimensions(vectors, settings);
  return vectors;
}

async function request(
  texts: readonly string[],
  settings: OpenAiSettings,
  http: HttpJson,
  signal: AbortSignal,
): Promise<number[][]> {
  const url = embeddingsUrl(settings.apiBase);
  for (let attempt = 0; ; attempt++) {
    const answer = await http
      .post({
        url,
        headers: settings.apiKey ? { authorization: `Bearer ${settings.apiKey}` } : {},
        body: {
          model: settings.modelId,
          input: texts.map((text) => (text.trim() === '' ? emptyText : text)),
          ...(settings.dimensions === undefined ? {} : { dimensions: settings.dimensions }),
        },
        timeoutMs: settings.timeoutMs,
        maxBytes: maxAnswerBytes,
        signal,
      })
      .catch((error: unknown) => connectionFailure(error, url, signal));
    if (!(answer instanceof AppError) && answer.status === 200) return readAnswer(answer, texts.length, url);
    const failure = answer instanceof AppError ? answer : statusFailure(answer, settings, url);
    const wait = failure.details.retryAfterMs ?? backoffMs(attempt);
    const mayRetry = ['LOCALMODEL_CONNECTION_FAILED', 'EXTERNAL_SERVICE_ERROR'].includes(failure.code);
    if (!mayRetry || attempt >= settings.maxRetries || wait > settings.maxWaitMs) throw failure;
    await pause(wait, signal);
  }
}

/** 500 ms, doubled for each attempt up to 10 s, less up to a quarter by chance so that clients do not come in step. */
function backoffMs(attempt: number): number {
  return Math.min(10_000, 500 * 2 ** attempt) * (1 - Math.random() / 4);
}

/** `…/v1` and `…/v1/embeddings` both name the same endpoint. */
function embeddingsUrl(apiBase: string): URL {
  const base = apiBase.replace(/\/+$/, '');
  const text = base.endsWith('/embeddings') ? base : `${base}/embeddings`;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new AppError(
      'OPERATOR_CONFIGURATION_INVALID',
      `api_base is '${apiBase}'; it must be an http or https address such as http://127.0.0.1:11434/v1.`,
    );
  }
  return new URL(text);
}

function connectionFailure(error: unknown, url: URL, signal: AbortSignal): AppError {
  if (signal.aborted) throw signal.reason;
  if (error instanceof AppError) throw error;
  const reason =
    error instanceof Error ? error.message || ((error as NodeJS.ErrnoException).code ?? error.name) : String(error);
  return new AppError(
    'LOCALMODEL_CONNECTION_FAILED',
    `The model host ${url.origin} cannot be reached: ${reason}.`,
    {},
    error,
  );
}

function statusFailure(answer: HttpAnswer, settings: OpenAiSettings, url: URL): AppError {
  const said = `${url.href} answered ${answer.status}: ${excerpt(answer.text, settings.apiKey)}`;
  const details = { retryAfterMs: retryAfterMs(answer.headers['retry-after']) };
  switch (answer.status) {
    case 401:
    case 403:
      return new AppError(
        'HOSTEDMODEL_AUTH_FAILED',
        `The model host refused the credentials (api_key ${settings.apiKey ? 'given' : 'not given'}). ${said}`,
      );
    case 404:
      return new AppError(
        'LOCALMODEL_MODEL_NOT_FOUND',
        `The model host has no model '${settings.modelId}', or api_base is wrong. ${said}`,
      );
    case 408:
    case 429:
    case 502:
    case 503:
    case 504:
      return new AppError('LOCALMODEL_CONNECTION_FAILED', `The model host is overloaded or away. ${said}`, details);
    case 400:
    case 413:
    case 422:
      return new AppError('EMBEDDING_REFUSED', `The model host refused a text or a setting. ${said}`);
    default:
      return new AppError(
        answer.status >= 500 ? 'EXTERNAL_SERVICE_ERROR' : 'INVALID_RESPONSE',
        `The model host failed. ${said}`,
        details,
      );
  }
}

function readAnswer(answer: HttpAnswer, expected: number, url: URL): number[][] {
  let body: unknown;
  try {
    body = JSON.parse(answer.text);
  } catch (error) {
    throw new AppError('INVALID_RESPONSE', `${url.href} answered 200, but no JSON: ${excerpt(answer.text)}`, {}, error);
  }
  const [problem] = problemsOf(Answer, body);
  if (problem)
    throw new AppError(
      'INVALID_RESPONSE',
      `${url.href} answered another shape than an embeddings list: ${problem.pointer || '/'} ${problem.message}.`,
    );
  const { data } = body as Answer;
  const vectors: number[][] = [];
  for (const [position, { index = position, embedding }] of data.entries()) vectors[index] = embedding;
  const complete =
    data.length === expected && vectors.length === expected && !Array.from(vectors).includes(undefined as never);
  if (!complete)
    throw new AppError(
      'INVALID_RESPONSE',
      `${url.href} was asked for ${expected} vectors and answered ${data.length}, or not one for each index from 0.`,
    );
  return vectors;
}

function checkDimensions(vectors: readonly number[][], { dimensions, modelId }: OpenAiSettings): void {
  const expected = dimensions ?? vectors[0]?.length;
  const other = vectors.find(({ length }) => length !== expected);
  if (!other) return;
  const reason =
    dimensions === undefined ? 'other vectors of the same call have' : 'the configuration (dimensions) asks for';
  throw new AppError(
    'EMBEDDING_DIMENSION_MISMATCH',
    `The model '${modelId}' gave a vector of ${other.length} dimensions; ${reason} ${expected}.`,
  );
}

/** What a person needs of an answer's body. A key that the server repeats is hidden, also in part. */
function excerpt(text: string, apiKey?: string): string {
  const hidden = (apiKey ? text.replaceAll(apiKey, '********') : text).replace(
    /\b(sk|pk|hf)[-_][\w*-]{6,}/g,
    '$1-********',
  );
  const short = hidden.replace(/\s+/g, ' ').trim();
  return short === '' ? '(no text)' : short.length > 300 ? `${short.slice(0, 300)}…` : short;
}
