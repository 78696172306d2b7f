import type { Hash } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { FilesStore } from '../../../services/storage/files';

/** A file of a request, in the file store. */
export interface Upload {
  key: string;
  size: number;
  /** False when its base64 was invalid. */
  isWhole: boolean;
}

/** Receives the bytes of one file. Small files are written in one piece, larger ones as a stream. */
export interface UploadSink {
  write(bytes: Buffer): Promise<void>;
  end(isWhole?: boolean): Promise<Upload>;
  abort(): Promise<void>;
}

/** Files up to this size are held in memory and written in one piece. */
const smallBytes = 256 * 1024;

/** The uploads of one request, numbered in the order received. */
export interface Uploads {
  /** Files beyond the limit of a request are counted but not stored, because the request will be rejected. */
  open(): UploadSink;
  /** Removes the stored files of a request that creates no task. */
  discard(): Promise<void>;
}

/**
 * Stores up to `maxFiles` uploads under the keys from `createKey`, all in folders used only by this request. Also adds their bytes to
 * `hash`.
 */
export function createUploads(
  files: Pick<FilesStore, 'put' | 'removePrefix'>,
  createKey: (index: number) => string,
  maxFiles: number,
  hash?: Hash,
): Uploads {
  const folders = new Set<string>();
  const open: UploadSink[] = [];
  return {
    open() {
      if (open.length >= maxFiles) return createCounter();
      const key = createKey(open.length);
      folders.add(key.slice(0, key.lastIndexOf('/') + 1) || key);
      const sink = hashWhileWriting(createSink(files, key), hash);
      open.push(sink);
      return sink;
    },
    async discard() {
      await Promise.allSettled(open.map((sink) => sink.abort()));
      await Promise.allSettled([...folders].map((folder) => files.removePrefix(folder)));
    },
  };
}

function hashWhileWriting(sink: UploadSink, hash: Hash | undefined): UploadSink {
  if (!hash) return sink;
  return {
    ...sink,
    write(bytes) {
      hash.update(bytes);
      return sink.write(bytes);
    },
  };
}

function createCounter(): UploadSink {
  let size = 0;
  return {
    async write(bytes) {
      size += bytes.length;
    },
    end: async (isWhole = true) => ({ key: '', size, isWhole }),
    abort: async () => undefined,
  };
}

function createSink(files: Pick<FilesStore, 'put'>, key: string): UploadSink {
  let held: Buffer[] = [];
  let size = 0;
  let stream: PassThrough | undefined;
  let written: Promise<unknown> | undefined;
  let failure: unknown;
  const flush = async (bytes: Buffer) => {
    if (failure !== undefined) throw failure;
    if (!stream || bytes.length === 0 || stream.write(bytes)) return;
    // A store that fails destroys the stream, which then never emits drain.
    await Promise.race([once(stream, 'drain'), once(stream, 'close')]);
    if (failure !== undefined) throw failure;
  };
  return {
    async write(bytes) {
      size += bytes.length;
      if (stream) return flush(bytes);
      held.push(bytes);
      if (size <= smallBytes) return;
      stream = new PassThrough({ highWaterMark: 1024 * 1024 });
      stream.on('error', () => undefined);
      const target = stream;
      written = files.put(key, stream).catch((error: unknown) => {
        failure = error;
        target.destroy();
      });
      const first = Buffer.concat(held);
      held = [];
      return flush(first);
    },
    async end(isWhole = true) {
      if (!stream) await files.put(key, Buffer.concat(held));
      else {
        stream.end();
        await written;
        if (failure !== undefined) throw failure;
      }
      return { key, size, isWhole };
    },
    async abort() {
      stream?.destroy(new Error('the request ended before its file did'));
      await written;
    },
  };
}
