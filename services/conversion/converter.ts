import { setFlagsFromString } from 'node:v8';
import { Piscina } from 'piscina';
import { addSpeech } from '../../model/conversion/speech/speech';
import { hasModel } from '../../model/conversion/vision/vision-endpoint';
import { type VisionOptions, findVisionPlan, listWantedTasks } from '../../model/conversion/vision/vision-plan';
import type { VisionSettings } from '../../model/conversion/vision/vision-settings';
import { AppError, type ErrorCode } from '../../model/errors';
import type { PageCount } from '../../model/page/page-count';
import type { VisionPlan } from '../../model/page/vision';
import type { ConversionQuality } from '../../model/review/quality';
import { createFairSlots } from '../pacing/fair-slots';
import { startRunningTimer } from '../pacing/running-time';
import type { DocumentExporter, ExportedDocument, ExportTask } from './export';
import type { FoundMembers, MemberAnswer, Members, MemberTask } from './members';
import { isWorthKeeping, type KeptRanges, openKeptRanges, type PageStore } from './page/kept-pages';
import { createPageClock, type PageClock, type SlowPage, watchDone, watchPages } from './page/page-clock';

/** The result of a conversion: all text, so that the worker thread does the serialization. */
export interface Converted {
  markdown: string;
  /** Plain text without markup. */
  text: string;
  /** The DoclingDocument as JSON text. */
  documentJson: string;
  /** The title, or else the first heading; undefined if the document has neither. */
  title?: string;
  pages: number;
  /** The name of the format in the format list: `docx`, `pdf`, … */
  format: string;
  /** Warnings about content that the reader left out. */
  warnings?: string[];
  /** How sure the conversion is of its result; absent where a remote service converted. */
  quality?: ConversionQuality;
}

/** Converts documents in worker threads. Work that exceeds its time limit is terminated. */
export interface Converter {
  convert(input: {
    bytes: Uint8Array;
    name: string;
    mimetype?: string;
    /** Opens the document if it is protected. */
    password?: string;
    /** Reads the formulas of spreadsheet cells. */
    includeFormulas?: boolean;
    ocr?: OcrRequest;
    /** Options for vision models. Fails with CONVERSION_FAILED if pages need a model and none is configured. */
    vision?: VisionOptions;
    timeoutMs: number;
    signal: AbortSignal;
    /** Keeps pages, so that another attempt continues after them. Absent: each attempt starts at the first page. */
    pages?: PageStore;
    /** Called at most once a second while a document with pages is read. */
    onPages?: (pages: PageCount) => void;
  }): Promise<Converted>;
  close(): Promise<void>;
}

/** When to recognize text in images, and in which languages (ISO 639-1 or Tesseract codes; English by default). */
export interface OcrRequest {
  mode: 'never' | 'auto' | 'force';
  languages: readonly string[];
  /** Folder whose subfolder `tessdata` may contain data for more languages. */
  modelsFolder?: string;
  /** A value of `ocr_preset`. Default: `auto`. */
  engine?: string;
  /** Adds the recognized words to the document. */
  keepsWords?: boolean;
}

/** Input of a conversion thread. */
export interface ConversionTask {
  bytes: Uint8Array;
  name: string;
  mimetype?: string;
  password?: string;
  includeFormulas?: boolean;
  /** Default: only pages that have no text layer, in English. */
  ocr?: OcrRequest;
  /** Folder with the layout and table models and the OCR language data. */
  modelsFolder?: string;
  /** The models to call for pages and pictures. Contains API keys. */
  vision?: VisionPlan;
  /** Where the thread records the page that it works on. */
  pageClock?: PageClock;
  /** Pages of earlier attempts, and where those of this one are kept. */
  keptRanges?: KeptRanges;
}

/** Answer of a conversion thread. Errors travel as values because a thread boundary strips their classes and codes. */
export type ConversionAnswer = { converted: Converted } | { failure: { code: ErrorCode; message: string } };

/** Answer of a conversion thread that also writes the outputs. Failures of the document are part of `exported`. */
export type ExportAnswer = { exported: ExportedDocument } | { failure: { code: ErrorCode; message: string } };

type PoolTask = ConversionTask | ExportTask | MemberTask;
type PoolAnswer = ConversionAnswer | ExportAnswer | MemberAnswer;

/**
 * `getThreadFile` is compiled JavaScript that exports `convert` (ConversionTask to ConversionAnswer) and `exportDocument`
 * (ExportTask to ExportAnswer).
 */
export interface ConverterOptions {
  threadFile: string;
  threads: number;
  /** Heap limit of one thread, in MB. */
  memoryMb: number;
  /** Time limit of one page of a PDF, unless its document waits for models; 0 means no limit. Default: 0. */
  pageTimeoutMs?: number;
  /** The server's own model settings, used by `convert`. */
  vision?: VisionSettings | undefined;
  /** Folder in which `convert` looks up models. Tasks of `exportDocument` name their own folder. */
  modelsFolder?: string | undefined;
}

