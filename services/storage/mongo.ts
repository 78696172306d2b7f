import { type Collection, type Db, type Document, MongoClient, MongoServerError } from 'mongodb';
import { AppError } from '../../model/errors';
import { failWritesToClosedSockets } from './mongo-writes';
import { clearSealer, type Sealer } from './sealing/sealer';

/** A connection to the database, as used by the stores. */
export interface Mongo {
  /** The collection `name` in the database of the connection string. */
  collection<T extends Document & { _id: string }>(name: string): Collection<T>;
  /** Resolves when the database answers. Throws DATABASE_UNAVAILABLE otherwise. */
  ping(): Promise<void>;
  /** The disk space that the database uses; null if it does not report it. */
  measureBytes(): Promise<number | null>;
  close(): Promise<void>;
  /** Encrypts the secrets in stored values. */
  sealer: Sealer;
}

/** Pause in milliseconds between attempts to connect to a database that has never answered. */
const reconnectMs = 500;

/** Connects lazily, with the first operation, so that a process can start while the database is unavailable. */
export function connectMongo(url: string, sealer: Sealer = clearSealer): Mongo {
  failWritesToClosedSockets();
  const client = new MongoClient(url, {
    // A read fails ten seconds after a server begins to hang: the sum of these three. A stall that is shorter than `connectTimeoutMS` only
    // delays: longer ones interrupt every write, because the driver repeats reads only.
    heartbeatFrequencyMS: 1_000,
    connectTimeoutMS: 6_000,
    serverSelectionTimeoutMS: 3_000,
    socketTimeoutMS: 30_000,
    // Without it, mongod acknowledges writes up to 100 ms before they are in its journal, and loses them when it is killed.
    journal: true,
  });
  const reconnecting = keepConnecting(client);
  const db: Db = client.db();
  return {
    collection: (name) => db.collection(name),
    ping: () => guard(async () => void (await db.command({ ping: 1 }))),
    measureBytes: async () => {
      const stats = await db.command({ dbStats: 1 });
      const sizes = [stats['storageSize'], stats['indexSize']].filter((size) => typeof size === 'number');
      return sizes.length === 0 ? null : sizes.reduce((sum, size) => sum + size, 0);
    },
    close: () => {
      reconnecting.stop();
      return client.close();
    },
    sealer,
  };
}

/**
 * A client whose first connection attempt fails closes its topology for good, and later operations fail with "Topology is
 * closed". The attempt is therefore repeated until it succeeds. From then on, the driver reconnects by itself.
 */
function keepConnecting(client: MongoClient): { stop: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  client.on('topologyClosed', () => {
    if (isStopped) return;
    clearTimeout(timer);
    // A failure closes the topology again, which triggers this handler again.
    timer = setTimeout(() => void client.connect().catch(() => undefined), reconnectMs).unref();
  });
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** Names of errors of the driver, such as MongoServerSelectionError. */
const connectionErrors = /^Mongo(ServerSelection|Network|NotConnected|TopologyClosed|PoolCleared|WaitQueueTimeout)/;

/** Runs a database operation. Connection errors become DATABASE_UNAVAILABLE, on which callers wait and retry. */
export async function guard<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (!(error instanceof Error) || !connectionErrors.test(error.name)) throw error;
    const message = `The database cannot be reached: ${describeConnectionError(error)}.`;
    throw new AppError('DATABASE_UNAVAILABLE', message, {}, error);
  }
}

/** The driver names internal states, and instead of a socket in the file system a digest of its path. */
export function describeConnectionError({ name, message }: Error): string {
  if (/^Mongo(TopologyClosed|NotConnected)/.test(name)) return 'the connection is closed';
  if (/timed? ?out/i.test(message)) return 'it did not answer in time';
  return message.replace(/^connection \S+ to \S+ /, 'the connection was ').replace(/\.$/, '');
}

/** True for a write that violated a unique index. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 11_000;
}

/** Waits for the indexes of a store; runs an operation after them, as `guard` does. */
export interface WhenReady {
  (): Promise<void>;
  <T>(operation: () => Promise<T>): Promise<T>;
}

/** Creates the indexes once per process, before the first use of a store. */
export function createWhenReady(make: () => Promise<unknown>): WhenReady {
  let ready: Promise<unknown> | undefined;
  return async <T>(operation?: () => Promise<T>) => {
    ready ??= guard(make).catch((error: unknown) => {
      ready = undefined;
      throw error;
    });
    await ready;
    return operation && guard(operation);
  };
}
