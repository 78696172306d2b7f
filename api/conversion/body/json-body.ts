import { createBase64Stream } from './base64-stream';
import { RequestError } from '../http/request-error';
import type { Upload, Uploads } from './uploads';

/** Maximum size of a body without its files. */
const maxPlainBytes = 16 * 1024 * 1024;
const maxDepth = 64;
const quote = 0x22;
const backslash = 0x5c;
const sourceLists = new Set(['sources', 'file_sources']);

/** A body whose files are in the store: `base64_string` of each source holds its name in `uploads`. */
export interface JsonBody {
  value: unknown;
  uploads: ReadonlyMap<string, Upload>;
}

/**
 * Reads a JSON body. Streams each `base64_string` in `sources` and `file_sources` to `uploads` without holding the whole text;
 * `JSON.parse` parses the rest. Invalid JSON is the problem `json_invalid` with its position.
 */
export async function readJsonBody(chunks: AsyncIterable<Buffer>, uploads: Uploads): Promise<JsonBody> {
  const scanner = createScanner(uploads);
  for await (const chunk of chunks) await scanner.write(chunk);
  const { text, offsetAt, found, isOpen } = scanner.end();
  if (text.trim() === '') throw invalid([{ type: 'missing', loc: ['body'], msg: 'Field required' }]);
  if (isOpen) throw notJson(offsetAt(text.length));
  try {
    return { value: JSON.parse(text) as unknown, uploads: found };
  } catch (error) {
    const position = /at position (\d+)/.exec((error as Error).message)?.[1];
    throw notJson(offsetAt(position === undefined ? text.length : Number(position)));
  }
}

function invalid(detail: ConstructorParameters<typeof RequestError>[1]): RequestError {
  return new RequestError(422, detail);
}

function notJson(offset: number): RequestError {
  return invalid([{ type: 'json_invalid', loc: ['body', offset], msg: 'JSON decode error' }]);
}

/** An open object or array at the current position; for objects, the key of the current value. */
interface Level {
  isArray: boolean;
  key: string | undefined;
  expectsKey: boolean;
}
interface Scanned {
  /** The body without file contents. */
  text: string;
  /** Maps a position in `text` to its offset in the body. */
  offsetAt: (position: number) => number;
  found: ReadonlyMap<string, Upload>;
  /** True when the body ended inside a file. */
  isOpen: boolean;
}

