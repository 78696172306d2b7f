import { MessageChannel, type MessagePort } from 'node:worker_threads';

/** Pages of a document that were read, in a form that only the reader understands. */
export interface PageRange {
  from: number;
  to: number;
  bytes: Uint8Array;
}

/** Stores ranges of pages of one document until its conversion ends. */
export interface PageStore {
  /** What earlier attempts have stored. Ranges may overlap. */
  read(): Promise<PageRange[]>;
  write(range: PageRange): Promise<void>;
}

/** The port through which a conversion thread receives earlier ranges and sends new ones (PageRange). */
export interface KeptRanges {
  ranges: PageRange[];
  port: MessagePort;
}

/** Smaller files are converted in seconds. */
const minBytes = 100_000;

/** True for a PDF whose conversion may take so long that its pages are worth keeping. */
export function isWorthKeeping(bytes: Uint8Array): boolean {
  return bytes.length >= minBytes && Buffer.from(bytes.buffer, bytes.byteOffset, 1_024).includes('%PDF-');
}

/** Connects a thread with the store. `close` resolves when no write is in progress; later messages are ignored. */
export async function openKeptRanges(store: PageStore): Promise<{ kept: KeptRanges; close: () => Promise<void> }> {
  const ranges = await store.read();
  const { port1, port2 } = new MessageChannel();
  const writes = new Set<Promise<void>>();
  let isOver = false;
  port1.on('message', (range: PageRange) => {
    if (isOver) return;
    // Without the range, a later attempt only reads its pages again.
    const write = store.write(range).catch(() => undefined);
    writes.add(write);
    void write.then(() => writes.delete(write));
  });
  return {
    kept: { ranges, port: port2 },
    close: async () => {
      isOver = true;
      port1.close();
      await Promise.all(writes);
    },
  };
}
