import type { RequestProblem } from '../../../model/conversion/request/check-value';
import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  JsonCounter,
  type JsonExcess,
  maxJsonDepth,
  maxJsonListValues,
  maxJsonMembers,
  openBrace,
  openBracket,
  quote,
} from '../../http/json-size';
import { RequestError } from '../http/request-error';
import { createBase64Stream } from './base64-stream';
import type { Upload, Uploads } from './uploads';

/** The limit of a body without its files. */
const maxPlainBytes = 16 * 1024 * 1024;

/** The bytes after a backslash that the scanner distinguishes. */
const slash = 0x2f;
const letterU = 0x75;

const sourceLists = new Set(['sources', 'file_sources']);

/** A body whose files are in the store: `base64_string` of each source is its name in `uploads`. */
export interface JsonBody {
  value: unknown;
  uploads: ReadonlyMap<string, Upload>;
}

/**
 * Reads a JSON body. Streams each `base64_string` in `sources` and `file_sources` to `uploads` without holding the whole text;
 * `JSON.parse` parses the rest. Invalid JSON is the problem `json_invalid` with its position.
 */
export async function readJsonBody(chunks: AsyncIterable<Buffer>, uploads: Uploads): Promise<JsonBody> {
  const scanner = new JsonScanner(uploads);
  for await (const chunk of chunks) await scanner.write(chunk);
  const { text, offsetAt, found, isOpen } = scanner.end();
  if (text.trim() === '') throw createInvalidError([{ type: 'missing', loc: ['body'], msg: 'Field required' }]);
  if (isOpen) throw createNotJsonError(offsetAt(text.length));
  try {
    return { value: JSON.parse(text) as unknown, uploads: found };
  } catch (error) {
    const position = /at position (\d+)/.exec((error as Error).message)?.[1];
    throw createNotJsonError(offsetAt(position === undefined ? text.length : Number(position)));
  }
}

const excessProblems: Readonly<Record<JsonExcess, Omit<RequestProblem, 'loc'>>> = {
  depth: { type: 'recursion_loop', msg: `The body is nested more than ${maxJsonDepth} levels deep` },
  members: { type: 'too_long', msg: `The body has more than ${maxJsonMembers} named members` },
  values: {
    type: 'too_long',
    msg: `The lists of the body have more than ${maxJsonListValues} values together`,
  },
};

function createInvalidError(problems: readonly RequestProblem[]): RequestError {
  return new RequestError(422, problems);
}