// Distinguishes only strings, keys and brackets; the parser decides whether the text is valid JSON.
function createScanner(uploads: Uploads) {
  const plain: Buffer[] = [];
  const levels: Level[] = [];
  const found = new Map<string, Upload>();
  const cuts: { at: number; removed: number }[] = [];
  let plainBytes = 0;
  let string: { isKey: boolean; raw: Buffer[] } | undefined;
  let file: ReturnType<typeof openFile> | undefined;
  let isEscaped = false;

  const keep = (bytes: Buffer) => {
    plainBytes += bytes.length;
    if (plainBytes > maxPlainBytes)
      throw new RequestError(413, 'Payload too large. Besides its files a body may have 16 MB.');
    plain.push(bytes);
  };
  const top = () => levels.at(-1);

  function structural(byte: number): void {
    if (byte === 0x7b || byte === 0x5b) {
      levels.push({ isArray: byte === 0x5b, key: undefined, expectsKey: byte === 0x7b });
      if (levels.length > maxDepth)
        throw invalid([
          { type: 'recursion_loop', loc: ['body'], msg: `The body is nested more than ${maxDepth} levels deep` },
        ]);
    } else if (byte === 0x7d || byte === 0x5d) levels.pop();
    else {
      const level = top();
      if (level && !level.isArray && byte === 0x2c) level.expectsKey = true;
      if (level && byte === 0x3a) level.expectsKey = false;
    }
  }

  function isFileText(): boolean {
    const [body, list, source] = levels;
    return (
      levels.length === 3 &&
      body?.isArray === false &&
      sourceLists.has(body.key ?? '') &&
      list?.isArray === true &&
      source?.isArray === false &&
      source.key === 'base64_string'
    );
  }

  /** Scans a string that is kept, starting inside it at `from`. Returns the position after its end, or the end of the chunk. */
  function passString(chunk: Buffer, from: number, open: { isKey: boolean; raw: Buffer[] }): number {
    let at = from;
    while (at < chunk.length) {
      if (isEscaped) isEscaped = false;
      else if (chunk[at] === backslash) isEscaped = true;
      else if (chunk[at] === quote) {
        if (open.isKey) open.raw.push(chunk.subarray(from, at));
        const level = top();
        if (open.isKey && level) level.key = keyOf(Buffer.concat(open.raw));
        string = undefined;
        return at + 1;
      }
      at += 1;
    }
    if (open.isKey) open.raw.push(chunk.subarray(from));
    return at;
  }

  /** Same as `passString`, inside a file. */
  async function passFile(chunk: Buffer, from: number, open: ReturnType<typeof openFile>): Promise<number> {
    let at = from;
    while (at < chunk.length) {
      if (isEscaped) {
        // Among JSON escapes, only the slash stands for a base64 character.
        if (chunk[at] === 0x2f) await open.write(chunk.subarray(at, at + 1));
        else if (chunk[at] === 0x75) open.skip(4);
        isEscaped = false;
        at += 1;
        continue;
      }
      const skipped = open.skipped(chunk.length - at);
      at += skipped;
      const end = chunk.indexOf(quote, at);
      const slash = chunk.subarray(at, end < 0 ? chunk.length : end).indexOf(backslash);
      const stop = slash >= 0 ? at + slash : end < 0 ? chunk.length : end;
      await open.write(chunk.subarray(at, stop));
      at = stop;
      if (at === chunk.length) return at;
      if (slash >= 0) {
        isEscaped = true;
        at += 1;
        continue;
      }
      const { name, upload, removed } = await open.end();
      found.set(name, upload);
      cuts.push({ at: plainBytes, removed });
      file = undefined;
      return at;
    }
    return at;
  }

  return {
    async write(chunk: Buffer): Promise<void> {
      let at = 0;
      let kept = 0;
      while (at < chunk.length) {
        if (file) {
          at = await passFile(chunk, at, file);
          kept = at;
          if (file) return;
          at += 1;
        } else if (string) at = passString(chunk, at, string);
        else if (chunk[at] === quote) {
          at += 1;
          const level = top();
          if (level?.isArray === false && level.expectsKey) string = { isKey: true, raw: [] };
          else if (!isFileText()) string = { isKey: false, raw: [] };
          else {
            file = openFile(uploads, `upload-${found.size}`);
            keep(chunk.subarray(kept, at));
            keep(Buffer.from(`upload-${found.size}`));
            kept = at;
          }
        } else {
          structural(chunk[at] ?? 0);
          at += 1;
        }
      }
      if (kept < chunk.length) keep(chunk.subarray(kept));
    },
    end(): Scanned {
      return { text: decoded(Buffer.concat(plain)), found, isOpen: file !== undefined, offsetAt: offsets(cuts) };
    },
  };
}

function openFile(uploads: Uploads, name: string) {
  const sink = uploads.open();
  const decoder = createBase64Stream();
  let removed = -name.length;
  let toSkip = 0;
  return {
    async write(text: Buffer): Promise<void> {
      removed += text.length;
      const bytes = decoder.write(text);
      if (bytes.length > 0) await sink.write(bytes);
    },
    skip: (count: number) => void (toSkip += count),
    /** The number of the next `available` bytes that belong to an escape and are skipped. */
    skipped(available: number): number {
      const count = Math.min(available, toSkip);
      toSkip -= count;
      return count;
    },
    async end() {
      const { bytes, isWhole } = decoder.end();
      if (bytes.length > 0) await sink.write(bytes);
      return { name, removed, upload: await sink.end(isWhole) };
    },
  };
}

function keyOf(raw: Buffer): string {
  try {
    return String(JSON.parse(`"${raw.toString('utf8')}"`));
  } catch {
    return '';
  }
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw notJson(0);
  }
}

function offsets(cuts: readonly { at: number; removed: number }[]): (position: number) => number {
  return (position) =>
    position + cuts.filter(({ at }) => at <= position).reduce((sum, { removed }) => sum + removed, 0);
}
