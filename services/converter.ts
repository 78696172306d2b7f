import { Piscina } from 'piscina';
import { AppError, type ErrorCode } from '../model/errors';
import type { Converted, Converter } from './ports';

/** What is sent to a conversion thread. */
export interface ConversionTask {
  bytes: Uint8Array;
  name: string;
  mimetype?: string;
}

/** What a conversion thread answers. Errors travel as values, since a thread boundary strips classes and codes. */
export type ConversionAnswer = { converted: Converted } | { failure: { code: ErrorCode; message: string } };

/** `threadFile` is compiled JavaScript that exports `convert`: a ConversionTask to a ConversionAnswer. */
export interface ConverterOptions {
  threadFile: string;
  threads: number;
  /** Heap limit of one thread. */
  memoryMb: number;
}

/** A thread that has had nothing to do for so long ends and gives its memory back. */
const idleTimeoutMs = 60_000;
/** Resident memory of a busy thread is mostly young generation; 8 MB measured 10 % smaller than 16, and faster than 4. */
const youngGenerationMb = 8;

/**
 * A pool of conversion threads with a queue in order of arrival. `convert` takes the bytes over (they are detached in the
 * caller when they fill their buffer); the time limit runs from the start of the work, not from queueing.
 */
export function createConverter({ threadFile, threads, memoryMb }: ConverterOptions): Converter {
  const pool = new Piscina<ConversionTask, ConversionAnswer>({
    filename: threadFile,
    name: 'convert',
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: idleTimeoutMs,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: youngGenerationMb },
  });
  const slots = createSlots(threads);
  const closing = new AbortController();

  return {
    async convert({ bytes, name, mimetype, timeoutMs, signal }) {
      const ended = AbortSignal.any([signal, closing.signal]);
      const release = await slots.take(ended);
      const timeout = new AbortController();
      const timer = setTimeout(() => timeout.abort(), timeoutMs);
      try {
        const owned = ownBytes(bytes);
        const task = mimetype === undefined ? { bytes: owned, name } : { bytes: owned, name, mimetype };
        const answer = await pool.run(task, {
          signal: AbortSignal.any([ended, timeout.signal]),
          transferList: [owned.buffer],
        });
        if ('failure' in answer) throw new AppError(answer.failure.code, answer.failure.message);
        return answer.converted;
      } catch (error) {
        if (error instanceof AppError) throw error;
        if (ended.aborted) throw ended.reason;
        if (timeout.signal.aborted) throw timeoutError(name, timeoutMs);
        throw threadError(error, name, memoryMb);
      } finally {
        clearTimeout(timer);
        release();
      }
    },
    async close() {
      closing.abort(
        new AppError('SERVICE_UNAVAILABLE', 'The converter was closed while documents were being converted.'),
      );
      await pool.destroy();
    },
  };
}

function timeoutError(name: string, timeoutMs: number): AppError {
  return new AppError(
    'CONVERSION_TIMEOUT',
    `The conversion of '${name}' took longer than its limit of ${timeoutMs / 1000} seconds and was ended.`,
  );
}

function threadError(error: unknown, name: string, memoryMb: number): AppError {
  if ((error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new AppError(
      'DOCUMENT_TOO_LARGE',
      `The conversion of '${name}' needed more than the ${memoryMb} MB that a conversion thread may use.`,
      {},
      error,
    );
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new AppError('CONVERSION_FAILED', `The conversion of '${name}' ended unexpectedly: ${reason}`, {}, error);
}

/** Bytes in a buffer of their own, which can be transferred; small Node buffers share a pool that cannot. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  const owns = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
  return owns ? new Uint8Array(buffer) : new Uint8Array(bytes);
}

interface Slots {
  /** Waits for a free slot; rejects with the signal's reason. Gives what frees the slot again. */
  take(signal: AbortSignal): Promise<() => void>;
}

/** Lets `count` callers in at a time, in order: the pool's own queue would not tell when a task begins. */
function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  const release = () => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };
  return {
    take(signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        if (free > 0) {
          free -= 1;
          return resolve(release);
        }
        const enter = () => {
          signal.removeEventListener('abort', leave);
          resolve(release);
        };
        const leave = () => {
          waiting.splice(waiting.indexOf(enter), 1);
          reject(signal.reason);
        };
        waiting.push(enter);
        signal.addEventListener('abort', leave, { once: true });
      });
    },
  };
}
