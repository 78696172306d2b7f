import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** All embedded servers listen on this address only. */
export const loopback = '127.0.0.1';

/** Ports that this process has chosen. */
const takenPorts = new Set<number>();

/** The preferred port if it is free, else any free one. Returns each port only once per process. */
export async function chooseFreePort(preferred: number): Promise<number> {
  if (preferred > 0 && !takenPorts.has(preferred) && (await canListen(preferred))) return takePort(preferred);
  for (;;) {
    const port = await canListen(0);
    if (port && !takenPorts.has(port)) return takePort(port);
  }
}

/** A bound port, reserved until the process that needs it starts. */
export interface ReservedPort {
  port: number;
  /** Frees the port for that process; may be called more than once. */
  release(): Promise<void>;
}

/** Binds the preferred port if it is free, else any free one. */
export async function reservePort(preferred: number): Promise<ReservedPort> {
  const port = await chooseFreePort(preferred);
  // A caller of an earlier start may connect already, and the port is only released once no connection is open.
  const server = createServer((socket) => socket.on('error', () => undefined).destroy());
  server.listen({ host: loopback, port, exclusive: true });
  try {
    await once(server, 'listening');
  } catch {
    // Another program took the port between the two calls.
    return reservePort(0);
  }
  let released: Promise<unknown> | undefined;
  const release = async () => {
    if (!released) {
      released = once(server, 'close');
      server.close();
    }
    await released;
  };
  return { port, release };
}

/** Lets `chooseFreePort` choose the port again, after its server has stopped. */
export function releasePort(port: number): void {
  takenPorts.delete(port);
}

/** True when the port accepts a connection within the timeout. */
export function isListening(host: string, port: number, timeoutMs = 1000): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (result: boolean): void => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(timeoutMs, () => end(false));
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}

/** The port that could be bound (chosen by the system for 0), or 0 when it is in use. */
function canListen(port: number): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(0));
    server.listen({ host: loopback, port, exclusive: true }, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address ? address.port : 0;
      server.close(() => resolve(bound));
    });
  });
}

function takePort(port: number): number {
  takenPorts.add(port);
  return port;
}
