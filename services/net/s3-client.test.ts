import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { httpStalls, useStallingServer } from '../../test/support/sources/stalling-server';
import { createAddressGuard } from './address-guard';
import { createS3Client, type S3Limits } from './s3-client';

const server = useStallingServer();
const guard = createAddressGuard(['127.0.0.1']);
let limits: S3Limits;
beforeEach(() => (limits = { silenceMs: 100, totalMs: 300 }));

async function open() {
  const { sdk, client } = await createS3Client(
    {
      region: 'us-east-1',
      endpoint: server.origin,
      forcePathStyle: true,
      credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    },
    guard,
    limits,
  );
  const place = { Bucket: 'bucket', Key: 'key' };
  return {
    client,
    list: (abortSignal?: AbortSignal) => client.send(new sdk.ListObjectsV2Command(place), { abortSignal }),
    put: () => client.send(new sdk.PutObjectCommand({ ...place, Body: Buffer.from('text') })),
    get: async (abortSignal?: AbortSignal) => {
      const { Body } = await client.send(new sdk.GetObjectCommand(place), { abortSignal });
      return await buffer(Body as Readable);
    },
  };
}
const stalled = { name: 'TimeoutError', message: expect.stringMatching(/did not answer in full within 0\.[13] s/) };

describe.each(Object.entries(httpStalls))('a server that %s', (_what, stall) => {
  test.each(['list', 'put', 'get'] as const)('ends %s', async (call) => {
    server.stall = stall;
    const s3 = await open();
    await expect(s3[call]()).rejects.toMatchObject(stalled);
    s3.client.destroy();
  });

  test.each(['list', 'get'] as const)('does not hold %s when the caller leaves', async (call) => {
    server.stall = stall;
    limits.silenceMs = 3_600_000;
    const s3 = await open();
    const caller = new AbortController();
    const leave = server.reached().then(() => caller.abort());
    await expect(s3[call](caller.signal)).rejects.not.toMatchObject(stalled);
    await leave;
    s3.client.destroy();
  });
});
