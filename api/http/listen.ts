import { randomUUID } from 'node:crypto';
import { createServer, IncomingMessage, STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type Koa from 'koa';
import { AppError } from '../../model/errors';
import { addAcceptors } from '../../services/process/acceptors';
import { createDrainer } from './drainer';
import { createErrorBody } from './error-body';
import { maxBodyBytes } from './middleware/body';
import { securityHeaders } from './middleware/security-headers';

/** A running server. */
export interface Listening {
  port: number;
  /**
   * Stops accepting connections and lets running requests finish within the drain time. Keep-alive connections end with
   * the next response, or after two idle seconds: closing them at once would lose a request in transit.
   */
  close(): Promise<void>;
}

/** Handles connections that request another protocol. */
export interface Upgrades {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes the connections it handles. */
  close(): void;
}

/**
 * Accepts upgrades only for WebSocket. Other upgrade requests, such as `h2c` in the first request of Java clients, are processed
 * as ordinary requests. Node reads this property after the headers of each request.
 */
class Request extends IncomingMessage {
  private asked = false;
  get upgrade(): boolean {
    return this.asked && (this.method === 'CONNECT' || /(^|,)\s*websocket\s*(,|$)/i.test(this.headers.upgrade ?? ''));
  }
  set upgrade(value: boolean) {
    this.asked = value;
  }
}

/**
 * Connections that wait to be accepted. When more arrive, the kernel drops them, and their clients try again only after 1, 3 and 7 seconds.
 * Node's default of 511 is too small for 1,000 clients that connect at once. Linux lowers the number to `net.core.somaxconn`, by default 4,096.
 */
const maxPendingConnections = 4_096;

/** The server for `listen`. Passes requests to the app that Node would reject with its own response. */
export function createHttpServer(): Server {
  return createServer({ IncomingMessage: Request, requireHostHeader: false });
}

/** Serves the app. Requests rejected by the HTTP parser also get the security headers and the error body. */
export async function listen(
  server: Server,
  app: Koa,
  options: {
    host: string;
    port: number;
    drainMs: number;
    lingerMs?: number;
    /** How long a client may leave a response unread; default five minutes, as Node has for sending a request. */
    unreadMs?: number;
    upgrades?: Upgrades;
    /** Accepts many connections in each turn of the event loop, with a child process at the start (40 ms of processor time). */
    acceptsMany?: boolean;
  },
): Promise<Listening> {
  const drainer = createDrainer(server, options);
  const callback = app.callback();
  const followReading = endUnread(server, options.unreadMs ?? 300_000);
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    drainer.follow(response);
    followReading(response);
    return callback(request, response);
  };
  // Longer than the idle timeout of proxies and clients (60 s is common). If the server closed first, a request in transit would
  // meet a closed connection.
  server.keepAliveTimeout = 65_000;
  server.on('request', (request, response) => void handle(request, response));
  server.on('checkContinue', (request, response) => {
    // The conversion service sends 100 Continue itself, after checking the size.
    const isConversion = /^\/v1(alpha)?\//.test(request.url ?? '');
    if (!isConversion && !(Number(request.headers['content-length']) > maxBodyBytes)) response.writeContinue();
    void handle(request, response);
  });
  // Other expectations may be ignored.
  server.on('checkExpectation', (request, response) => void handle(request, response));
  const { upgrades } = options;
  if (upgrades) server.on('upgrade', (request, socket, head) => upgrades.upgrade(request, socket, head));
  server.on('clientError', answerBrokenRequest);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(createListenError(error, options)));
    server.listen({ host: options.host, port: options.port, backlog: maxPendingConnections }, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
  const acceptors = options.acceptsMany ? addAcceptors(server, maxPendingConnections) : undefined;
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : options.port;
  return {
    port,
    close: () => {
      upgrades?.close();
      return drainer.drain(acceptors?.close());
    },
  };
}

/**
 * Closes connections whose client does not read what waits for it; it would hold its file or stream for ever. A response that has nothing
 * to send yet may take as long as it needs. The function must be called with every response.
 */
function endUnread(server: Server, unreadMs: number): (response: ServerResponse) => void {
  const responses = new WeakMap<Socket, ServerResponse>();
  server.timeout = unreadMs;
  server.on('timeout', (socket) => {
    const response = responses.get(socket);
    // Connections without a running response are idle.
    if (!response || response.closed || response.writableLength > 0) socket.destroy();
  });
  return (response) => void (response.socket && responses.set(response.socket, response));
}

function createListenError(error: NodeJS.ErrnoException, { host, port }: { host: string; port: number }): Error {
  const hint = {
    EADDRINUSE: 'is in use',
    EACCES: 'may not be used',
    EADDRNOTAVAIL: 'is not an address of this machine',
  }[error.code ?? ''];
  if (!hint) return error;
  return new AppError(
    'INVALID_CONFIGURATION',
    `${host}:${port} ${hint}; set DOCLOOM_HOST and DOCLOOM_PORT to a free address.`,
    {},
    error,
  );
}

function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const trace = randomUUID();
  const { body } = createErrorBody(
    new AppError('VALIDATION_ERROR', 'The request is not valid HTTP, too slow, or its headers are too large.'),
    {
      codeCase: 'upper',
      trace,
    },
  );
  const text = JSON.stringify(body);
  const headers = {
    ...securityHeaders,
    'X-Transaction-ID': trace,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(text)),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 400 ${STATUS_CODES[400]}\r\n${lines.join('')}\r\n${text}`);
}
