import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

const messages: Record<number, string> = {
  0x01: 'HELLO', 0x02: 'GOODBYE', 0x0f: 'RESET', 0x10: 'RUN', 0x11: 'BEGIN', 0x12: 'COMMIT', 0x13: 'ROLLBACK', 0x3f: 'PULL',
}; // prettier-ignore
export type BoltStep = 'CONNECT' | 'HELLO' | 'BEGIN' | 'RUN' | 'PULL' | 'COMMIT';

/** A chunk without data, which keeps a connection alive. */
const noop = Buffer.from([0, 0]);
/** The magic number and four proposed versions. */
const handshakeBytes = 20;

/** A Bolt 5.0 server that accepts all and stores nothing. At `stallAt` it stops answering, or only keeps the connection alive. */
export async function startBolt(stallAt?: BoltStep, drips = false): Promise<{ uri: string; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let drip: NodeJS.Timeout | undefined;
    socket.on('error', () => undefined);
    socket.on('close', () => clearInterval(drip));
    let held: Buffer = Buffer.alloc(0);
    let isOpen = false;
    socket.on('data', (part: Buffer) => {
      held = Buffer.concat([held, part]);
      if (stallAt === 'CONNECT') return;
      if (!isOpen) {
        if (held.length < handshakeBytes) return;
        held = held.subarray(handshakeBytes);
        isOpen = true;
        socket.write(Buffer.from([0, 0, 0, 5]));
      }
      for (let message = takeMessage(); message; message = takeMessage()) answer(messages[message[1] ?? 0]);
    });
    /** The next complete message; chunks of one message end with an empty one. */
    const takeMessage = (): Buffer | undefined => {
      const chunks: Buffer[] = [];
      for (let at = 0; held.length >= at + 2;) {
        const length = held.readUInt16BE(at);
        const end = at + 2 + length;
        if (held.length < end) return undefined;
        if (length > 0) chunks.push(held.subarray(at + 2, end));
        at = end;
        if (length > 0 || chunks.length === 0) continue;
        held = held.subarray(at);
        return Buffer.concat(chunks);
      }
      return undefined;
    };
    const answer = (step = '') => {
      if (step === 'GOODBYE') return socket.end();
      if (step !== stallAt) return socket.write(encodeSuccess(step));
      if (drips) drip = setInterval(() => socket.write(noop), 20);
    };
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    uri: `bolt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** SUCCESS with the metadata that the driver requires. */
function encodeSuccess(step: string): Buffer {
  const text = (value: string) => [0xd0, value.length, ...Buffer.from(value)];
  const hello = [0xa2, ...text('server'), ...text('Neo4j/5.0.0'), ...text('connection_id'), ...text('bolt-1')];
  const run = [0xa1, ...text('fields'), 0x90];
  const metadata = step === 'HELLO' ? hello : step === 'RUN' ? run : [0xa0];
  const body = [0xb1, 0x70, ...metadata];
  return Buffer.from([0, body.length, ...body, 0, 0]);
}
