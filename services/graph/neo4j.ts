import type { Driver, ManagedTransaction } from 'neo4j-driver';
import { AppError } from '../../model/errors';
import { startTimeLimit } from '../../model/time/time-limit';

/** A database with the Bolt protocol: Neo4j or a compatible one. */
export interface Neo4jTarget {
  /** `bolt://…`, `bolt+s://…`, `neo4j://…` */
  uri: string;
  /** Without a user, no credentials are sent. */
  user?: string;
  password?: string;
  /** Default: the server's default database. */
  database?: string;
}

type Value = string | bigint | number | boolean | (string | bigint | number | boolean)[];
interface End {
  label: string;
  id: Value;
}
interface NodeRow extends End {
  properties: Record<string, Value>;
}
interface EdgeRow {
  type: string;
  source: End;
  target: End;
  properties: Record<string, Value>;
}
/** Rows in memory, or rows that are read while they are loaded; all nodes are read before the first edge. */
export interface Neo4jRows {
  nodes: Iterable<NodeRow> | AsyncIterable<NodeRow>;
  edges: Iterable<EdgeRow> | AsyncIterable<EdgeRow>;
}

/** Number of merged nodes and relationships, including those that already existed. */
export interface Neo4jLoaded {
  nodes: number;
  relationships: number;
}

/** A batch is full at either limit. Larger batches gain little, and a transaction is held in the server's memory. */
const batchLimits = { rows: 10_000, bytes: 4_000_000 };
/** How long the server may take to accept a connection, and for one batch with its repetitions. */
export interface Neo4jLimits {
  connectMs: number;
  batchMs: number;
}
const defaultLimits: Neo4jLimits = { connectMs: 15_000, batchMs: 5 * 60_000 };
/** The batches that are not full hold at most this many rows together. */
const waitingLimits = { rows: 100_000, bytes: 32_000_000 };

/**
 * Merges nodes and relationships by `id`, so that repeated loading changes nothing; properties that are not given are kept. Each
 * batch is one transaction and is retried after a transient failure. Throws OPTIONAL_PACKAGE_MISSING without the driver,
 * CONNECTION_ERROR when the server cannot be reached or stalls, EXTERNAL_SERVICE_ERROR when it rejects the data.
 */
export async function loadIntoNeo4j(
  target: Neo4jTarget,
  rows: Neo4jRows,
  signal?: AbortSignal,
  { connectMs, batchMs } = defaultLimits,
): Promise<Neo4jLoaded> {
  signal?.throwIfAborted();
  const driver = await openDriver(target);
  try {
    // A single check that fails fast: writes would wait for an unavailable server.
    await settleWithin(connectMs, signal, () => driver.verifyConnectivity());
    const { write, finish } = sendOneAhead((query, batch = []) =>
      settleWithin(batchMs, signal, () => runBatch(driver, target, { query, batch })),
    );
    const nodes = await writeNodes(rows.nodes, write);
    // Relationships need both of their nodes.
    await finish();
    const relationships = await writeEdges(rows.edges, write);
    await finish();
    return { nodes, relationships };
  } catch (error) {
    signal?.throwIfAborted();
    throw createDatabaseError(error, target);
  } finally {
    await driver.close();
  }
}

/** The driver takes no signal, and waits for an answer without a limit. Its connections end when it is closed, but its calls do not. */
async function settleWithin<T>(ms: number, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  const limit = startTimeLimit(ms);
  const over = limit.controller.signal;
  const ends = signal ? [signal, over] : [over];
  let end = (): void => undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    end = () => reject(over.aborted ? new StalledError((over.reason as Error).message) : (signal?.reason as Error));
    for (const each of ends) each.addEventListener('abort', end, { once: true });
  });
  try {
    return await Promise.race([work(), ended]);
  } finally {
    limit.clear();
    for (const each of ends) each.removeEventListener('abort', end);
  }
}

class StalledError extends Error {
  readonly code = 'ServiceUnavailable';
}

type Write = (query: string, batch?: readonly unknown[]) => Promise<void>;

/** Lets the caller prepare the next batch while the server writes one. Writes keep their order, because later ones need earlier ones. */
function sendOneAhead(send: Write): { write: Write; finish: () => Promise<void> } {
  let last: Promise<void> = Promise.resolve();
  return {
    async write(query, batch) {
      await last;
      last = send(query, batch);
      // The next call throws its error; without this line, it would count as unhandled until then.
      last.catch(() => undefined);
    },
    finish: () => last,
  };
}

/** Each label gets its constraint before its first node, because merging without an index reads all nodes. */
async function writeNodes(rows: Neo4jRows['nodes'], write: Write): Promise<number> {
  const known = new Set<string>();
  const open = async (label: string) => {
    if (known.has(label)) return;
    known.add(label);
    await write(`CREATE CONSTRAINT IF NOT EXISTS FOR (n:${quoteName(label)}) REQUIRE n.id IS UNIQUE`);
  };
  let count = 0;
  for await (const [label, batch] of batchByKey(rows, (node) => node.label)) {
    await open(label);
    const query = `UNWIND $rows AS row MERGE (n:${quoteName(label)} {id: row.id}) SET n += row.properties`;
    await write(
      query,
      batch.map(({ id, properties }) => ({ id, properties })),
    );
    count += batch.length;
  }
  return count;
}

