import { hash } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { version } from 'docloom/package.json';
import type { KeptPages } from '../../model/page/kept-pages';
import type { KeptRanges, PageRange } from '../../services/conversion/page/kept-pages';

/** Change it when the values that readers offer change. */
const formatVersion = 1;
/** A range is kept once reading its pages has taken this long, so quickly read documents cost nothing. */
const defaultIntervalMs = 2_000;

interface Stored {
  identity: string;
  pages: [pageNo: number, value: unknown][];
}

/**
 * Sends the pages of a document to the caller, a range at a time, and takes those of earlier attempts. Ranges of other bytes (a
 * web page may have changed) or of another release are ignored.
 */
export function createKeptPages(
  { ranges, port }: KeptRanges,
  bytes: Uint8Array,
  { everyMs = defaultIntervalMs, now = () => performance.now() } = {},
): KeptPages {
  // The hash of a large file takes a while, and most files need none.
  const identity = onFirstUse(() => identify(bytes));
  const waiting = [...ranges];
  const earlier = new Map<number, unknown>();
  let pages: Stored['pages'] = [];
  let since = now();
  return {
    take(pageNo) {
      // Ranges may overlap, and a damaged one yields no pages.
      while (!earlier.has(pageNo)) {
        const index = waiting.findIndex((range) => containsPage(range, pageNo));
        if (index < 0) break;
        for (const range of waiting.splice(index, 1))
          for (const [number, value] of readRange(range, identity())) earlier.set(number, value);
      }
      const value = earlier.get(pageNo);
      earlier.delete(pageNo);
      return value;
    },
    offer(pageNo, value) {
      pages.push([pageNo, value]);
      if (now() - since < everyMs) return;
      const packed = deflateRawSync(serialize({ identity: identity(), pages } satisfies Stored), { level: 1 });
      const range: PageRange = { from: pages[0]?.[0] ?? pageNo, to: pageNo, bytes: Uint8Array.from(packed) };
      port.postMessage(range, [range.bytes.buffer as ArrayBuffer]);
      pages = [];
      since = now();
    },
  };
}

function containsPage({ from, to }: PageRange, pageNo: number): boolean {
  return from <= pageNo && pageNo <= to;
}

function readRange({ bytes }: PageRange, identity: string): Stored['pages'] {
  try {
    const stored = deserialize(inflateRawSync(bytes)) as Stored;
    return stored.identity === identity ? stored.pages : [];
  } catch {
    // The range is damaged, or was written by another version of Node.js. Its pages are read again.
    return [];
  }
}

function identify(bytes: Uint8Array): string {
  return `${formatVersion} ${version} ${hash('sha256', bytes)}`;
}

function onFirstUse<Value>(make: () => Value): () => Value {
  let opened: { value: Value } | undefined;
  return () => (opened ??= { value: make() }).value;
}
