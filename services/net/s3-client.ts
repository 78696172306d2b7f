import { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { AppError } from '../../model/errors';
import type { AddressGuard } from './address-guard';
import { createGuardedAgents } from './guarded-connections';

const connectTimeoutMs = 5_000;
/**
 * How long a server may stay silent, and how long a server that a flow or a request names may take for one answer, unless it sends 100 kB
 * per second.
 */
export interface S3Limits {
  silenceMs: number;
  totalMs: number;
}
const defaultLimits: S3Limits = { silenceMs: 60_000, totalMs: 10 * 60_000 };
/** Uploads, and answers that take longer than `totalMs`, may be this slow, in bytes per millisecond. */
const slowestTransfer = 100;
const firstErrorStatus = 300;
/** Listings have 1,000 keys of up to 1,024 bytes; errors are short. */
const maxResponseMib = 16;

/**
 * A client and the SDK with its commands, which is loaded on first use. With a guard, every connection passes it, and the total time of
 * an answer is limited; the own store has readers that may pause.
 */
export async function createS3Client(
  config: Pick<S3ClientConfig, 'region' | 'endpoint' | 'forcePathStyle' | 'credentials' | 'signer'>,
  guard?: AddressGuard,
  limits = defaultLimits,
) {
  const sdk = await import('@aws-sdk/client-s3');
  const agents = guard && createGuardedAgents(guard);
  const client = new sdk.S3Client({
    ...config,
    // Servers other than Amazon's support only the checksums that an operation requires.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      // Its `requestTimeout` only writes a warning and includes the time of uploads, and its `socketTimeout` would end readers that pause.
      socketAcquisitionWarningTimeout: limits.silenceMs,
      ...(agents && { httpAgent: agents.http, httpsAgent: agents.https }),
    },
  });
  limitTimes(client, guard ? limits : { ...limits, totalMs: Infinity });
  limitResponses(client);
  return { sdk, client };
}

/** Ends requests whose server does not begin to answer, and answers that stall. The client itself would wait forever. */
function limitTimes({ config: { requestHandler } }: S3Client, limits: S3Limits): void {
  const handle = requestHandler.handle.bind(requestHandler);
  requestHandler.handle = async (request, options: { abortSignal?: unknown } = {}) => {
    const given = options.abortSignal as AbortSignal | undefined;
    const late = new AbortController();
    const { byteLength = 0 } = (request.body ?? {}) as { byteLength?: number };
    const timer = setTimeout(() => late.abort(), limits.silenceMs + byteLength / slowestTransfer);
    const abortSignal = given ? AbortSignal.any([given, late.signal]) : late.signal;
    try {
      const answer = await handle(request, { ...options, abortSignal });
      if (answer.response.body instanceof IncomingMessage) endStalled(answer.response.body, limits);
      return answer;
    } catch (error) {
      throw late.signal.aborted && !given?.aborted ? createStalledError(limits.silenceMs) : error;
    } finally {
      clearTimeout(timer);
    }
  };
}

/**
 * Nothing arrives for a reader that pauses, either, but then what it has not yet taken is in the buffer, or all has arrived. A reader that
 * has just emptied the buffer has another interval.
 */
function endStalled(body: IncomingMessage, { silenceMs, totalMs }: S3Limits): void {
  const startedAt = performance.now();
  const { socket } = body;
  const bytesBefore = socket.bytesRead;
  let { bytesRead } = socket;
  let wasEmpty = true;
  const timer = setInterval(() => {
    if (body.complete) return clearInterval(timer);
    const isEmpty = body.readableLength === 0;
    const isSilent = wasEmpty && isEmpty && socket.bytesRead === bytesRead;
    ({ bytesRead } = socket);
    wasEmpty = isEmpty;
    const elapsedMs = performance.now() - startedAt;
    const isSlow = elapsedMs > totalMs && bytesRead - bytesBefore < elapsedMs * slowestTransfer;
    if (isSilent || isSlow) body.destroy(createStalledError(isSilent ? silenceMs : totalMs));
  }, silenceMs).unref();
  body.once('close', () => clearInterval(timer));
}

/** The client repeats requests that fail with this name. It adds a hint to the message of every error without `$metadata`. */
function createStalledError(ms: number): Error {
  const error = new Error(`the S3 server did not answer in full within ${ms / 1_000} s`);
  return Object.assign(error, { name: 'TimeoutError', $metadata: {} });
}

/**
 * Limits the length of every response except the content of objects, which its readers limit. The client keeps listings and
 * errors in memory, and a server that a flow names could send endless ones.
 */
function limitResponses(client: S3Client): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args);
        const response = result.response as { statusCode?: number; body?: unknown };
        const isContent = commandName === 'GetObjectCommand' && (response.statusCode ?? 0) < firstErrorStatus;
        if (!isContent && response.body instanceof Readable)
          response.body = Readable.from(limitResponse(response.body), { objectMode: false });
        return result;
      },
    { step: 'deserialize', priority: 'low', name: 'limitResponses' },
  );
}

async function* limitResponse(body: Readable): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  // Leaving the loop closes the connection.
  for await (const part of body) {
    bytes += (part as Uint8Array).length;
    if (bytes > maxResponseMib * 1024 * 1024)
      // The client adds a hint to the message of every error without `$metadata`.
      throw Object.assign(
        new AppError('INVALID_RESPONSE', `The response of the S3 server is longer than ${maxResponseMib} MiB.`),
        { $metadata: {} },
      );
    yield part as Uint8Array;
  }
}
