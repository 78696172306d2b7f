import { AppError, type ErrorCode } from '../../model/errors';
import { createTimeLimit } from '../../model/time/time-limit';
import { createFairSlots } from '../pacing/fair-slots';
import { createWorkerThread } from '../process/worker-thread';
import { copyBytes, createThreadError, createTimeoutError } from './converter';

/** Input of a page thread that draws a page. */
export interface DrawTask {
  bytes: Uint8Array;
  name: string;
  mimetype?: string;
  /** Counts from 1. */
  pageNo: number;
  /** In pixels. */
  width: number;
}

/** A page as PNG, the number of pages of its document, and its words with their boxes: left, top, right, bottom in points. */
export interface PageDrawing {
  png: Uint8Array;
  pages: number;
  words: { text: string; box: number[] }[];
}

/** Input of a page thread that shows a stored document: its JSON. */
export interface ViewTask {
  bytes: Uint8Array;
  name: string;
}

/** JSON texts: one for the document as a whole, and one per page by its number. */
export interface PageTexts {
  overview: string;
  pages: Record<string, string>;
}

/** Answer of a page thread. Errors travel as values because a thread boundary strips their classes and codes. */
export type PageAnswer<T> = { value: T } | { failure: { code: ErrorCode; message: string } };

/** A stored file, loaded when a thread is free. Files with the same `key` have the same bytes. */
export interface PageSource {
  key: string;
  name: string;
  mimetype?: string;
  load: () => Promise<Uint8Array>;
}

/** The caller: its key for taking turns, and its signal. */
export interface PageAsker {
  fairnessKey: string;
  signal: AbortSignal;
}

/** Pages of documents as pictures and as lists of items. Callers must check access rights before each call. */
export interface PageViews {
  /** Undefined if the document has no such page, or its format has no fixed pages. */
  draw(source: PageSource, pageNo: number, asker: PageAsker): Promise<PageDrawing | undefined>;
  readTexts(source: PageSource, asker: PageAsker): Promise<PageTexts>;
  /** A stored document as one HTML page with its pictures. DOCUMENT_TOO_LARGE above 32 MiB. Not cached. */
  renderHtml(source: PageSource, asker: PageAsker): Promise<string>;
  close(): Promise<void>;
}

/** `getThreadFile` exports `drawPage`, `viewPages` and `writeHtml`. */
export interface PageViewsOptions {
  threadFile: string;
  memoryMb: number;
  /** Bytes of pages that are cached in memory. */
  keptBytes?: number;
}

/** Sharp on a screen of common size; a page of text stays below half a megabyte. */
const pageWidthPixels = 1_400;
const timeoutMs = 20_000;
/** Long enough for a reader to request the next page. */
const idleTimeoutMs = 120_000;
const defaultKeptBytes = 64 * 1024 * 1024;

/**
 * Runs in a separate thread, one page at a time. Users take turns. The most recently used pages are cached, so that a document
 * with many pages is parsed once while someone reads it.
 */
export function createPageViews({ threadFile, memoryMb, keptBytes = defaultKeptBytes }: PageViewsOptions): PageViews {
  const thread = createWorkerThread<DrawTask | ViewTask, PageAnswer<PageDrawing | PageTexts | string | null>>({
    filename: threadFile,
    run: 'drawPage',
    memoryMb,
    idleTimeoutMs,
  });
  const turns = createFairSlots(1);
  const drawn = createPageCache<PageDrawing | null>(keptBytes / 2, (drawing) => (drawing ? drawing.png.length : 0));
  const texts = createPageCache<PageTexts>(keptBytes / 2, countTextLength);

  async function work<T extends PageDrawing | PageTexts | string | null>(
    run: 'drawPage' | 'viewPages' | 'writeHtml',
    { name, load }: PageSource,
    { fairnessKey, signal }: PageAsker,
    more: Partial<DrawTask>,
  ): Promise<T> {
    const release = await turns.take(fairnessKey, signal);
    const timeout = createTimeLimit(timeoutMs);
    try {
      const bytes = copyBytes(await load());
      const ended = AbortSignal.any([signal, timeout]);
      const answer = await thread.run(
        { ...more, bytes, name },
        { name: run, signal: ended, transferList: [bytes.buffer] },
      );
      if ('failure' in answer) throw new AppError(answer.failure.code, answer.failure.message);
      return answer.value as T;
    } catch (error) {
      if (error instanceof AppError) throw error;
      if (signal.aborted) throw signal.reason;
      throw timeout.aborted ? createTimeoutError(name, timeoutMs) : createThreadError(error, name, memoryMb);
    } finally {
      release();
    }
  }

  return {
    async draw(source, pageNo, asker) {
      const { mimetype } = source;
      const more = { pageNo, width: pageWidthPixels, ...(mimetype === undefined ? {} : { mimetype }) };
      const key = `${pageNo} ${source.key}`;
      return (await drawn.get(key, () => work<PageDrawing | null>('drawPage', source, asker, more))) ?? undefined;
    },
    readTexts: (source, asker) => texts.get(source.key, () => work<PageTexts>('viewPages', source, asker, {})),
    renderHtml: (source, asker) => work<string>('writeHtml', source, asker, {}),
    close: () => thread.close(),
  };
}

function countTextLength({ overview, pages }: PageTexts): number {
  return overview.length + Object.values(pages).reduce((sum, text) => sum + text.length, 0);
}

/** A least-recently-used cache with a limit in bytes. Concurrent callers share one computation. Failures are not cached. */
function createPageCache<T>(maxBytes: number, countBytes: (value: T) => number) {
  const views = new Map<string, T>();
  const making = new Map<string, Promise<T>>();
  let size = 0;
  const keep = (key: string, value: T) => {
    const before = views.get(key);
    if (before !== undefined) size -= countBytes(before);
    views.set(key, value);
    size += countBytes(value);
    for (const [oldest, old] of views) {
      if (size <= maxBytes || oldest === key) break;
      views.delete(oldest);
      size -= countBytes(old);
    }
  };
  return {
    async get(key: string, make: () => Promise<T>): Promise<T> {
      const view = views.get(key);
      if (view !== undefined) {
        views.delete(key);
        views.set(key, view);
        return view;
      }
      const begun = making.get(key);
      // The caller that started the computation may have been cancelled.
      if (begun) return begun.catch(() => this.get(key, make));
      const pending = make().finally(() => making.delete(key));
      making.set(key, pending);
      const value = await pending;
      keep(key, value);
      return value;
    },
  };
}
