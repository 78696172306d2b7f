import { setFlagsFromString } from 'node:v8';
import { Piscina } from 'piscina';
import { hasModel } from '../../model/conversion/vision/vision-endpoint';
import { type VisionOptions, visionPlanOf, wantedTasks } from '../../model/conversion/vision/vision-plan';
import type { VisionSettings } from '../../model/conversion/vision/vision-settings';
import { AppError, type ErrorCode } from '../../model/errors';
import type { VisionPlan } from '../../model/page/vision';
import type { DocumentExporter, ExportedDocument, ExportTask } from './export';
import { createFairSlots } from '../pacing/fair-slots';

/** The result of a conversion: all text, so that the worker thread does the serialization. */
export interface Converted {
  markdown: string;
  /** The text as a person reads it. */
  text: string;
  /** The DoclingDocument as JSON text. */
  documentJson: string;
  /** The text of the title, or else of the first heading; undefined if the document has neither. */
  title?: string;
  pages: number;
  /** The name of the format in the format list: `docx`, `pdf`, … */
  format: string;
  /** Messages about content that the reader left out. */
  warnings?: string[];
}

/** Converts in worker threads; work that exceeds its time limit is terminated. */
export interface Converter {
  convert(input: {
    bytes: Uint8Array;
    name: string;
    mimetype?: string;
    ocr?: OcrRequest;
    /** The tasks of vision models. CONVERSION_FAILED if pages need a model and there is none. */
    vision?: VisionOptions;
    timeoutMs: number;
    signal: AbortSignal;
  }): Promise<Converted>;
  close(): Promise<void>;
}

/** When to recognize text in images, and its languages (ISO 639-1 or Tesseract codes; English by default). */
export interface OcrRequest {
  mode: 'never' | 'auto' | 'force';
  languages: readonly string[];
  /** Its folder `tessdata` may contain the data of further languages. */
  modelsFolder?: string;
}

/** What is sent to a conversion thread. */
export interface ConversionTask {
  bytes: Uint8Array;
  name: string;
  mimetype?: string;
  /** Default: pages without text of their own, in English. */
  ocr?: OcrRequest;
  /** Of models of layout and tables, and of languages of text recognition. */
  modelsFolder?: string;
  /** The models that are asked about pages and pictures; holds keys. */
  vision?: VisionPlan;
}

/** What a conversion thread answers. Errors travel as values, since a thread boundary strips classes and codes. */
export type ConversionAnswer = { converted: Converted } | { failure: { code: ErrorCode; message: string } };

/** What a conversion thread answers that writes the outputs too. */
export type ExportAnswer = { exported: ExportedDocument };

/**
 * `threadFile` is compiled JavaScript that exports `convert`: a ConversionTask to a ConversionAnswer, and `exportDocument`:
 * an ExportTask to an ExportAnswer.
 */
export interface ConverterOptions {
  threadFile: string;
  threads: number;
  /** Heap limit of one thread. */
  memoryMb: number;
  /** The models of the server's own settings, for `convert`. */
  vision?: VisionSettings | undefined;
  /** What `convert` looks for models in; tasks of `exportDocument` name their own. */
  modelsFolder?: string | undefined;
}

/** A thread that has had nothing to do for so long ends and gives its memory back. */
const idleTimeoutMs = 60_000;
/**
 * What a document leaves behind is mostly garbage at its end: a small young generation copies it again and again. 8 MB cost
 * nearly twice the processor time of 32 per Word document, and 32 take 60 MB more than 16 in a worker of two threads. The
 * worker of a flow has tables and vectors in its memory too.
 */
const youngGenerationMb = { flows: 16, exports: 32 };
/**
 * Each thread collects its own garbage: the helpers that V8 would start for each of many short collections cost a third of
 * all the processor time of conversion, and with as many conversion threads as processors there is none left for them.
 */
const collectAlone = ['--no-parallel-scavenge', '--no-concurrent-marking'];

/** Threads that wait for models, for each that computes. */
const waitingShare = 2;

/** Work that was put into the pool by nobody in particular. */
const sharedKey = '';

/**
 * Conversion threads for flows and for exports, of which `threads` work at a time, and others for documents that wait for
 * models, each with a queue in order of arrival, in which keys take turns. `convert` and `exportDocument` take the bytes over
 * (they are detached in the caller when they fill their buffer); the time limit runs from the start of the work, not from
 * queueing.
 */
