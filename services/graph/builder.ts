import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { AppError, asAppError, type ErrorCode } from '../../model/errors';
import type { GraphFacts } from '../../model/graph/graph-build';
import type { GraphOptions } from '../../model/graph/wire';
import type { VisionQuestion } from '../../model/page/vision';

/** Input of a graph thread, including the folder for its files. */
export interface GraphTask {
  source: Uint8Array;
  sourceType: 'document' | 'markdown';
  sourceName: string;
  /** JSON text with a member `template`. */
  template: string;
  options: GraphOptions;
  /** ISO 8601. Written to the files as their creation time; the same in every attempt. */
  createdAt: string;
  /** Results stored by earlier attempts, by key. */
  finished: ReadonlyMap<string, string>;
  folder: string;
}

/** Calls from a thread to the outside. */
export interface GraphHooks {
  /** Calls the language model. The library defines the format of the question. */
  ask(question: unknown, signal: AbortSignal): Promise<{ text: string; isTruncated: boolean }>;
  /** Calls the vision model. */
  see(question: VisionQuestion, signal: AbortSignal): Promise<{ text: string; isTruncated: boolean }>;
  /** Stores the result of a unit of work. */
  done(unit: { key: string; text: string }): Promise<void>;
}

/** An error in a form that can cross a thread boundary. `isFinal`: a retry would fail the same way. */
export interface ThreadFailure {
  code: ErrorCode;
  message: string;
  retryAfterMs?: number;
  isFinal?: boolean;
}
/** Answer of a thread. Errors travel as values because a thread boundary strips their classes and codes. */
export type GraphAnswer = { facts: GraphFacts } | { failure: ThreadFailure };
/** Messages that a running thread sends, and the replies to them. */
export type ThreadCall = { id: number } & (
  | { hook: 'ask'; argument: unknown }
  | { hook: 'see'; argument: VisionQuestion }
  | { hook: 'done'; argument: { key: string; text: string } }
);
export type ThreadReply = { id: number } & ({ value: unknown } | { failure: ThreadFailure });

/** Builds graphs in worker threads, so that a large graph blocks nothing and a cancellation really stops the work. */
export interface GraphBuilder {
  /** Throws the signal's reason, or DOCUMENT_TOO_LARGE or GRAPH_PIPELINE_FAILED when the thread was terminated. */
  build(task: GraphTask, hooks: GraphHooks, signal: AbortSignal): Promise<GraphAnswer>;
  close(): Promise<void>;
}

/** A thread that has been idle for this long ends and releases its memory. */
const idleTimeoutMs = 30_000;

/** `threadFile` is compiled JavaScript that exports `buildGraphFiles` (GraphTask with a port to GraphAnswer). */
export function createGraphBuilder({
  threadFile,
  threads,
  memoryMb,
}: {
  threadFile: string;
  threads: number;
  /** Heap limit of one thread, in MB. */
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
        throw createThreadError(error, task.sourceName, memoryMb);
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
      return { id: call.id, value: await callHook(call, hooks, signal) };
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

function callHook(call: ThreadCall, hooks: GraphHooks, signal: AbortSignal): Promise<unknown> {
  if (call.hook === 'done') return hooks.done(call.argument);
  return call.hook === 'see' ? hooks.see(call.argument, signal) : hooks.ask(call.argument, signal);
}

function createThreadError(error: unknown, name: string, memoryMb: number): AppError {
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
