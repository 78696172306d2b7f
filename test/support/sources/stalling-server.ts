import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** What a server does on a connection, after the first bytes of the client have arrived unless it `speaksFirst`. */
export interface Stall {
  speaksFirst?: boolean;
  /** Sent at once. */
  beginning?: string | Buffer;
  /** Sent again and again, each time after this pause. */
  drip?: { bytes: string; everyMs: number };
  /** Whether the connection is closed after the beginning. */
  closes?: boolean;
}

const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

/** Ways in which a server of HTTP holds its clients. */
export const httpStalls = {
  'says nothing': {},
  'sends half of a header': { beginning: 'HTTP/1.1 200 OK\r\ncontent-ty' },
  'sends headers, then nothing': { beginning: `${head}content-length: 1000\r\n\r\n` },
  'sends half of a body, then nothing': { beginning: `${head}content-length: 1000\r\n\r\n{"half":` },
  'sends a byte at a time': {
    beginning: `${head}transfer-encoding: chunked\r\n\r\n`,
    drip: { bytes: '1\r\n \r\n', everyMs: 20 },
  },
} satisfies Record<string, Stall>;

/** A server that holds its clients. `stall` may change between connections. */
export interface StallingServer {
  readonly port: number;
  readonly origin: string;
  stall: Stall;
  /** Resolves as soon as a client has connected and, unless the server speaks first, has sent something. */
  reached(): Promise<void>;
  /** Sends bytes on every open connection. */
  send(bytes: string): void;
  /** Resolves as soon as no client holds a connection. */
  released(): Promise<void>;
}

/** Starts the server before each test and stops it after it. */
export function useStallingServer(): StallingServer {
  const open = new Set<Socket>();
  let server: Server;
  let port = 0;
  let reach = () => {};
  let reached = Promise.resolve();
  const stalling: StallingServer = {
    get port() {
      return port;
    },
    get origin() {
      return `http://127.0.0.1:${port}`;
    },
    stall: {},
    reached: () => reached,
    send(bytes) {
      for (const socket of open) socket.write(bytes);
    },
    async released() {
      for (const socket of open) await new Promise((resolve) => socket.once('close', resolve));
    },
  };
  const serve = (socket: Socket): void => {
    open.add(socket);
    const { speaksFirst, beginning, drip, closes } = stalling.stall;
    let timer: NodeJS.Timeout | undefined;
    const begin = () => {
      if (beginning !== undefined) socket.write(beginning);
      if (drip) timer = setInterval(() => socket.write(drip.bytes), drip.everyMs);
      if (closes) socket.end();
      reach();
    };
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearInterval(timer);
      open.delete(socket);
    });
    // A socket that nobody reads does not notice that the client has left.
    socket.resume();
    if (speaksFirst) begin();
    else socket.once('data', begin);
  };
  beforeEach(async () => {
    stalling.stall = {};
    reached = new Promise((resolve) => (reach = resolve));
    server = createServer(serve).listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return stalling;
}
