import { EventEmitter, once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { strToU8, zipSync } from 'fflate';
import type { ConversionServices } from '../../../api/conversion/services';
import { unspecifiedConfidence } from '../../../model/conversion/task/confidence';
import { isFinalTask, type TaskDescriptor, type TaskFailure } from '../../../model/conversion/task/task';
import { AppError } from '../../../model/errors';
import type { DocumentResult, NewConversionTask, TaskResult } from '../../../services/conversion/ports';
import { findSourceName } from '../../../services/conversion/task-ids';
import { createAddressGuard } from '../../../services/net/address-guard';

interface StoredTask {
  request: NewConversionTask;
  descriptor: TaskDescriptor;
  result?: TaskResult;
}

/** Conversion in memory: each task waits until a test finishes it, or ends at once if `atOnce` is set. */
export interface MemoryConversion {
  services: ConversionServices;
  stored: Map<string, Buffer>;
  requests: NewConversionTask[];
  /** The number of watches so far. */
  watches: number;
  cleared: { tenant: string; seconds: number }[];
  /** Whether a new task ends during its submission. */
  atOnce: boolean;
  /** Converts a document by its file name; the default returns the name as Markdown. */
  contents: Record<string, string>;
  /** The reasons for which documents cannot be converted, by file name. */
  failures: Record<string, string>;
  /** Puts a task into another state. */
  change(id: string, change: Partial<TaskDescriptor>): void;
  finish(id: string): void;
  fail(id: string, failure: TaskFailure): void;
}

/** Creates it; with `keepsArtifacts`, it acts like a server with its own bucket. */
export function memoryConversion({ keepsArtifacts = false } = {}): MemoryConversion {
  const stored = new Map<string, Buffer>();
  const tasks = new Map<string, StoredTask>();
  const events = new EventEmitter().setMaxListeners(0);
  const find = (tenant: string, id: string): StoredTask => {
    const task = tasks.get(id);
    if (!task || task.request.tenant !== tenant)
      throw new AppError('CONVERSION_TASK_NOT_FOUND', `There is no task '${id}'.`);
    return task;
  };
  const memory: MemoryConversion = {
    stored,
    requests: [],
    watches: 0,
    cleared: [],
    atOnce: true,
    contents: {},
    failures: {},
    change(id, change) {
      const task = tasks.get(id);
      if (task) task.descriptor = { ...task.descriptor, ...change };
      events.emit('change');
    },
    finish(id) {
      const task = tasks.get(id);
      if (!task) return;
      task.result = getResult(task.request, memory);
      memory.change(id, { task_status: 'success', task_position: null });
    },
    fail: (id, failure) =>
      memory.change(id, { task_status: 'failure', task_position: null, error_message: failure.message, failure }),
    services: {
      guard: createAddressGuard([]),
      files: {
        put: async (key, bytes) =>
          void stored.set(key, bytes instanceof Readable ? await buffer(bytes) : Buffer.from(bytes)),
        removePrefix: async (prefix) => {
          for (const key of stored.keys()) if (key.startsWith(prefix)) stored.delete(key);
        },
      },
      results: {
        open: async (key) => Readable.from([read(stored, key)]),
        get: async (key) => read(stored, key),
        streamArchive: (result) => Readable.from([getArchive(result, stored)]),
      },
      tasks: {
        keepsArtifacts,
        uploadKey: (taskId, index) => `uploads/${taskId}/${index}`,
        async submit(request) {
          const earlier = [...tasks.values()].find(
            (task) =>
              request.idempotency_key !== undefined &&
              task.request.tenant === request.tenant &&
              task.request.idempotency_key === request.idempotency_key,
          );
          if (earlier && earlier.request.request_hash !== request.request_hash)
            throw new AppError('CONFLICT', 'The key came with another request.');
          if (earlier) return earlier.descriptor;
          memory.requests.push(request);
          const waiting = [...tasks.values()].filter(({ descriptor }) => descriptor.task_status === 'pending');
          const descriptor: TaskDescriptor = {
            task_id: request.id,
            task_type: request.task_type,
            task_status: 'pending',
            task_position: waiting.length + 1,
            task_meta: null,
            error_message: null,
            failure: null,
          };
          tasks.set(request.id, { request, descriptor });
          if (memory.atOnce) memory.finish(request.id);
          return find(request.tenant, request.id).descriptor;
        },
        get: async (tenant, id) => find(tenant, id).descriptor,
        async wait(tenant, id, ms, signal) {
          const late = AbortSignal.timeout(ms);
          const until = signal ? AbortSignal.any([late, signal]) : late;
          while (!isFinalTask(find(tenant, id).descriptor.task_status) && !until.aborted)
            await once(events, 'change', { signal: until }).catch(() => undefined);
          return find(tenant, id).descriptor;
        },
        async *watch(tenant, id, signal) {
          memory.watches += 1;
          for (let shown = find(tenant, id).descriptor; ;) {
            yield shown;
            if (isFinalTask(shown.task_status)) return;
            while (find(tenant, id).descriptor === shown) {
              if (signal.aborted) return;
              await once(events, 'change', { signal }).catch(() => undefined);
            }
            shown = find(tenant, id).descriptor;
          }
        },
        async list(tenant, { state, limit, offset }) {
          const found = [...tasks.values()]
            .filter(
              ({ request, descriptor }) => request.tenant === tenant && (!state || descriptor.task_status === state),
            )
            .map(({ request, descriptor }) => ({
              ...descriptor,
              document_name: findSourceName(request.sources[0]),
              created_at: '2026-01-01T00:00:00.000Z',
            }))
            .toReversed();
          return { items: found.slice(offset, offset + limit), total: found.length };
        },
        async cancel(tenant, id) {
          const { descriptor } = find(tenant, id);
          const message = 'The task was cancelled by request.';
          if (!isFinalTask(descriptor.task_status))
            memory.fail(id, { ...toFailure({ category: 'policy', message }), details: { reason: 'cancelled' } });
          return find(tenant, id).descriptor;
        },
        async readResult(tenant, id) {
          const { result, descriptor } = find(tenant, id);
          if (result) return result;
          throw new AppError('CONVERSION_RESULT_NOT_READY', `The task ${id} has no result.`, {
            moreInfo: descriptor.error_message ?? undefined,
          });
        },
        async clear(tenant, seconds) {
          memory.cleared.push({ tenant, seconds });
          const ended = [...tasks].filter(
            ([, { request, descriptor }]) => request.tenant === tenant && isFinalTask(descriptor.task_status),
          );
          for (const [id] of ended) tasks.delete(id);
          return ended.length;
        },
        async countByState() {
          const count = (state: string) =>
            [...tasks.values()].filter(({ descriptor }) => descriptor.task_status === state).length;
          return {
            pending: count('pending'),
            started: count('started'),
            success: count('success'),
            failure: count('failure'),
          };
        },
        ping: async () => {},
        close: async () => {},
      },
    },
  };
  return memory;
}

/** A failure as tasks report it. */
export function toFailure(change: Partial<TaskFailure>): TaskFailure {
  return {
    category: 'internal',
    message: 'Internal processing error.',
    retryable: false,
    phase: 'execution',
    details: {},
    ...change,
  };
}

function read(stored: Map<string, Buffer>, key: string): Buffer {
  const bytes = stored.get(key);
  if (!bytes) throw new AppError('TABLE_NOT_FOUND', `Nothing is stored under '${key}'.`);
  return bytes;
}

function getResult(request: NewConversionTask, memory: MemoryConversion): TaskResult {
  const documents = request.sources.map((source, index): DocumentResult => {
    const filename =
      'filename' in source
        ? source.filename
        : (new URL('url' in source ? source.url : 'x:').pathname.split('/').at(-1) ?? '');
    const failure = memory.failures[filename];
    const markdown = memory.contents[filename] ?? `# ${filename}\n\n"quoted" \u2028 ünïcødé 😀`;
    const json = `{"schema_name":"DoclingDocument","name":${JSON.stringify(filename)},"origin":{"binary_hash":18446744073709551615}}`;
    const chunk = (number: number) =>
      JSON.stringify({
        filename,
        chunk_index: number,
        text: `Heading\nchunk ${number} \u2028 end`,
        raw_text: null,
        num_tokens: null,
        headings: ['Heading'],
        captions: null,
        doc_items: ['#/texts/1'],
        page_numbers: [],
        prov: [],
        metadata: { origin: null, has_image: false },
      });
    const texts: Record<string, string> = {
      md: markdown,
      json,
      html: `<!DOCTYPE html>\n<p>${filename}</p>`,
      text: markdown,
      doctags: '<doctag></doctag>',
      chunks: `${chunk(0)}\n${chunk(1)}\n`,
    };
    const wanted = request.task_type === 'chunk' ? ['json', 'chunks'] : request.options.to_formats;
    const outputs = wanted.flatMap((name) => {
      const text = texts[name];
      if (text === undefined) return [];
      const key = `conversions/${request.id}/${index}/${name}`;
      if (filename in memory.failures) return [];
      memory.stored.set(key, Buffer.from(text));
      return [[name, { key, bytes: Buffer.byteLength(text) }] as const];
    });
    return {
      index,
      filename,
      source_uri: filename,
      status: failure === undefined ? 'success' : 'failure',
      errors:
        failure === undefined
          ? []
          : [
              {
                component_type: 'user_input',
                module_name: 'formats',
                error_message: failure,
                category: 'policy',
                page_no: null,
              },
            ],
      timings: {
        pipeline_total: {
          scope: 'document',
          count: 1,
          times: [0.5],
          start_timestamps: ['2026-01-02T03:04:05.000000Z'],
        },
      },
      processing_time: 0.5,
      format: 'md',
      mimetype: 'text/markdown',
      pages: 0,
      confidence: unspecifiedConfidence,
      coverage: [{ kind: 'note', count: 1, words: 12, in_json: true }],
      outputs: Object.fromEntries(outputs),
      artifacts: [],
      uploads: [
        {
          artifact_type: 'markdown',
          mime_type: 'text/markdown',
          uri: 'https://example.org/a.md',
          url_expires_at: '2030-01-01T00:00:00Z',
        },
      ],
    };
  });
  const kind = request.target.kind;
  const isRemote = kind === 's3' || kind === 'presigned_url';
  const isArchive = kind === 'zip' || kind === 'put' || (documents.length > 1 && request.task_type === 'convert');
  return {
    task_id: request.id,
    task_type: request.task_type,
    target: kind,
    packaging: isRemote ? 'remote' : isArchive ? 'archive' : 'inbody',
    include_converted_doc: request.include_converted_doc ?? false,
    processing_time: 0.75,
    counts: { documents: documents.length, succeeded: documents.length, partially_succeeded: 0, failed: 0 },
    documents,
  };
}

function getArchive({ documents }: TaskResult, stored: Map<string, Buffer>): Uint8Array {
  const files = documents.flatMap(({ filename, outputs }) =>
    Object.entries(outputs).map(
      ([name, { key }]) => [`${filename}.${name}`, new Uint8Array(read(stored, key))] as const,
    ),
  );
  const listed = documents.map(({ filename, status, errors, outputs }) => {
    return { filename, status, errors, files: Object.keys(outputs).map((name) => `${filename}.${name}`) };
  });
  const manifest = strToU8(JSON.stringify({ documents: listed }));
  return zipSync({ ...Object.fromEntries(files), 'manifest.json': manifest });
}
