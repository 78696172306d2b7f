import { randomUUID } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import { documentFromJson } from '../../document/json/json';
import type { DoclingDocument } from '../../document/model';
import { toMarkdown } from '../../document/write/markdown';
import { toReadableText } from '../../document/write/text';
import { AppError, type ErrorCode } from '../../model/errors';
import { RemoteConversion } from '../../model/page/remote-conversion';
import { createTimeLimit } from '../../model/time/time-limit';
import { trimSlashes } from '../../model/trim-slashes';
import { parse, listProblems } from '../../model/validate';
import type { AddressGuard } from '../net/address-guard';
import { createGuardedFetch } from '../net/guarded-fetch';
import { pause } from '../pacing/pause';
import { parseRetryAfterMs } from '../pacing/retry-after';
import type { Converted } from './converter';

/** Converts with a remote service that offers the `/v1` API. `settings` contain its address and the conversion options. */
export interface RemoteConverter {
  /** `timeoutMs` applies when the settings contain no `timeout`. It includes the time in the queue of the service. */
  convert(input: {
    bytes: Uint8Array;
    name: string;
    mimetype?: string;
    settings: Record<string, unknown>;
    timeoutMs: number;
    signal: AbortSignal;
  }): Promise<Converted>;
  close(): void;
}

const maxAnswerBytes = 512 * 1024 * 1024;
const longestWaitMs = 60_000;
/** A task that the service has just accepted may not be known to all of its processes yet. */
const unknownTaskPolls = 5;
/** Of a refusal, in a message. */
const maxExcerptLength = 300;
const charactersPerPage = 3_000;

const Task = Type.Object({
  task_id: Type.String({ minLength: 1 }),
  task_status: Type.String(),
  error_message: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
const Result = Type.Object({
  status: Type.String(),
  document: Type.Optional(
    Type.Object({ json_content: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])) }),
  ),
  errors: Type.Optional(Type.Array(Type.Object({ error_message: Type.Optional(Type.String()) }))),
});

/** Calls conversion services that offer the `/v1` API. Their addresses come from flows, so they pass the address guard. */
export function createRemoteConverter(guard: AddressGuard): RemoteConverter {
  const { fetch, ...guarded } = createGuardedFetch(guard, maxAnswerBytes);
  return {
    async convert({ bytes, name, mimetype, settings, timeoutMs, signal }) {
      const service = parse(
        RemoteConversion,
        structuredClone(settings),
        'The provider_config of the text extraction',
        'OPERATOR_CONFIGURATION_INVALID',
      );
      const limitMs = service.timeout === undefined ? timeoutMs : service.timeout * 1_000;
      const timeLimit = createTimeLimit(Math.ceil(limitMs));
      const ask = createAsk(fetch, service, AbortSignal.any([signal, timeLimit]));
      try {
        const task = await submit(ask, { bytes, name, mimetype }, service);
        await awaitEnd(ask, task, service, AbortSignal.any([signal, timeLimit]));
        return buildConverted(await ask(`/v1/result/${encodeURIComponent(task.task_id)}`, Result), name);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (!timeLimit.aborted) throw error;
        throw new AppError(
          'CONVERSION_TIMEOUT',
          `The conversion service did not convert '${name}' within ${limitMs / 1_000} seconds.`,
          {},
          error,
        );
      }
    },
    close: () => guarded.close(),
  };
}

type Service = Static<typeof RemoteConversion>;
/** Sends a request and returns the checked answer. Retries as often as the settings allow. */
type Ask = <S extends typeof Task | typeof Result>(
  path: string,
  schema: S,
  body?: { type: string; bytes: Uint8Array },
) => Promise<Static<S>>;

