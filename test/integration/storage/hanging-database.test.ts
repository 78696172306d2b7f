import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connectMongo, guard } from '../../../services/storage/mongo';

const url = new URL(process.env['MONGODB_URL'] ?? 'mongodb://127.0.0.1:27017/docloom');
const host = decodeURIComponent(url.hostname);

/** Forwards connections to the database until `freeze` is called; then no data passes, and no connection ends. */
async function startFreezer() {
  const pairs = new Set<[Socket, Socket]>();
  let isFrozen = false;
  const join = ([client, upstream]: [Socket, Socket]) => client.pipe(upstream).pipe(client);
  const server = createServer((client) => {
    const upstream = host.startsWith('/') ? connect(host) : connect(Number(url.port || 27_017), host);
    const pair: [Socket, Socket] = [client, upstream];
    pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        pairs.delete(pair);
        for (const other of pair) other.destroy();
      });
    }
    if (!isFrozen) join(pair);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    freeze() {
      isFrozen = true;
      for (const socket of [...pairs].flat()) socket.unpipe().pause();
    },
    thaw() {
      isFrozen = false;
      for (const pair of pairs) join(pair);
    },
    close() {
      for (const socket of [...pairs].flat()) socket.destroy();
      server.close();
    },
  };
}

test('a read that has begun when the database starts to hang fails within about ten seconds', async () => {
  const freezer = await startFreezer();
  const mongo = connectMongo(`mongodb://127.0.0.1:${freezer.port}/test_${randomUUID().replaceAll('-', '')}`);
  try {
    await mongo.ping();
    freezer.freeze();
    const startedAt = performance.now();
    const reading = guard(() => mongo.collection('flows').findOne({ _id: 'a' }));
    await expect(reading).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    // With the driver's own pause of ten seconds between two checks of the server, it took 18.
    expect(performance.now() - startedAt).toBeLessThan(14_000);
  } finally {
    freezer.close();
    await mongo.close();
  }
});

test('a database that stalls for five seconds delays writes, and fails none', async () => {
  const freezer = await startFreezer();
  const mongo = connectMongo(`mongodb://127.0.0.1:${freezer.port}/test_${randomUUID().replaceAll('-', '')}`);
  const things = mongo.collection<{ _id: string }>('things');
  const write = () => guard(() => things.insertOne({ _id: randomUUID() }));
  try {
    await Promise.all(Array.from({ length: 3 }, write));
    // The driver has checked the server more than once.
    await delay(2_500);
    freezer.freeze();
    const writes = Array.from({ length: 6 }, write);
    const settled = Promise.allSettled(writes);
    await delay(5_000);
    freezer.thaw();
    expect((await settled).map(({ status }) => status)).toEqual(writes.map(() => 'fulfilled'));
    await things.drop();
  } finally {
    freezer.close();
    await mongo.close();
  }
});
