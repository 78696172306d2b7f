import { once } from 'node:events';
import net from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/** A TCP proxy that can make the connections to a server slow, or cut them. */
export interface Proxy {
  port: number;
  /** Delays all data by this time, in both directions; 0 ends the delay. Open connections are affected too. */
  slow(pieceMs: number): void;
  /** Ends all connections and refuses new ones. */
  cut(): void;
  /** Accepts connections again. */
  mend(): Promise<void>;
}

/** Starts on a free port of the loopback interface. `target` is a port there, or the path of a socket. */
export async function startProxy(target: number | string): Promise<Proxy> {
  const sockets = new Set<net.Socket>();
  let pieceMs = 0;
  const held = () =>
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        if (pieceMs === 0) return done(null, chunk);
        void delay(pieceMs).then(() => done(null, chunk));
      },
    });
  const serve = () =>
    net.createServer((client) => {
      const server = typeof target === 'string' ? net.connect(target) : net.connect(target, '127.0.0.1');
      for (const socket of [client, server]) {
        sockets.add(socket);
        socket.on('error', () => socket.destroy());
        socket.on('close', () => {
          sockets.delete(socket);
          (socket === client ? server : client).destroy();
        });
      }
      client.pipe(held()).pipe(server);
      server.pipe(held()).pipe(client);
    });
  let listener = serve().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as net.AddressInfo;
  return {
    port,
    slow: (ms) => (pieceMs = ms),
    cut() {
      listener.close();
      for (const socket of sockets) socket.destroy();
    },
    async mend() {
      listener = serve().listen(port, '127.0.0.1');
      await once(listener, 'listening');
    },
  };
}
