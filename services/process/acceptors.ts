import { spawn, type SendHandle } from 'node:child_process';
import { Server as NetServer, type Socket } from 'node:net';

/** Connections that a server accepts in one turn of the event loop, besides the one that Node accepts itself. */
const extraAcceptors = 32;

/** Runs in the child process: returns the socket that it receives `count` times, and exits when its channel closes. */
const duplicator = `process.on('message', (count, socket) => {
  for (let sent = 0; sent < count; sent += 1) process.send(sent, socket);
});`;

/** Further acceptors on the socket of a listening server. */
export interface Acceptors {
  /** Accepts no more connections. Resolves when those that were accepted have ended. */
  close(): Promise<void>;
}

/** As Node sets them for an HTTP server: clients may end their side after the request, and small writes are sent at once. */
const connectionOptions = { allowHalfOpen: true, noDelay: true };

/**
 * Makes a listening server accept several connections in each turn of the event loop.
 *
 * Since version 1.45, libuv accepts one connection for each listening handle and turn. A turn of a busy process takes a tenth of a second or more, so
 * new clients would wait in the kernel's queue while the connections that are open are served. A handle on a duplicate of the same socket accepts one
 * more. Only another process can hand back a duplicate: a child process does so once, and ends. If it fails, the server goes on with one acceptor.
 * Windows accepts connections in another way and is left as it is. `backlog` is that of the server: each handle sets it for the socket.
 */
export function addAcceptors(server: NetServer, backlog: number): Acceptors {
  const acceptors: NetServer[] = [];
  if (process.platform === 'win32') return { close: () => Promise.resolve() };
  const child = spawn(process.execPath, ['-e', duplicator], { env: {}, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  child.unref();
  child.channel?.unref();
  child.on('error', () => undefined);
  child.on('message', (_number, duplicate) => {
    const acceptor = new NetServer(connectionOptions, (socket: Socket) => server.emit('connection', socket));
    acceptor.on('error', () => undefined);
    acceptor.listen(duplicate, backlog);
    acceptors.push(acceptor);
    if (!server.listening) acceptor.close();
    if (acceptors.length === extraAcceptors) child.disconnect();
  });
  child.send(extraAcceptors, readSocket(server), () => undefined);
  return {
    async close() {
      if (child.connected) child.disconnect();
      await Promise.all(acceptors.map((acceptor) => new Promise((resolve) => acceptor.close(resolve))));
    },
  };
}

/** The socket alone: a child that received the server would begin to accept its connections. */
function readSocket(server: NetServer): SendHandle {
  return (server as unknown as { _handle: SendHandle })._handle;
}