function createAsk(fetch: typeof globalThis.fetch, service: Service, signal: AbortSignal): Ask {
  const base = readAddress(service.base_url ?? 'http://localhost:5001');
  return async (path, schema, body) => {
    const url = new URL(base + path);
    for (let attempt = 0; ; attempt++) {
      const outcome = await sendOnce(fetch, url, { service, body, signal });
      if (!(outcome instanceof AppError)) return parseReply(schema, outcome, url);
      const wait = outcome.details.retryAfterMs ?? Math.min(10_000, 500 * 2 ** attempt);
      const mayRetry =
        outcome.code === 'CONNECTION_ERROR' && attempt < (service.max_retries ?? 3) && wait <= longestWaitMs;
      if (!mayRetry) throw outcome;
      await pause(wait, signal);
    }
  };
}

function readAddress(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return `${url.origin}${trimSlashes(url.pathname)}`;
  throw new AppError(
    'OPERATOR_CONFIGURATION_INVALID',
    `base_url is '${address}'; it must be an http or https address such as http://127.0.0.1:5001.`,
  );
}

async function sendOnce(
  fetch: typeof globalThis.fetch,
  url: URL,
  {
    service,
    body,
    signal,
  }: { service: Service; body: { type: string; bytes: Uint8Array } | undefined; signal: AbortSignal },
): Promise<string | AppError> {
  try {
    const response = await fetch(url, {
      method: body ? 'POST' : 'GET',
      headers: {
        accept: 'application/json',
        ...(service.api_key ? { 'x-api-key': service.api_key } : {}),
        ...(body ? { 'content-type': body.type } : {}),
      },
      ...(body ? { body: body.bytes as Uint8Array<ArrayBuffer> } : {}),
      signal,
    });
    const text = await response.text();
    return response.status === 200 || response.status === 201 || response.status === 202
      ? text
      : createRefusal(url, response, text, service);
  } catch (error) {
    signal.throwIfAborted();
    const cause = (error as { cause?: unknown }).cause ?? error;
    if (cause instanceof AppError) throw cause;
    const { message, code } = cause as NodeJS.ErrnoException;
    const reason = code && !message.includes(code) ? `${code} ${message}` : message;
    return new AppError(
      'CONNECTION_ERROR',
      `The conversion service ${url.origin} cannot be reached: ${reason}.`,
      {},
      error,
    );
  }
}

function createRefusal(url: URL, { status, headers }: Response, text: string, { api_key: key }: Service): AppError {
  const said = (key ? text.replaceAll(key, '********') : text).replace(/\s+/g, ' ').trim().slice(0, maxExcerptLength);
  const message = `${url.origin}${url.pathname} answered ${status}: ${said || '(no text)'}`;
  const wait = parseRetryAfterMs(headers.get('retry-after') ?? undefined);
  const codes: Partial<Record<number, ErrorCode>> = {
    400: 'CONVERSION_FAILED',
    401: 'OPERATOR_CONFIGURATION_INVALID',
    403: 'OPERATOR_CONFIGURATION_INVALID',
    413: 'DOCUMENT_TOO_LARGE',
    415: 'FORMAT_UNSUPPORTED',
    422: 'CONVERSION_FAILED',
    429: 'CONNECTION_ERROR',
    502: 'CONNECTION_ERROR',
    503: 'CONNECTION_ERROR',
    504: 'CONNECTION_ERROR',
  };
  return new AppError(codes[status] ?? 'HTTP_ERROR', message, wait === undefined ? {} : { retryAfterMs: wait });
}

function parseReply<S extends typeof Task | typeof Result>(schema: S, text: string, url: URL): Static<S> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new AppError('INVALID_RESPONSE', `${url.origin}${url.pathname} did not answer with JSON.`, {}, error);
  }
  const [problem] = listProblems(schema, value);
  if (!problem) return value as Static<S>;
  throw new AppError(
    'INVALID_RESPONSE',
    `${url.origin}${url.pathname} sent an unexpected answer: ${problem.pointer || '/'} ${problem.message}.`,
  );
}

