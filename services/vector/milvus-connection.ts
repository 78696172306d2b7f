import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import type { MilvusClient } from '@zilliz/milvus2-sdk-node';
import { AppError } from '../../model/errors';
import type { AddressGuard } from '../net/address-guard';
import { toPlainHost } from '../net/addresses';
import type { SearchTarget } from '../search/ports';

/** Timeout of a request in milliseconds. */
export const timeoutMs = 30_000;
/** Maximum size of a message of the server; the client has no limit of its own. */
const maxAnswerBytes = 64 * 1024 * 1024;
/** DEADLINE_EXCEEDED and UNAVAILABLE of gRPC. */
const outageCodes: ReadonlySet<unknown> = new Set([4, 14]);

type Sdk = typeof import('@zilliz/milvus2-sdk-node');
/** A connected client. */
export interface Opened {
  sdk: Sdk;
  client: MilvusClient;
  /** Host and port as the flow names them. */
  address: string;
  /** The address and port of the connection. */
  peer: string;
}
/** The status in a response of Milvus. */
export interface Status {
  error_code?: string | number;
  reason?: string;
}

/** Connects to the address that the guard has checked. Throws SEARCH_CONNECTION_FAILED when nothing answers. */
export async function connect(target: SearchTarget, guard: AddressGuard): Promise<Opened> {
  // The client would resolve the name itself. It gets the checked address instead, and the name only to verify certificates.
  const [judged] = await readAddresses(target, guard);
  const sdk = await import('@zilliz/milvus2-sdk-node').catch((error: unknown) => {
    throw new AppError(
      'INVALID_CONFIGURATION',
      "The vectordb provider 'milvus' needs the optional package @zilliz/milvus2-sdk-node, which is not installed on the worker.",
      {},
      error,
    );
  });
  const address = `${target.host}:${target.port}`;
  const name = toPlainHost(target.host);
  const peer = judged?.family === 6 ? `[${judged.address}]:${target.port}` : `${judged?.address}:${target.port}`;
  const client = new sdk.MilvusClient({
    address: peer,
    ssl: target.useSsl ?? false,
    ...(target.useSsl && isIP(name) === 0 ? { tls: { serverName: name } } : {}),
    channelOptions: {
      'grpc.default_authority': isIP(name) === 6 ? `[${name}]` : name,
      'grpc.enable_http_proxy': 0,
      'grpc.max_receive_message_length': maxAnswerBytes,
    },
    timeout: timeoutMs,
    logLevel: 'error',
    ...(target.database === undefined ? {} : { database: target.database }),
    ...(target.token === undefined ? {} : { token: target.token }),
    ...(target.username === undefined ? {} : { username: target.username, password: target.password ?? '' }),
  });
  try {
    await client.connectPromise;
  } catch (error) {
    await client.closeConnection().catch(() => undefined);
    throw new AppError(
      'SEARCH_CONNECTION_FAILED',
      `Milvus at ${address} cannot be reached: ${getMessage(error)}`,
      {},
      error,
    );
  }
  return { sdk, client, address, peer };
}

async function readAddresses({ host, port }: SearchTarget, guard: AddressGuard): Promise<LookupAddress[]> {
  try {
    return await guard.judge(host, port);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError(
      'SEARCH_CONNECTION_FAILED',
      `The name '${host}' cannot be resolved: ${getMessage(error)}`,
      {},
      error,
    );
  }
}

/** Sends a request and checks the status of the response. */
export async function send(opened: Opened, work: () => Promise<Status>): Promise<void> {
  check(opened, await call(opened, work));
}

/** Sends a request, checks the status of the response and returns the response. */
export async function answer<T extends { status: Status }>(opened: Opened, work: () => Promise<T>): Promise<T> {
  const reply = await call(opened, work);
  check(opened, reply.status);
  return reply;
}

/** gRPC codes 4 and 14 mean that the server did not answer. */
export async function call<T>(opened: Opened, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const code = (error as { code?: unknown } | undefined)?.code;
    if (outageCodes.has(code))
      throw new AppError(
        'SEARCH_CONNECTION_FAILED',
        `Milvus at ${opened.address} does not answer: ${getMessage(error)}`,
        {},
        error,
      );
    throw createFailure(opened, getMessage(error), error);
  }
}

/** Throws when the status is an error. */
export function check(opened: Opened, { error_code: code, reason }: Status): void {
  if (code === undefined || code === 'Success' || code === 0 || code === '0') return;
  throw createFailure(opened, `${code}: ${reason ?? ''}`);
}

/** True when the collection does not exist. */
export function isMissing({ error_code: code, reason = '' }: Status): boolean {
  return code === 'CollectionNotExists' || (code !== 'Success' && /not exist|can't find|not found/i.test(reason));
}

/** The error for a request that Milvus refused. */
export function createFailure({ address }: Opened, reason: string, cause?: unknown): AppError {
  return new AppError('SEARCH_INDEX_ERROR', `Milvus at ${address}: ${reason.slice(0, 500)}`, {}, cause);
}

/** The client rejects with the status of a response as well as with errors. */
export function getMessage(error: unknown): string {
  if (error instanceof Error) return error.message;
  const { reason, detail } = (error ?? {}) as { reason?: unknown; detail?: unknown };
  if (typeof reason === 'string') return reason;
  return typeof detail === 'string' ? detail : JSON.stringify(error);
}