/**
 * An idle thread ends after this time and releases its memory, about 60 MB. Starting another takes 0.2 s of processor time, and its
 * first documents take several times as long as later ones: runs do not notice it, but callers of the service do.
 */
const idleTimeoutMs = { flows: 60_000, exports: 600_000 };
/**
 * Most of the memory that a document used is garbage once it is converted, but a small young generation keeps copying it. Per
 * Word document, 8 MB cost nearly twice the CPU time of 32 MB. With two threads, 32 MB take 60 MB more than 16 MB. Workers of
 * flows use 16 MB because they also hold tables and vectors in memory.
 */
const youngGenerationMb = { flows: 16, exports: 32 };
/**
 * Each thread collects its own garbage. The helper threads that V8 would start for many short collections cost a third of the
 * total CPU time of conversion, and no processors are left for them when there are as many conversion threads as processors.
 */
const collectAlone = ['--no-parallel-scavenge', '--no-concurrent-marking'];
/** A size on the command line of the process would count for threads, too, instead of their own limits. */
const ownYoungGeneration = '--max-semi-space-size=0';

/** Number of threads that may wait for models, per computing thread. */
const waitingShare = 2;

/** Fairness key of work that belongs to no caller in particular. */
const sharedKey = '';

/** Fairness key and time limit of opening archives, which shares the threads with the conversion of documents. */
const memberKey = 'members';
const memberTimeoutMs = 300_000;

/**
 * Creates conversion threads for flows and exports, at most `threads` of which run at a time, and separate threads for documents
 * that wait for models. Each group has a queue in order of arrival, in which fairness keys take turns. `convert` and
 * `exportDocument` transfer the bytes: a caller's array is detached when it fills its whole buffer. The time limit starts with
 * the work, not with queueing.
 */
export function createConverter(options: ConverterOptions): Converter & DocumentExporter & Members {
  for (const flag of [...collectAlone, ownYoungGeneration]) setFlagsFromString(flag);
  return new ThreadConverter(options);
}

class ThreadConverter implements Converter, DocumentExporter, Members {
  private readonly flows;
  private readonly exports;
  // Work that waits for models must not hold up work that computes.
  private readonly models;
  private readonly computing;
  private readonly waiting;
  private readonly closing = new AbortController();

  private readonly pageTimeoutMs;
  private readonly vision;

  constructor(private readonly options: ConverterOptions) {
    const {
      threads,
      pageTimeoutMs = 0,
      vision = { remoteServices: true, network: { allowed: [], own: [] } },
    } = options;
    this.flows = createPool(options, threads, 'flows');
    this.exports = createPool(options, threads, 'exports');
    this.models = createPool(options, threads * waitingShare, 'flows');
    this.computing = createFairSlots(threads);
    this.waiting = createFairSlots(threads * waitingShare);
    this.pageTimeoutMs = pageTimeoutMs;
    this.vision = vision;
  }

  async convert({
    bytes,
    name,
    mimetype,
    password,
    includeFormulas,
    ocr,
    vision: options,
    timeoutMs,
    signal,
    pages,
    onPages,
  }: Parameters<Converter['convert']>[0]) {
    if (options) checkModels(options, this.vision);
    const plan = addSpeech(options && findVisionPlan(options, this.vision), this.vision, { name, mimetype });
    const task = {
      bytes,
      name,
      ...(mimetype === undefined ? {} : { mimetype }),
      ...(password === undefined ? {} : { password }),
      ...(includeFormulas ? { includeFormulas } : {}),
      ...(ocr ? { ocr } : {}),
      ...(this.options.modelsFolder === undefined ? {} : { modelsFolder: this.options.modelsFolder }),
      ...(plan ? { vision: plan } : {}),
    };
    const answer = (await this.run({
      run: 'convert',
      waits: plan !== undefined,
      name,
      key: sharedKey,
      task: async () => task,
      timeoutMs,
      signal,
      ...(pages ? { pages } : {}),
      ...(onPages ? { onPages } : {}),
    })) as ConversionAnswer;
    if ('failure' in answer) throw new AppError(answer.failure.code, answer.failure.message);
    return answer.converted;
  }

  async exportDocument({
    timeoutMs,
    signal,
    fairnessKey,
    load,
    pages,
    onPages,
    ...task
  }: Parameters<DocumentExporter['exportDocument']>[0]) {
    const work = async () => ({ ...task, bytes: await load() });
    const answer = (await this.run({
      run: 'exportDocument',
      waits: task.vision !== undefined,
      name: task.name,
      key: fairnessKey,
      task: work,
      timeoutMs,
      signal,
      ...(pages ? { pages } : {}),
      ...(onPages ? { onPages } : {}),
    })) as ExportAnswer;
    if ('failure' in answer) throw new AppError(answer.failure.code, answer.failure.message);
    return answer.exported;
  }

  async find(task: MemberTask, signal: AbortSignal): Promise<FoundMembers> {
    const answer = (await this.run({
      run: 'findMembers',
      waits: false,
      name: task.name,
      key: memberKey,
      task: async () => task,
      timeoutMs: memberTimeoutMs,
      signal,
    })) as MemberAnswer;
    if ('failure' in answer) throw new AppError(answer.failure.code, answer.failure.message);
    return answer.found;
  }

