import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';

/** How long kept-alive connections may send one more request after the server began to close. */
const defaultLingerMs = 2_000;
/** Pause between two checks for idle connections. */
const checkIntervalMs = 50;

/** Ends the connections of a server without losing a request. */
export interface Drainer {
  /** Must be called with the response of every request. */
  follow(response: ServerResponse): void;
  /**
   * Stops accepting connections and lets running requests finish within the drain time. Kept-alive connections end with
   * their next response, or after a while without a request: closing them at once would lose a request in transit. `others`
   * resolves when connections that the server did not accept itself have ended.
   */
  drain(others?: Promise<void>): Promise<void>;
}

/** Neither time is exceeded by more than a tenth of a second. */
export function createDrainer(
  server: Server,
  { drainMs, lingerMs = defaultLingerMs }: { drainMs: number; lingerMs?: number },
): Drainer {
  const running = new Set<ServerResponse>();
  let isDraining = false;
  return {
    follow(response) {
      if (isDraining) response.shouldKeepAlive = false;
      running.add(response);
      response.once('close', () => running.delete(response));
    },
    async drain(others) {
      isDraining = true;
      for (const response of running) response.shouldKeepAlive = false;
      const began = performance.now();
      const closeOverdue = () => {
        const waitedMs = performance.now() - began;
        if (waitedMs >= drainMs) server.closeAllConnections();
        else if (waitedMs >= lingerMs) server.closeIdleConnections();
      };
      const checks = setInterval(closeOverdue, checkIntervalMs);
      // `closeIdleConnections` of HTTP servers would close them at once.
      const own = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
      closeOverdue();
      await Promise.all([own, others]);
      clearInterval(checks);
    },
  };
}
