import type { ChunkingOptions, ConvertOptions } from '../model/conversion/request/options';
import type { Callback, ConvertSource, ConvertTarget } from '../model/conversion/request/sources';
import type { ChunkResult, ConvertResult, PresignedResult, RemoteResult } from '../model/conversion/task/result';
import { isFinalTask, type TaskDescriptor, type TaskPage, type TaskState } from '../model/conversion/task/task';
import {
  type ConversionAnswer,
  type ConversionCall,
  createConversionHttp,
  type ConversionClientOptions,
} from './conversion-http';
import { watchTask } from './task-watch';

/** A file to upload. */
export interface ConversionFile {
  name: string;
  content: Blob | Uint8Array | string;
}

/** What to convert: files to upload, or sources that the server downloads or that are inside the request. */
export interface ConversionRequest {
  files?: readonly ConversionFile[];
  sources?: readonly ConvertSource[];
  options?: Partial<ConvertOptions>;
  target?: ConvertTarget;
  callbacks?: readonly Pick<Callback, 'url'>[];
}

/** A conversion request with chunking options. */
export interface ChunkRequest extends Omit<ConversionRequest, 'callbacks'> {
  chunking?: Partial<ChunkingOptions>;
  includeConvertedDocument?: boolean;
}

/** A result: JSON, or the bytes of an archive for several documents or the target `zip`. */
export type ConversionOutcome = ConversionAnswer<Results>;
type Results = ConvertResult | ChunkResult | RemoteResult | PresignedResult;

/** The typed client of the conversion service. A refused request rejects with an ApiError that has the reason given by the server. */
export interface ConversionClient {
  /** Converts one document in a single call; aborting `signal` also cancels the work on the server. */
  convert(request: ConversionRequest, signal?: AbortSignal): Promise<ConvertResult>;
  /** Converts several documents in a single call and returns an archive. */
  convertToArchive(request: ConversionRequest, signal?: AbortSignal): Promise<Uint8Array>;
  chunk(chunker: 'hybrid' | 'hierarchical', request: ChunkRequest, signal?: AbortSignal): Promise<ChunkResult>;
  /** Starts a conversion. Using an `idempotencyKey` again returns the first task. */
  submit(request: ConversionRequest, options?: { idempotencyKey?: string }): Promise<TaskDescriptor>;
  /** The task; with `waitSeconds` (at most 30), waits for a change of its state or position. */
  poll(taskId: string, waitSeconds?: number, signal?: AbortSignal): Promise<TaskDescriptor>;
  /** Yields each change of the task, the final state last; reconnects if the server restarts. */
  watch(taskId: string, signal?: AbortSignal): AsyncGenerator<TaskDescriptor, void, void>;
  /** Polls until the task has ended, successfully or not. */
  finished(taskId: string, signal?: AbortSignal): Promise<TaskDescriptor>;
  /** Rejects with CONVERSION_RESULT_NOT_READY unless the task has ended successfully. */
  result(taskId: string): Promise<ConversionOutcome>;
  /** Newest first. */
  list(query?: { state?: TaskState; limit?: number; offset?: number }): Promise<TaskPage>;
  cancel(taskId: string): Promise<TaskDescriptor>;
}

/** How long a poll waits for an end before the server answers. */
const longPollSeconds = 20;
const encode = encodeURIComponent;

/** A client of the conversion service at `baseUrl`. Stateless. */
export function createConversionClient(options: ConversionClientOptions): ConversionClient {
  const http = createConversionHttp(options);
  const send = async <T>(service: string, request: ConversionRequest, call: ConversionCall) =>
    http<T>({ ...call, method: 'POST', path: `${service}/${request.files ? 'file' : 'source'}${call.path}` });
  const convert = (request: ConversionRequest, signal?: AbortSignal) =>
    send<ConvertResult>('/v1/convert', request, { path: '', body: buildBody(request), signal, isLong: true });
  const poll: ConversionClient['poll'] = async (taskId, waitSeconds = 0, signal) =>
    toJson(
      await http<TaskDescriptor>({ path: `/v1/status/poll/${encode(taskId)}`, query: { wait: waitSeconds }, signal }),
    );
  return {
    convert: async (request, signal) => toJson(await convert({ target: { kind: 'inbody' }, ...request }, signal)),
    convertToArchive: async (request, signal) =>
      toArchive(await convert({ ...request, target: { kind: 'zip' } }, signal)),
    chunk: async (chunker, request, signal) =>
      toJson(
        await send<ChunkResult>(`/v1/chunk/${chunker}`, request, {
          path: '',
          body: buildChunkBody(request),
          signal,
          isLong: true,
        }),
      ),
    submit: async (request, { idempotencyKey } = {}) =>
      toJson(
        await send<TaskDescriptor>('/v1/convert', request, {
          path: '/async',
          body: buildBody(request),
          headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
        }),
      ),
    poll,
    watch: (taskId, signal) => watchTask(options, taskId, signal),
    async finished(taskId, signal) {
      for (;;) {
        const task = await poll(taskId, longPollSeconds, signal);
        if (isFinalTask(task.task_status)) return task;
      }
    },
    result: (taskId) => http<Results>({ path: `/v1/result/${encode(taskId)}` }),
    list: async (query) => toJson(await http<TaskPage>({ path: '/v1/tasks', query: { ...query } })),
    cancel: async (taskId) =>
      toJson(await http<TaskDescriptor>({ method: 'DELETE', path: `/v1/tasks/${encode(taskId)}` })),
  };
}

function toJson<T>(outcome: ConversionAnswer<T>): T {
  if (outcome.type === 'json') return outcome.value;
  throw new TypeError('The answer is an archive; call convertToArchive for several documents.');
}

function toArchive(outcome: ConversionAnswer<unknown>): Uint8Array {
  if (outcome.type === 'archive') return outcome.bytes;
  throw new TypeError('The answer is JSON instead of an archive.');
}

function buildBody({ files, ...request }: ConversionRequest): FormData | Record<string, unknown> {
  if (!files) return { ...request, options: request.options ?? {} };
  const form = buildForm(files);
  appendOptions(form, '', request.options);
  if (request.target) form.append('target_type', request.target.kind);
  for (const callback of request.callbacks ?? []) form.append('callbacks', JSON.stringify(callback));
  return form;
}

function buildChunkBody({
  files,
  chunking,
  includeConvertedDocument: include = false,
  options,
  ...request
}: ChunkRequest) {
  if (!files)
    return {
      ...request,
      convert_options: options ?? {},
      chunking_options: chunking ?? {},
      include_converted_doc: include,
    };
  const form = buildForm(files);
  appendOptions(form, 'convert_', options);
  appendOptions(form, 'chunking_', chunking);
  form.append('include_converted_doc', String(include));
  return form;
}

function buildForm(files: readonly ConversionFile[]): FormData {
  const form = new FormData();
  for (const { name, content } of files)
    form.append(
      'files',
      content instanceof Blob ? content : new Blob([typeof content === 'string' ? content : new Uint8Array(content)]),
      name,
    );
  return form;
}

/** Form fields: lists repeat their field, objects are written as JSON, null is omitted. */
function appendOptions(form: FormData, prefix: string, options: object = {}): void {
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    if (value === null || value === undefined) continue;
    const isObject = typeof value === 'object' && !Array.isArray(value);
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value])
      form.append(`${prefix}${name}`, isObject ? JSON.stringify(item) : String(item));
  }
}
