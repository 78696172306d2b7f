import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { connectMongo, guard } from '../../../services/storage/mongo';

const url = new URL(process.env['MONGODB_URL'] ?? 'mongodb://127.0.0.1:27017/docloom');
const host = decodeURIComponent(url.hostname);

/** Forwards connections to the database until `freeze` is called; then no data passes, and no connection ends. */
async function startFreezer() {
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const server = createServer((client) => {
    const upstream = host.startsWith('/') ? connect(host) : connect(Number(url.port || 27_017), host);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    if (isFrozen) return;
    client.pipe(upstream);
    upstream.pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    close() {
      for (const socket of sockets) socket.destroy();
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