export function createConverter({
  threadFile,
  threads,
  memoryMb,
  modelsFolder,
  vision = { remoteServices: true, network: { allowed: [], own: [] } },
}: ConverterOptions): Converter & DocumentExporter {
  for (const flag of collectAlone) setFlagsFromString(flag);
  const pool = (most: number, youngMb: number) => createPool(threadFile, { threads: most, memoryMb, youngMb });
  const flows = pool(threads, youngGenerationMb.flows);
  const exports = pool(threads, youngGenerationMb.exports);
  // What waits for models must not hold up what computes.
  const models = pool(threads * waitingShare, youngGenerationMb.flows);
  const computing = createFairSlots(threads);
  const waiting = createFairSlots(threads * waitingShare);
  const closing = new AbortController();

  async function run(work: PoolWork): Promise<ConversionAnswer | ExportAnswer> {
    const { name, timeoutMs } = work;
    const ended = AbortSignal.any([work.signal, closing.signal]);
    const release = await (work.waits ? waiting : computing).take(work.key, ended);
    const threadsOfWork = work.waits ? models : work.run === 'convert' ? flows : exports;
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    try {
      const task = await work.task();
      const bytes = ownBytes(task.bytes);
      return await threadsOfWork.run(
        { ...task, bytes },
        { name: work.run, signal: AbortSignal.any([ended, timeout.signal]), transferList: [bytes.buffer] },
      );
    } catch (error) {
      if (error instanceof AppError) throw error;
      if (ended.aborted) throw ended.reason;
      if (timeout.signal.aborted) throw timeoutError(name, timeoutMs);
      throw threadError(error, name, memoryMb);
    } finally {
      clearTimeout(timer);
      release();
    }
  }

  return {
    async convert({ bytes, name, mimetype, ocr, vision: asked, timeoutMs, signal }) {
      if (asked) checkModels(asked, vision);
      const plan = asked && visionPlanOf(asked, vision);
      const task = {
        bytes,
        name,
        ...(mimetype === undefined ? {} : { mimetype }),
        ...(ocr ? { ocr } : {}),
        ...(modelsFolder === undefined ? {} : { modelsFolder }),
        ...(plan ? { vision: plan } : {}),
      };
      const answer = await run({
        run: 'convert',
        waits: plan !== undefined,
        name,
        key: sharedKey,
        task: async () => task,
        timeoutMs,
        signal,
      });
      if ('failure' in answer) throw new AppError(answer.failure.code, answer.failure.message);
      return (answer as { converted: Converted }).converted;
    },
    async exportDocument({ timeoutMs, signal, fairnessKey, load, ...task }) {
      const work = async () => ({ ...task, bytes: await load() });
      const answer = await run({
        run: 'exportDocument',
        waits: task.vision !== undefined,
        name: task.name,
        key: fairnessKey,
        task: work,
        timeoutMs,
        signal,
      });
      return (answer as ExportAnswer).exported;
    },
    async close() {
      closing.abort(
        new AppError('SERVICE_UNAVAILABLE', 'The converter was closed while documents were being converted.'),
      );
      await Promise.all([flows, exports, models].map((each) => each.destroy()));
    },
  };
}

/** Threads that begin with the first work for them. */
function createPool(
  filename: string,
  { threads, memoryMb, youngMb }: { threads: number; memoryMb: number; youngMb: number },
) {
  return new Piscina<ConversionTask | ExportTask, ConversionAnswer | ExportAnswer>({
    filename,
    name: 'convert',
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: idleTimeoutMs,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: youngMb },
  });
}

/** In a flow nobody would see that what was asked for has no effect. */
function checkModels(asked: VisionOptions, settings: VisionSettings): void {
  const idle = wantedTasks(asked).find(({ config }) => !hasModel(config, settings));
  if (!idle) return;
  throw new AppError(
    'CONVERSION_FAILED',
    `${idle.option} needs a model that sees images: name one by vlm_pipeline.engine_options.url, or set DOCLOOM_VISION_URL.`,
  );
}

/** One call of a function of the thread file. */
interface PoolWork {
  run: 'convert' | 'exportDocument';
  /** For models, most of the time. */
  waits: boolean;
  /** Of the document, for messages. */
  name: string;
  key: string;
  /** Gives the bytes when a thread is free. */
  task: () => Promise<ConversionTask | ExportTask>;
  timeoutMs: number;
  signal: AbortSignal;
}

/** A conversion that was ended at its time limit. */
export function timeoutError(name: string, timeoutMs: number): AppError {
  return new AppError(
    'CONVERSION_TIMEOUT',
    `The conversion of '${name}' took longer than its limit of ${timeoutMs / 1000} seconds and was ended.`,
  );
}

/** What ended a thread of conversion. */
export function threadError(error: unknown, name: string, memoryMb: number): AppError {
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
export function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  const owns = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
  return owns ? new Uint8Array(buffer) : new Uint8Array(bytes);
}
