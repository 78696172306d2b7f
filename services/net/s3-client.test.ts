import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
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
  const openObject = async (abortSignal?: AbortSignal) => {
    const { Body } = await client.send(new sdk.GetObjectCommand(place), { abortSignal });
    return Body as Readable;
  };
  return {
    client,
    list: (abortSignal?: AbortSignal) => client.send(new sdk.ListObjectsV2Command(place), { abortSignal }),
    put: () => client.send(new sdk.PutObjectCommand({ ...place, Body: Buffer.from('text') })),
    open: openObject,
    get: async (abortSignal?: AbortSignal) => buffer(await openObject(abortSignal)),
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

test('a reader that pauses over the last part of an object, which has arrived in full, may take its time', async () => {
  limits.totalMs = 3_600_000;
  const s3 = await open();
  const reply = s3.open();
  await server.reached();
  server.send('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\ntext\r\n');
  const parts: string[] = [];
  for await (const part of await reply) {
    parts.push(String(part));
    server.send('0\r\n\r\n');
    await sleep(limits.silenceMs * 4);
  }
  expect(parts).toEqual(['text']);
  s3.client.destroy();
});

test('an object that arrives fast enough may take longer than the limit', async () => {
  const bytes = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
  server.stall = {
    beginning: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
    drip: { bytes, everyMs: 20 },
  };
  limits.silenceMs = 300;
  const s3 = await open();
  const startedAt = performance.now();
  for await (const part of await s3.open()) {
    expect(String(part)).toMatch(/^x+$/);
    if (performance.now() - startedAt > limits.totalMs * 4) break;
  }
  expect(performance.now() - startedAt).toBeGreaterThan(limits.totalMs * 4);
  s3.client.destroy();
});
