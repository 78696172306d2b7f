import { Readable } from 'node:stream';
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { AppError } from '../../model/errors';
import type { AddressGuard } from './address-guard';
import { createGuardedAgents } from './guarded-connections';

const connectTimeoutMs = 5_000;
const requestTimeoutMs = 60_000;
const firstErrorStatus = 300;
/** Listings have 1,000 keys of up to 1,024 bytes; errors are short. */
const maxResponseMib = 16;

/** A client and the SDK with its commands, which is loaded on first use. With a guard, every connection passes it. */
export async function createS3Client(
  config: Pick<S3ClientConfig, 'region' | 'endpoint' | 'forcePathStyle' | 'credentials' | 'signer'>,
  guard?: AddressGuard,
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
      requestTimeout: requestTimeoutMs,
      ...(agents && { httpAgent: agents.http, httpsAgent: agents.https }),
    },
  });
  limitResponses(client);
  return { sdk, client };
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
