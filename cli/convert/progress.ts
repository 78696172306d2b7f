import { SingleBar, Presets } from 'cli-progress';
import { type PageCount, sumPages } from '../../model/page/page-count';

/** Shows the progress of a conversion. */
export interface ConvertProgress {
  /** A document is finished. */
  done(): void;
  /** Pages of a document that are done; `undefined` once reading has ended. */
  pages(document: string, pages: PageCount | undefined): void;
  stop(): void;
}

/** The members of a stream that are used. */
export type ProgressStream = Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;

/** Minimum time between two lines about pages when the output is not a terminal. */
const lineEveryMs = 10_000;

/**
 * On a terminal, a bar: of documents, or of pages for a single document that takes longer than a second. Elsewhere, a line every
 * ten seconds about the pages of long documents, and nothing if there are none.
 */
export function createConvertProgress(
  stream: ProgressStream,
  total: number,
  now: () => number = Date.now,
): ConvertProgress {
  const reading = new Map<string, PageCount>();
  const keep = (document: string, pages: PageCount | undefined) =>
    pages ? reading.set(document, pages) : reading.delete(document);
  return stream.isTTY ? createBar(stream, total, reading, keep) : createLines(stream, reading, keep, now);
}

type Keep = (document: string, pages: PageCount | undefined) => unknown;

function createBar(
  stream: ProgressStream,
  total: number,
  reading: ReadonlyMap<string, PageCount>,
  keep: Keep,
): ConvertProgress {
  const isSingle = total < 2;
  const bar = new SingleBar(
    {
      stream: stream as NodeJS.WriteStream,
      hideCursor: true,
      clearOnComplete: true,
      etaBuffer: 50,
      format: isSingle
        ? '{bar} {value}/{total} pages  {eta_formatted} left'
        : '{bar} {value}/{total} documents{pages}  {eta_formatted} left',
    },
    Presets.shades_classic,
  );
  let isShown = !isSingle;
  if (isShown) bar.start(total, 0, { pages: '' });
  return {
    done: () => (isSingle ? undefined : bar.increment()),
    pages(document, pages) {
      keep(document, pages);
      const sum = sumPages(reading.values());
      if (!isSingle) return bar.update({ pages: sum ? ` (${sum.done}/${sum.total} pages)` : '' });
      if (!sum || sum.total < 2) return;
      if (!isShown) bar.start(sum.total, sum.done);
      else bar.update(sum.done);
      isShown = true;
    },
    stop: () => bar.stop(),
  };
}

function createLines(
  stream: ProgressStream,
  reading: ReadonlyMap<string, PageCount>,
  keep: Keep,
  now: () => number,
): ConvertProgress {
  let lastLineAt = now();
  return {
    done: () => undefined,
    pages(document, pages) {
      keep(document, pages);
      const sum = sumPages(reading.values());
      if (!sum || now() - lastLineAt < lineEveryMs) return;
      lastLineAt = now();
      const what = sum.documents === 1 ? [...reading.keys()][0] : `${sum.documents} documents`;
      stream.write(`${what}: ${sum.done} of ${sum.total} pages\n`);
    },
    stop: () => undefined,
  };
}
