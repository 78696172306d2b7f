import { Readable } from 'node:stream';
import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';

/** A file of an archive. It is opened when its turn comes. */
export interface ZipFile {
  name: string;
  open: () => Promise<Readable>;
  /** True if its content is compressed already, and is stored as it is. */
  isCompressed?: boolean;
}

/** Creates an archive while it is read. At most one file is open at a time, and the archive never reads ahead of its consumer. */
export function createZip(files: readonly ZipFile[]): Readable {
  return Readable.from(streamZip(files), { objectMode: false });
}

async function* streamZip(files: readonly ZipFile[]): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = [];
  let failure: Error | undefined;
  const zip = new Zip((error, bytes) => {
    if (error) failure = error;
    else ready.push(bytes);
  });
  const take = () => {
    if (failure) throw failure;
    const bytes = ready;
    ready = [];
    return bytes;
  };
  for (const { name, open, isCompressed } of files) {
    const entry = isCompressed ? new ZipPassThrough(name) : new ZipDeflate(name, { level: 6 });
    zip.add(entry);
    for await (const chunk of (await open()) as AsyncIterable<Uint8Array>) {
      entry.push(chunk);
      yield* take();
    }
    entry.push(new Uint8Array(), true);
    yield* take();
  }
  zip.end();
  yield* take();
}
