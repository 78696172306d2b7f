import type { Driver, ManagedTransaction } from 'neo4j-driver';
import { AppError } from '../../model/errors';

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
export interface Neo4jRows {
  nodes: readonly (End & { properties: Record<string, Value> })[];
  edges: readonly { type: string; source: End; target: End; properties: Record<string, Value> }[];
}

/** Number of merged nodes and relationships, including those that already existed. */
export interface Neo4jLoaded {
  nodes: number;
  relationships: number;
}

const batchSize = 1000;

/**
 * Merges nodes and relationships by `id`, so that repeated loading changes nothing; properties that are not given are kept. Each
 * batch is one transaction and is retried after a transient failure. Throws OPTIONAL_PACKAGE_MISSING without the driver,
 * CONNECTION_ERROR when the server cannot be reached, EXTERNAL_SERVICE_ERROR when it rejects the data.
 */
export async function loadIntoNeo4j(target: Neo4jTarget, rows: Neo4jRows, signal?: AbortSignal): Promise<Neo4jLoaded> {
  signal?.throwIfAborted();
  const driver = await openDriver(target);
  try {
    // A single check that fails fast: writes would wait for an unavailable server.
    await driver.verifyConnectivity();
    const write = (query: string, batch: readonly unknown[] = []) => runBatch(driver, target, { query, batch, signal });
    for (const label of new Set(rows.nodes.map((node) => node.label)))
      await write(`CREATE CONSTRAINT IF NOT EXISTS FOR (n:${quoted(label)}) REQUIRE n.id IS UNIQUE`);
    for (const [label, nodes] of groupByKey(rows.nodes, (node) => node.label)) {
      const query = `UNWIND $rows AS row MERGE (n:${quoted(label)} {id: row.id}) SET n += row.properties`;
      for (const batch of batches(nodes))
        await write(
          query,
          batch.map(({ id, properties }) => ({ id, properties })),
        );
    }
    const getKey = ({ source, type, target: to }: Neo4jRows['edges'][number]) =>
      JSON.stringify([source.label, type, to.label]);
    for (const edges of groupByKey(rows.edges, getKey).values()) await writeEdges(edges, write);
    return { nodes: rows.nodes.length, relationships: rows.edges.length };
  } catch (error) {
    if (signal?.aborted) throw error;
    throw createDatabaseError(error, target);
  } finally {
    await driver.close();
  }
}

type Write = (query: string, batch: readonly unknown[]) => Promise<void>;

async function writeEdges(edges: Neo4jRows['edges'], write: Write): Promise<void> {
  const [first] = edges;
  if (!first) return;
  const query =
    `UNWIND $rows AS row MATCH (a:${quoted(first.source.label)} {id: row.source}) ` +
    `MATCH (b:${quoted(first.target.label)} {id: row.target}) ` +
    `MERGE (a)-[r:${quoted(first.type)}]->(b) SET r += row.properties`;
  for (const batch of batches(edges))
    await write(
      query,
      batch.map(({ source, target, properties }) => ({ source: source.id, target: target.id, properties })),
    );
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
    return neo4j.driver(uri, credentials, { connectionAcquisitionTimeout: 15_000, maxTransactionRetryTime: 10_000 });
  } catch (error) {
    throw new AppError(
      'VALIDATION_ERROR',
      `The address '${uri}' is none of a Bolt server: ${getText(error)}.`,
      {},
      error,
    );
  }
}

async function runBatch(
  driver: Driver,
  { database }: Neo4jTarget,
  { query, batch, signal }: { query: string; batch: readonly unknown[]; signal?: AbortSignal },
): Promise<void> {
  signal?.throwIfAborted();
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
  const isAway = code === 'ServiceUnavailable' || code === 'SessionExpired';
  return new AppError(
    isAway ? 'CONNECTION_ERROR' : 'EXTERNAL_SERVICE_ERROR',
    `The graph database at ${uri} ${isAway ? 'cannot be reached' : 'refused'}: ${getText(error)}`,
    {},
    error,
  );
}

const getText = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Quotes a name in backticks and escapes those inside it. */
const quoted = (name: string) => `\`${name.replace(/\\u0060/gi, '`').replace(/`/g, '``')}\``;

function groupByKey<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

function* batches<T>(items: readonly T[]): Generator<T[]> {
  for (let start = 0; start < items.length; start += batchSize) yield items.slice(start, start + batchSize);
}
