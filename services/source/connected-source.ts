import { createHash } from 'node:crypto';
import { countNouns } from '../../model/count-nouns';
import { AppError } from '../../model/errors';
import { collectBytes } from '../storage/collect-bytes';
import type { ChangePage } from './items/item';
import type { Source, SourceEntry } from './source';

/** What a source does with a connection, which it opens for each listing and each document. */
export interface ConnectedSource<Connection> {
  open(config: Record<string, unknown>, signal: AbortSignal): Connection | Promise<Connection>;
  close(connection: Connection): void;
  /** `after` is the cursor of an entry; the rest of the listing follows. */
  list(connection: Connection, signal: AbortSignal, after?: string): AsyncIterable<SourceEntry>;
  /** The bytes of a listed document as they arrive; `version` as in `Source.read`. */
  read(connection: Connection, file: string, signal: AbortSignal, version?: string): AsyncIterable<Uint8Array>;
  readChanges?(connection: Connection, cursor: string | undefined): Promise<ChangePage | undefined>;
}

/** A server that sends a byte from time to time never ends an answer. */
const readLimitMs = 10 * 60_000;
/** Documents that arrive this fast, in bytes per millisecond, may take longer. */
const slowestRead = 100;
/** Attempts to read a document whose answer breaks off. */
const readAttempts = 3;

/** Reads a document. If its answer breaks off or cannot be read every time, only this document fails. */
async function retryBroken<Result>(file: string, read: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'INVALID_RESPONSE') throw error;
      if (attempt < readAttempts) continue;
      throw new AppError('SOURCE_UNREADABLE', `'${file}' cannot be read: ${error.message}`, {}, error);
    }
}

/**
 * The source over its connections, each of which is closed after the call. `hash` holds one part of a document at a time. A document of
 * which less than `slowestRead` arrives during `readMs` fails.
 */
export function createConnectedSource<Connection>(
  source: ConnectedSource<Connection>,
  readMs: number = readLimitMs,
): Source {
  async function* iterate<Item>(
    config: Record<string, unknown>,
    signal: AbortSignal,
    start: (connection: Connection) => AsyncIterable<Item>,
  ): AsyncGenerator<Item> {
    const connection = await source.open(config, signal);
    try {
      yield* start(connection);
    } finally {
      source.close(connection);
    }
  }
  async function* readParts(...[file, config, signal, version]: Parameters<Source['read']>) {
    const late = new AbortController();
    let arrived = 0;
    const timer = setInterval(() => {
      if (arrived < slowestRead * readMs) late.abort(createSlowError(file, arrived, readMs));
      arrived = 0;
    }, readMs);
    const limited = AbortSignal.any([signal, late.signal]);
    try {
      for await (const part of iterate(config, limited, (opened) => source.read(opened, file, limited, version))) {
        arrived += part.length;
        yield part;
      }
    } catch (error) {
      limited.throwIfAborted();
      throw error;
    } finally {
      clearInterval(timer);
    }
  }
  return {
    list: (config, signal, { after } = {}) =>
      iterate(config, signal, (connection) => source.list(connection, signal, after)),
    read: (file, ...rest) => retryBroken(file, () => collectBytes(readParts(file, ...rest))),
    hash: (file, ...rest) =>
      retryBroken(file, async () => {
        const hash = createHash('sha256');
        for await (const part of readParts(file, ...rest)) hash.update(part);
        return hash.digest('hex');
      }),
    ...(source.readChanges && {
      async readChanges(config, signal, cursor) {
        const connection = await source.open(config, signal);
        try {
          return await source.readChanges?.(connection, cursor);
        } finally {
          source.close(connection);
        }
      },
    }),
  };
}

function createSlowError(file: string, arrived: number, readMs: number): AppError {
  const pace = `only ${countNouns(arrived, 'byte')} of it in ${readMs / 60_000} minutes`;
  return new AppError('SOURCE_UNREADABLE', `'${file}' cannot be read: the server sent ${pace}.`);
}