function createNotJsonError(offset: number): RequestError {
  return createInvalidError([{ type: 'json_invalid', loc: ['body', offset], msg: 'JSON decode error' }]);
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

/** Distinguishes only strings, keys and brackets; the parser decides whether the text is valid JSON. */
class JsonScanner {
  private readonly plain: Buffer[] = [];
  private readonly levels: Level[] = [];
  private readonly found = new Map<string, Upload>();
  private readonly cuts: { at: number; removed: number }[] = [];
  private plainBytes = 0;
  private string?: { isKey: boolean; raw: Buffer[] };
  private file?: ReturnType<typeof openFile>;
  private isEscaped = false;
  private readonly counter = new JsonCounter();

  constructor(private readonly uploads: Uploads) {}

  async write(chunk: Buffer): Promise<void> {
    let at = 0;
    let keptBytes = 0;
    while (at < chunk.length) {
      if (this.file) {
        at = await this.passFile(chunk, at, this.file);
        keptBytes = at;
        if (this.file) return;
        at += 1;
      } else if (this.string) at = this.passString(chunk, at, this.string);
      else if (chunk[at] === quote) {
        at += 1;
        const level = this.getLevel();
        if (level?.isArray === false && level.expectsKey) this.string = { isKey: true, raw: [] };
        else if (!this.isFileText()) this.string = { isKey: false, raw: [] };
        else {
          this.file = openFile(this.uploads, `upload-${this.found.size}`);
          this.keep(chunk.subarray(keptBytes, at));
          this.keep(Buffer.from(`upload-${this.found.size}`));
          keptBytes = at;
        }
      } else {
        this.passStructural(chunk[at] ?? 0);
        at += 1;
      }
    }
    if (keptBytes < chunk.length) this.keep(chunk.subarray(keptBytes));
  }

  end(): Scanned {
    return {
      text: decodeText(Buffer.concat(this.plain)),
      found: this.found,
      isOpen: this.file !== undefined,
      offsetAt: listOffsets(this.cuts),
    };
  }

  private keep(bytes: Buffer) {
    this.plainBytes += bytes.length;
    if (this.plainBytes > maxPlainBytes)
      throw new RequestError(413, 'Payload too large. A body may have 16 MB besides its files.');
    this.plain.push(bytes);
  }

  private getLevel() {
    return this.levels.at(-1);
  }

  private passStructural(byte: number): void {
    const excess = this.counter.add(byte);
    if (excess) throw createInvalidError([{ loc: ['body'], ...excessProblems[excess] }]);
    if (byte === openBrace || byte === openBracket) {
      this.levels.push({ isArray: byte === openBracket, key: undefined, expectsKey: byte === openBrace });
    } else if (byte === closeBrace || byte === closeBracket) this.levels.pop();
    else {
      const level = this.getLevel();
      if (level && !level.isArray && byte === comma) level.expectsKey = true;
      if (level && byte === colon) level.expectsKey = false;
    }
  }

  private isFileText(): boolean {
    const [body, list, source] = this.levels;
    return (
      this.levels.length === 3 &&
      body?.isArray === false &&
      sourceLists.has(body.key ?? '') &&
      list?.isArray === true &&
      source?.isArray === false &&
      source.key === 'base64_string'
    );
  }

  /** Scans a string to be stored, starting inside it at `from`. Returns the position after the string, or the end of the chunk. */
  private passString(chunk: Buffer, from: number, open: { isKey: boolean; raw: Buffer[] }): number {
    let at = from;
    while (at < chunk.length) {
      if (this.isEscaped) this.isEscaped = false;
      else if (chunk[at] === backslash) this.isEscaped = true;
      else if (chunk[at] === quote) {
        if (open.isKey) open.raw.push(chunk.subarray(from, at));
        const level = this.getLevel();
        if (open.isKey && level) level.key = getKey(Buffer.concat(open.raw));
        this.string = undefined;
        return at + 1;
      }
      at += 1;
    }
    if (open.isKey) open.raw.push(chunk.subarray(from));
    return at;
  }

  /** Same as `passString`, inside a file. */
  private async passFile(chunk: Buffer, from: number, open: ReturnType<typeof openFile>): Promise<number> {
    let at = from;
    while (at < chunk.length) {
      if (this.isEscaped) {
        // Among JSON escapes, only the slash stands for a base64 character.
        if (chunk[at] === slash) await open.write(chunk.subarray(at, at + 1));
        else if (chunk[at] === letterU) open.skip(4);
        this.isEscaped = false;
        at += 1;
        continue;
      }
      const skipped = open.takeSkipped(chunk.length - at);
      at += skipped;
      const end = chunk.indexOf(quote, at);
      const textEnd = end < 0 ? chunk.length : end;
      const escape = chunk.subarray(at, textEnd).indexOf(backslash);
      const stop = escape < 0 ? textEnd : at + escape;
      await open.write(chunk.subarray(at, stop));
      at = stop;
      if (at === chunk.length) return at;
      if (escape >= 0) {
        this.isEscaped = true;
        at += 1;
        continue;
      }
      const { name, upload, removed } = await open.end();
      this.found.set(name, upload);
      this.cuts.push({ at: this.plainBytes, removed });
      this.file = undefined;
      return at;
    }
    return at;
  }
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
    takeSkipped(available: number): number {
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

function getKey(raw: Buffer): string {
  try {
    return String(JSON.parse(`"${raw.toString('utf8')}"`));
  } catch {
    return '';
  }
}

function decodeText(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw createNotJsonError(0);
  }
}

function listOffsets(cuts: readonly { at: number; removed: number }[]): (position: number) => number {
  return (position) =>
    position + cuts.filter(({ at }) => at <= position).reduce((sum, { removed }) => sum + removed, 0);
}
