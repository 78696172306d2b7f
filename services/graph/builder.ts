import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { AppError, asAppError, type ErrorCode } from '../../model/errors';
import type { GraphFacts } from '../../model/graph/graph-build';
import type { VisionQuestion } from '../../model/page/vision';
import type { GraphOptions } from '../../model/graph/wire';

/** What a thread builds a graph of, and where it writes the files. */
export interface GraphTask {
  source: Uint8Array;
  sourceType: 'document' | 'markdown';
  sourceName: string;
  /** JSON text with the member `template`. */
  template: string;
  options: GraphOptions;
  /** ISO 8601; what files tell as the time of their making, the same in every attempt. */
  createdAt: string;
  /** What earlier attempts have kept, by key. */
  finished: ReadonlyMap<string, string>;
  folder: string;
}

/** What a thread asks of the outside. */
export interface GraphHooks {
  /** Asks the language model; the question is the library's. */
  ask(question: unknown, signal: AbortSignal): Promise<{ text: string; isTruncated: boolean }>;
  /** Asks the model that sees. */
  see(question: VisionQuestion, signal: AbortSignal): Promise<{ text: string; isTruncated: boolean }>;
  /** Keeps the result of a unit of work. */
  done(unit: { key: string; text: string }): Promise<void>;
}

/** An error as it crosses the boundary of a thread. `isFinal`: another attempt would give the same. */
export interface ThreadFailure {
  code: ErrorCode;
  message: string;
  retryAfterMs?: number;
  isFinal?: boolean;
}
/** What a thread answers. Errors travel as values, since a thread boundary strips classes and codes. */
export type GraphAnswer = { facts: GraphFacts } | { failure: ThreadFailure };
/** What a thread sends while it works, and what it is answered. */
export type ThreadCall = { id: number } & (
  | { hook: 'ask'; argument: unknown }
  | { hook: 'see'; argument: VisionQuestion }
  | { hook: 'done'; argument: { key: string; text: string } }
);
export type ThreadReply = { id: number } & ({ value: unknown } | { failure: ThreadFailure });

/** Builds graphs in worker threads, so that a large one stops nobody, and cancellation really ends the work. */
export interface GraphBuilder {
  /** Throws DOCUMENT_TOO_LARGE and GRAPH_PIPELINE_FAILED when the thread was ended, and the signal's reason. */
  build(task: GraphTask, hooks: GraphHooks, signal: AbortSignal): Promise<GraphAnswer>;
  close(): Promise<void>;
}

/** A thread that has had nothing to do for so long ends and gives its memory back. */
const idleTimeoutMs = 30_000;

/** `threadFile` is compiled JavaScript that exports `buildGraphFiles`: a GraphTask with a port to a GraphAnswer. */
export function createGraphBuilder({
  threadFile,
  threads,
  memoryMb,
}: {
  threadFile: string;
  threads: number;
  /** Heap limit of one thread. */
  memoryMb: number;
}): GraphBuilder {
  const pool = new Piscina<GraphTask & { port: MessagePort }, GraphAnswer>({
    filename: threadFile,
    name: 'buildGraphFiles',
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: idleTimeoutMs,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  return {
    async build(task, hooks, signal) {
      signal.throwIfAborted();
      const over = new AbortController();
      const { port1, port2 } = new MessageChannel();
      answerCalls(port1, hooks, over.signal);
      try {
        return await pool.run({ ...task, port: port2 }, { signal, transferList: [port2] });
      } catch (error) {
        signal.throwIfAborted();
        throw threadError(error, task.sourceName, memoryMb);
      } finally {
        over.abort();
        port1.close();
      }
    },
    close: () => pool.destroy(),
  };
}

function answerCalls(port: MessagePort, hooks: GraphHooks, signal: AbortSignal): void {
  const answer = async (call: ThreadCall): Promise<ThreadReply> => {
    try {
      return { id: call.id, value: await workOf(call, hooks, signal) };
    } catch (error) {
      const { code, message, details } = asAppError(error);
      const { retryAfterMs } = details;
      return { id: call.id, failure: { code, message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) } };
    }
  };
  port.on('message', (call: ThreadCall) => {
    void answer(call).then((reply) => port.postMessage(reply));
  });
}

function workOf(call: ThreadCall, hooks: GraphHooks, signal: AbortSignal): Promise<unknown> {
  if (call.hook === 'done') return hooks.done(call.argument);
  return call.hook === 'see' ? hooks.see(call.argument, signal) : hooks.ask(call.argument, signal);
}

function threadError(error: unknown, name: string, memoryMb: number): AppError {
  if ((error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new AppError(
      'DOCUMENT_TOO_LARGE',
      `The graph of '${name}' needed more than the ${memoryMb} MB that a thread may use.`,
      {},
      error,
    );
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new AppError('GRAPH_PIPELINE_FAILED', `The graph of '${name}' ended unexpectedly: ${reason}`, {}, error);
}
