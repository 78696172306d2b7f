import type { EventEmitter } from 'node:events';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ClientConfig, Pool, PoolClient } from 'pg';
import { AppError } from '../../model/errors';
import type { AddressGuard } from '../net/address-guard';
import { toPlainHost } from '../net/addresses';
import type { SearchTarget } from '../search/ports';

/** A pool of connections to one database. */
export interface Opened {
  pool: Pool;
  address: string;
  database: string;
}

const timeoutMs = 30_000;
const connectTimeoutMs = 10_000;
const maxConnections = 4;
/** Maximum size of the answer to one query. Servers that flows name could send without end. */
const maxAnswerBytes = 256 * 1024 * 1024;

/** A pool whose connections go to the address that the guard has checked. Throws ADDRESS_NOT_ALLOWED for others. */
export async function connect(
  target: SearchTarget,
  guard: AddressGuard,
  limits: { maxConnections: number; timeoutMs: number; maxAnswerBytes?: number } = { maxConnections, timeoutMs },
): Promise<Opened> {
  const address = `${target.host}:${target.port}`;
  const [judged] = await guard.judge(target.host, target.port).catch((error: unknown) => {
    throw createStoreError(error, address);
  });
  const { Client: ClientOf, Pool: PoolOf } = await import('pg');
  class LimitedClient extends ClientOf {
    constructor(config?: string | ClientConfig) {
      super(config);
      // Queries fail with the same error; without a listener, one of a connection in use would end the process.
      this.on('error', () => undefined);
      limitAnswers((this as unknown as { connection: Connection }).connection, limits.maxAnswerBytes ?? maxAnswerBytes);
    }
  }
  const database = target.database ?? 'postgres';
  const name = toPlainHost(target.host);
  const pool = new PoolOf({
    Client: LimitedClient,
    // The client would resolve the name itself; the name is used only to verify certificates.
    host: judged?.address ?? name,
    port: target.port,
    database,
    user: target.username ?? 'postgres',
    password: target.password ?? '',
    ssl: target.useSsl
      ? { rejectUnauthorized: target.verifyCerts ?? true, ...(isIP(name) === 0 ? { servername: name } : {}) }
      : false,
    max: limits.maxConnections,
    connectionTimeoutMillis: Math.min(connectTimeoutMs, limits.timeoutMs),
    statement_timeout: limits.timeoutMs,
    query_timeout: limits.timeoutMs * 2,
    application_name: 'docloom',
  });
  // Connections that break while idle are replaced with the next query.
  pool.on('error', () => undefined);
  return { pool, address, database };
}

/** The part of a connection of the client that has no types. */
interface Connection extends EventEmitter {
  attachListeners(stream: Duplex): void;
}

/**
 * Ends the connection when the answer to a query, or to the login, is longer than `maxBytes`. The client itself holds whatever
 * arrives, and makes room for whatever length a message announces.
 */
function limitAnswers(connection: Connection, maxBytes: number): void {
  let received = 0;
  connection.on('readyForQuery', () => (received = 0));
  const attach = connection.attachListeners.bind(connection);
  // Called with the stream that carries the messages, encrypted or not.
  connection.attachListeners = (stream) => {
    stream.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > maxBytes) stream.destroy(new Error(`the answer has more than ${maxBytes} bytes`));
    });
    attach(stream);
  };
}

/** Runs the work on one connection. Errors of the client become coded ones. */
export async function withClient<T>(opened: Opened, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await opened.pool.connect().catch((error: unknown) => {
    throw createStoreError(error, opened.address);
  });
  let failure: unknown;
  try {
    return await work(client);
  } catch (error) {
    failure = error;
    throw createStoreError(error, opened.address);
  } finally {
    client.release(failure !== undefined && !(failure instanceof AppError));
  }
}

/** SQLSTATE classes of a server that is unavailable, starting, stopping or full. */
const outage = /^(08|53|57P0)/;

/** The run waits for an unavailable server. Other errors are passed on with the server's message. */
export function createStoreError(error: unknown, address: string): AppError {
  if (error instanceof AppError) return error;
  const { code = '', message = String(error) } = error as { code?: string; message?: string };
  const isSqlState = /^[0-9A-Z]{5}$/.test(code);
  const isAway = !isSqlState || outage.test(code);
  return new AppError(
    isAway ? 'SEARCH_CONNECTION_FAILED' : 'SEARCH_INDEX_ERROR',
    isAway
      ? `PostgreSQL at ${address} cannot be reached: ${message}`
      : `PostgreSQL at ${address} refused it (${code}): ${message}`,
    {},
    error,
  );
}

/** A name as PostgreSQL reads it, with its letter case. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text as a literal. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
