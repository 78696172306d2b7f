import { once } from 'node:events';
import net from 'node:net';

/**
 * Ports from here on are below those that the system gives to outgoing connections (32768 and up on Linux). A port from that
 * range may be taken by any connection while the server that owns it restarts.
 */
const first = 20_000;
const count = 12_000;
const input = new Set<number>();

/** An unused port of 127.0.0.1, a different one for each call in this process. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * count);
    if (input.has(port) || !(await isFree(port))) continue;
    input.add(port);
    return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = net.createServer().listen({ host: '127.0.0.1', port, exclusive: true });
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
