import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { WebSocketServer, type WebSocket } from 'ws';
import { isFinalTask, type TaskDescriptor } from '../../model/conversion/task/task';
import { AppError } from '../../model/errors';
import { createHostCheck, isOriginAllowed } from '../http/host-names';
import { createUnknownHostError } from '../http/middleware/host';
import { securityHeaders } from '../http/middleware/security-headers';
import type { ApiOptions } from '../services';
import { type Caller, createCallerFinder, type Credentials, type Logins } from './caller';
import { createErrorDetail, isTaskNotFound } from './http/error-detail';
import type { ConversionServices } from './services';

/** How long a client may take to read the last update and close the connection. */
const lingerMs = 1_000;
/** How long after an update a client that requests the next one gets the same update again, if nothing changes earlier. */
const repeatMs = 1_000;

/** Handles connections that request a WebSocket. */
export interface StatusSockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes all connections so that clients reconnect to another process. */
  close(): void;
}

type SocketOptions = Pick<ApiOptions, 'corsOrigins' | 'hostNames' | 'logger' | 'publicUrl'> & {
  conversion: Pick<ApiOptions['conversion'], 'apiKeys' | 'isOpen' | 'tenantHeader'>;
};

/** Watches tasks over WebSockets: sends `connection`, then one `update` per change, and closes with 1000 after the last. */
export function createStatusSockets(deps: {
  services: Logins & { conversion: Pick<ConversionServices, 'tasks'> };
  options: SocketOptions;
  pingMs?: number;
  /** How often a connection is closed if its caller is no longer logged in. */
  checkMs?: number;
}): StatusSockets {
  const { services, options, pingMs = 20_000, checkMs = 5_000 } = deps;
  const { conversion: settings, logger, corsOrigins: origins } = options;
  const server = new WebSocketServer({ noServer: true, maxPayload: 64 * 1024 });
  const findCaller = createCallerFinder(settings, services, options.publicUrl);
  const isHostKnown = createHostCheck(options.hostNames);
  const accept = (caller: Caller | undefined, id: string, { request, socket, head, credentials }: Upgrade) => {
    if (!caller) return refuse(socket, missingKey);
    server.handleUpgrade(request, socket, head, (client) => {
      keepAlive(client, pingMs);
      closeAfterLogout(client, checkMs, async () => (await findCaller(credentials))?.scope === caller.scope);
      void watch(client, { tasks: services.conversion.tasks, tenant: caller.scope, id, logger });
    });
  };
  return {
    upgrade(request, socket, head) {
      socket.on('error', () => undefined);
      const { host, origin } = request.headers;
      if (host !== undefined && !isHostKnown(host)) return refuse(socket, createUnknownHostError(host));
      if (!isOriginAllowed(origin, { host, origins })) return refuse(socket, createForeignOriginError(origin));
      const url = findAddress(request);
      const id = url && /^\/v1(?:alpha)?\/status\/ws\/([^/]+)\/?$/.exec(url.pathname)?.[1];
      if (!url || !id) return refuse(socket, { status: 404, message: 'Not Found' });
      const { searchParams: query } = url;
      const credentials = { headers: request.headers, key: query.get('api_key'), tenant: query.get('tenant_id') };
      findCaller(credentials).then(
        (caller) => accept(caller, id, { request, socket, head, credentials }),
        (error: unknown) => {
          logger.warn({ err: error }, 'the caller of a watch could not be identified');
          refuse(socket, { status: 503, message: 'The token cannot be checked at present.' });
        },
      );
    },
    close() {
      // Not 1000, which means that no more updates will come.
      for (const client of server.clients) client.close(1012, 'The server is restarting.');
      server.close();
    },
  };
}

interface Upgrade {
  request: IncomingMessage;
  socket: Duplex;
  head: Buffer;
  credentials: Credentials;
}

interface WatchedTask {
  tasks: ConversionServices['tasks'];
  tenant: string;
  id: string;
  logger: Pick<Logger, 'warn'>;
}

async function watch(client: WebSocket, { tasks, tenant, id, logger }: WatchedTask): Promise<void> {
  const gone = new AbortController();
  client.once('close', () => gone.abort());
  client.on('error', () => client.terminate());
  const send = (message: 'connection' | 'update', task: TaskDescriptor) =>
    client.send(JSON.stringify({ message, task, error: null }));
  let last: TaskDescriptor | undefined;
  let repetition: NodeJS.Timeout | undefined;
  const stopRepetition = () => {
    clearTimeout(repetition);
    repetition = undefined;
  };
  client.once('close', stopRepetition);
  // Some clients answer each update with a request for the next one. Without the delay, both sides would do nothing else.
  client.on('message', () => {
    repetition ??= setTimeout(() => {
      repetition = undefined;
      if (last && !isFinalTask(last.task_status)) send('update', last);
    }, repeatMs);
  });
  try {
    for await (const task of tasks.watch(tenant, id, gone.signal)) {
      stopRepetition();
      if (!last) send('connection', task);
      last = task;
      send('update', task);
    }
    if (last && isFinalTask(last.task_status)) closeSoon(client);
    else if (!gone.signal.aborted) client.close(1012, 'The watch ended; connect again.');
  } catch (error) {
    const { detail, status } = createErrorDetail(error, '');
    if (!isTaskNotFound(error)) logger.warn({ err: error, task: id }, 'a watch ended early');
    // Without `task`, because strict clients parse it whenever it is present.
    client.send(JSON.stringify({ message: 'error', error: detail }));
    client.close(status === 404 ? 1000 : 1011);
  }
}

/**
 * Lets the client close the connection, and closes it after a delay. A client that is still answering an earlier update would
 * otherwise find the socket closed and miss the last one.
 */
function closeSoon(client: WebSocket): void {
  const timer = setTimeout(() => client.close(1000), lingerMs);
  client.once('close', () => clearTimeout(timer));
}

function keepAlive(client: WebSocket, pingMs: number): void {
  let isAlive = true;
  client.on('pong', () => (isAlive = true));
  const timer = setInterval(() => {
    if (!isAlive) return client.terminate();
    isAlive = false;
    client.ping();
  }, pingMs);
  timer.unref();
  client.once('close', () => clearInterval(timer));
}

/** A failed check counts as a logout: the client connects again, and then gets the reason. */
function closeAfterLogout(client: WebSocket, checkMs: number, isLoggedIn: () => Promise<boolean>): void {
  const check = async () => {
    if (!(await isLoggedIn().catch(() => false))) client.close(1008, 'Your login has ended.');
  };
  const timer = setInterval(() => void check(), checkMs);
  timer.unref();
  client.once('close', () => clearInterval(timer));
}

function findAddress(request: IncomingMessage): URL | undefined {
  const address = `http://localhost${request.url ?? '/'}`;
  return URL.canParse(address) ? new URL(address) : undefined;
}

const missingKey = { status: 401, message: 'Api key is required as the ?api_key=SECRET query parameter.' };

function createForeignOriginError(origin = ''): AppError {
  return new AppError(
    'ORIGIN_NOT_ALLOWED',
    `Pages of the origin '${origin.slice(0, 100)}' may not open a WebSocket here. The operator of this server can list it in CORS_ORIGINS.`,
  );
}

function refuse(socket: Duplex, { status, message }: { status: number; message: string }): void {
  const body = JSON.stringify({ detail: message });
  const headers = {
    ...securityHeaders,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
}