async function submit(
  ask: Ask,
  file: { bytes: Uint8Array; name: string; mimetype: string | undefined },
  service: Service,
): Promise<Static<typeof Task>> {
  const fields: [string, string][] = [
    ['to_formats', 'json'],
    ...(service.ocr_languages ?? []).map((language): [string, string] => ['ocr_lang', language]),
    ...(
      [
        'do_ocr',
        'force_ocr',
        'ocr_engine',
        'include_ocr_words',
        'pdf_backend',
        'table_mode',
        'image_export_mode',
        'pipeline',
        'do_code_enrichment',
        'do_formula_enrichment',
        'do_picture_classification',
        'do_picture_description',
        'do_chart_extraction',
        'picture_description_area_threshold',
      ] as const
    ).flatMap((name): [string, string][] => (service[name] === undefined ? [] : [[name, String(service[name])]])),
  ];
  return await ask('/v1/convert/file/async', Task, encodeMultipart(fields, file));
}

function encodeMultipart(
  fields: readonly [string, string][],
  {
    bytes,
    name,
    mimetype = 'application/octet-stream',
  }: { bytes: Uint8Array; name: string; mimetype: string | undefined },
): { type: string; bytes: Uint8Array } {
  const boundary = `docloom-${randomUUID()}`;
  // Encodes names like browsers do: only these three characters are percent-encoded.
  const filename = name.replace(/["\r\n]/g, (char) => encodeURIComponent(char));
  const formatHead = (disposition: string, more = '') =>
    `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n${more}\r\n`;
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([
      Buffer.from(fields.map(([key, value]) => `${formatHead(`name="${key}"`)}${value}\r\n`).join('')),
      Buffer.from(formatHead(`name="files"; filename="${filename}"`, `content-type: ${mimetype}\r\n`)),
      bytes,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  };
}

async function awaitEnd(ask: Ask, task: Static<typeof Task>, service: Service, signal: AbortSignal): Promise<void> {
  const interval = service.poll_interval ?? 2;
  let unknown = 0;
  for (let current = task; ;) {
    if (current.task_status === 'success') return;
    if (current.task_status === 'failure' || current.task_status === 'revoked') {
      const reason = current.error_message ?? 'it gave no reason';
      throw new AppError('CONVERSION_FAILED', `The conversion service gave up on the document: ${reason}.`);
    }
    // Services that support `wait` answer as soon as the task has ended. For others, the pause below applies.
    const startedAt = performance.now();
    const path = `/v1/status/poll/${encodeURIComponent(task.task_id)}?wait=${interval}`;
    const next = await ask(path, Task).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'HTTP_ERROR' || ++unknown > unknownTaskPolls) throw error;
      return current;
    });
    if (next.task_status === current.task_status)
      await pause(Math.max(0, interval * 1_000 - (performance.now() - startedAt)), signal);
    current = next;
  }
}

function buildConverted({ status, document, errors = [] }: Static<typeof Result>, name: string): Converted {
  const reasons = errors.flatMap(({ error_message: reason }) => (reason ? [reason] : [])).join('; ');
  if (status !== 'success' && status !== 'partial_success') {
    throw new AppError(
      'CONVERSION_FAILED',
      `The conversion service reports '${status}' for '${name}': ${reasons || 'it gave no reason'}`,
    );
  }
  if (!document?.json_content)
    throw new AppError('INVALID_RESPONSE', `The conversion service gave no json_content for '${name}'.`);
  const documentJson = JSON.stringify(document.json_content);
  const parsed = parseDocument(documentJson, name);
  const markdown = toMarkdown(parsed);
  const title = findTitle(parsed);
  return {
    markdown,
    text: toReadableText(parsed),
    documentJson,
    pages: Object.keys(parsed.pages ?? {}).length || Math.max(1, Math.ceil(markdown.length / charactersPerPage)),
    format: 'docling',
    ...(title === undefined ? {} : { title }),
  };
}

function parseDocument(json: string, name: string): DoclingDocument {
  try {
    return documentFromJson(json);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError(
      'INVALID_RESPONSE',
      `The conversion service gave a document for '${name}' that cannot be read: ${reason}`,
      {},
      error,
    );
  }
}

function findTitle({ texts }: DoclingDocument): string | undefined {
  const item = texts.find(({ label }) => label === 'title') ?? texts.find(({ label }) => label === 'section_header');
  return item?.text.trim() || undefined;
}
