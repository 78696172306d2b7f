import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { createDrainer } from './drainer';

/** Connects from another thread, says so in the shared memory, and posts the first line of the answer. */
const client = `
const { parentPort, workerData: { port, shared } } = require('node:worker_threads');
const state = new Int32Array(shared);
const socket = require('node:net').connect(port, '127.0.0.1', () => {
  socket.write('GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n');
  Atomics.store(state, 0, 1);
  Atomics.notify(state, 0);
});
socket.once('data', (bytes) => parentPort.postMessage(String(bytes).split('\\r\\n')[0]));
socket.once('error', ({ code }) => parentPort.postMessage(code));
socket.once('close', () => parentPort.postMessage('closed'));
`;

test('a connection that the system has accepted, but the server has not, is answered before the server closes', async () => {
  const server = createServer((_request, response) => {
    drainer.follow(response);
    response.end('answer');
  });
  const drainer = createDrainer(server, { drainMs: 5_000, lingerMs: 100 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const shared = new SharedArrayBuffer(4);
  const { port } = server.address() as AddressInfo;
  const worker = new Worker(client, { eval: true, workerData: { port, shared } });
  const answer = once(worker, 'message');
  // This thread accepts nothing until it goes on.
  expect(Atomics.wait(new Int32Array(shared), 0, 0, 10_000)).not.toBe('timed-out');
  const drained = drainer.drain();
  expect(await answer).toEqual(['HTTP/1.1 200 OK']);
  await drained;
  await worker.terminate();
});
