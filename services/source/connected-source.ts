import { createHash } from 'node:crypto';
import { collectBytes } from '../storage/collect-bytes';
import type { ChangePage } from './items/item';
import type { Source, SourceEntry } from './source';

/** What a source does with a connection, which it opens for each listing and each document. */
export interface ConnectedSource<Connection> {
  open(config: Record<string, unknown>, signal: AbortSignal): Connection | Promise<Connection>;
  close(connection: Connection): void;
  /** `after` is the cursor of an entry; the rest of the listing follows. */
  list(connection: Connection, signal: AbortSignal, after?: string): AsyncIterable<SourceEntry>;
  /** The bytes of a listed document as they arrive. */
  read(connection: Connection, file: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
  readChanges?(connection: Connection, cursor: string | undefined): Promise<ChangePage | undefined>;
}

/** The source over its connections, each of which is closed after the call. `hash` holds one part of a document at a time. */
export function createConnectedSource<Connection>(source: ConnectedSource<Connection>): Source {
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
  const list = (config: Record<string, unknown>, signal: AbortSignal, after?: string) =>
    iterate(config, signal, (connection) => source.list(connection, signal, after));
  const readParts = (file: string, config: Record<string, unknown>, signal: AbortSignal) =>
    iterate(config, signal, (connection) => source.read(connection, file, signal));
  return {
    list: (config, signal) => list(config, signal),
    listAfter: list,
    read: (file, config, signal) => collectBytes(readParts(file, config, signal)),
    async hash(file, config, signal) {
      const hash = createHash('sha256');
      for await (const part of readParts(file, config, signal)) hash.update(part);
      return hash.digest('hex');
    },
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