async function writeEdges(rows: Neo4jRows['edges'], write: Write): Promise<number> {
  const buildKey = ({ source, type, target }: EdgeRow) => JSON.stringify([source.label, type, target.label]);
  let count = 0;
  for await (const [, batch] of batchByKey(rows, buildKey)) {
    const [first] = batch;
    if (!first) continue;
    const query =
      `UNWIND $rows AS row MATCH (a:${quoteName(first.source.label)} {id: row.source}) ` +
      `MATCH (b:${quoteName(first.target.label)} {id: row.target}) ` +
      `MERGE (a)-[r:${quoteName(first.type)}]->(b) SET r += row.properties`;
    await write(
      query,
      batch.map(({ source, target, properties }) => ({ source: source.id, target: target.id, properties })),
    );
    count += batch.length;
  }
  return count;
}

interface Batch<T> {
  rows: T[];
  bytes: number;
}

/** Rows of one key in batches. No more than `waitingLimits` wait for their batch to be full. */
async function* batchByKey<T extends { properties: Record<string, Value> }>(
  rows: Iterable<T> | AsyncIterable<T>,
  buildKey: (row: T) => string,
): AsyncGenerator<[string, T[]]> {
  const open = new Map<string, Batch<T>>();
  const waiting = { rows: 0, bytes: 0 };
  for await (const row of rows) {
    const key = buildKey(row);
    const batch = open.get(key) ?? { rows: [], bytes: 0 };
    const bytes = estimateBytes(row.properties);
    batch.rows.push(row);
    batch.bytes += bytes;
    open.set(key, batch);
    waiting.rows += 1;
    waiting.bytes += bytes;
    const isFull = batch.rows.length >= batchLimits.rows || batch.bytes >= batchLimits.bytes;
    if (!isFull && waiting.rows < waitingLimits.rows && waiting.bytes < waitingLimits.bytes) continue;
    const [sentKey, sent] = isFull ? ([key, batch] as const) : findLargest(open);
    open.delete(sentKey);
    waiting.rows -= sent.rows.length;
    waiting.bytes -= sent.bytes;
    yield [sentKey, sent.rows];
  }
  for (const [key, batch] of open) yield [key, batch.rows];
}

const findLargest = <T>(open: ReadonlyMap<string, Batch<T>>): [string, Batch<T>] =>
  [...open].reduce((found, item) => (item[1].bytes > found[1].bytes ? item : found));

/** The approximate size of properties in a request, including the ids and the overhead of a row. */
function estimateBytes(properties: Record<string, Value>): number {
  let bytes = 100;
  for (const [name, value] of Object.entries(properties))
    for (const item of Array.isArray(value) ? value : [value]) bytes += name.length + (typeof item === 'string' ? item.length : 9); // prettier-ignore
  return bytes;
}

async function openDriver({ uri, user, password = '' }: Neo4jTarget): Promise<Driver> {
  const neo4j = await import('neo4j-driver').catch((error: unknown) => {
    throw new AppError(
      'OPTIONAL_PACKAGE_MISSING',
      'Loading into Neo4j needs the optional package neo4j-driver, which is not installed.',
      {},
      error,
    );
  });
  try {
    const credentials = user === undefined ? undefined : neo4j.auth.basic(user, password);
    return neo4j.driver(uri, credentials, { connectionAcquisitionTimeout: 20_000, maxTransactionRetryTime: 10_000 });
  } catch (error) {
    throw new AppError(
      'VALIDATION_ERROR',
      `'${uri}' is not the address of a Bolt server: ${toMessage(error)}.`,
      {},
      error,
    );
  }
}

async function runBatch(
  driver: Driver,
  { database }: Neo4jTarget,
  { query, batch }: { query: string; batch: readonly unknown[] },
): Promise<void> {
  const session = driver.session(database === undefined ? {} : { database });
  try {
    await session.executeWrite((transaction: ManagedTransaction) => transaction.run(query, { rows: batch }));
  } finally {
    await session.close();
  }
}

function createDatabaseError(error: unknown, { uri }: Neo4jTarget): unknown {
  if (error instanceof AppError) return error;
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  const isUnreachable = code === 'ServiceUnavailable' || code === 'SessionExpired';
  return new AppError(
    isUnreachable ? 'CONNECTION_ERROR' : 'EXTERNAL_SERVICE_ERROR',
    `The graph database at ${uri} ${isUnreachable ? 'cannot be reached' : 'rejected the data'}: ${getCause(error)}`,
    {},
    error,
  );
}

const toMessage = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Without the advice of the driver about Neo4j 4.0, which hides the reason behind it. */
const getCause = (error: unknown) => toMessage(error).replace(/^Failed to connect to server\. .*Caused by: /s, '');

/** Quotes a name in backticks and escapes those inside it. */
const quoteName = (name: string) => `\`${name.replace(/\\u0060/gi, '`').replace(/`/g, '``')}\``;