  async close() {
    this.closing.abort(
      new AppError('SERVICE_UNAVAILABLE', 'The converter was closed while documents were being converted.'),
    );
    await Promise.all([this.flows, this.exports, this.models].map((item) => item.destroy()));
  }

  private choosePool({ run, waits }: PoolWork) {
    if (waits) return this.models;
    return run === 'exportDocument' ? this.exports : this.flows;
  }

  private async run(work: PoolWork): Promise<PoolAnswer> {
    const { name } = work;
    let timeoutMs = 0;
    const ended = AbortSignal.any([work.signal, this.closing.signal]);
    const release = await (work.waits ? this.waiting : this.computing).take(work.key, ended);
    const pool = this.choosePool(work);
    const timeout = new AbortController();
    let slow: SlowPage | undefined;
    const endWatches: (() => void)[] = [];
    let keeping: Awaited<ReturnType<typeof openKeptRanges>> | undefined;
    try {
      const task = await work.task();
      if (work.pages && isWorthKeeping(task.bytes)) keeping = await openKeptRanges(work.pages);
      timeoutMs = typeof work.timeoutMs === 'number' ? work.timeoutMs : work.timeoutMs(task.bytes.length);
      endWatches.push(startRunningTimer(timeoutMs, () => timeout.abort()));
      const bytes = copyBytes(task.bytes);
      const pageClock = createPageClock();
      if (this.pageTimeoutMs > 0 && !work.waits) {
        const onSlow = (page: SlowPage) => {
          slow = page;
          timeout.abort();
        };
        endWatches.push(watchPages(pageClock, this.pageTimeoutMs, onSlow));
      }
      if (work.onPages) endWatches.push(watchDone(pageClock, work.onPages));
      return await pool.run(
        { ...task, bytes, pageClock, ...(keeping ? { keptRanges: keeping.kept } : {}) },
        {
          name: work.run,
          signal: AbortSignal.any([ended, timeout.signal]),
          transferList: [bytes.buffer, ...(keeping ? [keeping.kept.port] : [])],
        },
      );
    } catch (error) {
      if (error instanceof AppError) throw error;
      if (ended.aborted) throw ended.reason;
      if (slow) throw createPageTimeoutError(name, slow, this.pageTimeoutMs);
      if (timeout.signal.aborted) throw createTimeoutError(name, timeoutMs);
      throw createThreadError(error, name, this.options.memoryMb);
    } finally {
      for (const endWatch of endWatches) endWatch();
      release();
      await keeping?.close();
    }
  }
}

/** Threads start with their first task. */
function createPool({ threadFile, memoryMb }: ConverterOptions, threads: number, use: 'flows' | 'exports') {
  return new Piscina<PoolTask, PoolAnswer>({
    filename: threadFile,
    name: 'convert',
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: idleTimeoutMs[use],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: youngGenerationMb[use] },
  });
}

/** Fails early, because a flow would not show that a requested option had no effect. */
function checkModels(options: VisionOptions, settings: VisionSettings): void {
  const idle = listWantedTasks(options).find(({ config }) => !hasModel(config, settings));
  if (!idle) return;
  throw new AppError(
    'CONVERSION_FAILED',
    `${idle.option} needs a model that sees images: set vlm_pipeline.engine_options.url or DOCLOOM_VISION_URL.`,
  );
}

/** One call of a function of the thread file. */
interface PoolWork {
  run: 'convert' | 'exportDocument' | 'findMembers';
  /** The work spends most of its time waiting for models. */
  waits: boolean;
  /** Name of the document, used in messages. */
  name: string;
  key: string;
  /** Loads the bytes once a thread is free. */
  task: () => Promise<PoolTask>;
  /** Measured from the arrival of the bytes. */
  timeoutMs: number | ((bytes: number) => number);
  signal: AbortSignal;
  /** Keeps the pages of a PDF that is long enough. */
  pages?: PageStore;
  onPages?: (pages: PageCount) => void;
}

/** The error for a conversion that reached its time limit. */
export function createTimeoutError(name: string, timeoutMs: number): AppError {
  return new AppError(
    'CONVERSION_TIMEOUT',
    `The conversion of '${name}' took longer than its limit of ${timeoutMs / 1000} seconds and was ended.`,
  );
}

function createPageTimeoutError(name: string, { pageNo }: SlowPage, limitMs: number): AppError {
  return new AppError(
    'CONVERSION_TIMEOUT',
    `Page ${pageNo} of '${name}' took longer than the limit of ${limitMs / 1000} seconds for a page, and the conversion was ended.`,
  );
}

/** The error for a conversion thread that ended unexpectedly. */
export function createThreadError(error: unknown, name: string, memoryMb: number): AppError {
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

/** Returns the bytes in a buffer that can be transferred. Small Node buffers share a pool that cannot be. */
export function copyBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  const fillsBuffer = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
  return fillsBuffer ? new Uint8Array(buffer) : new Uint8Array(bytes);
}
