import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a server answers a request. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server of which each test decides how it answers, and another one that must not receive requests. */
export interface LyingServer {
  origin: string;
  answer: Answer;
  otherOrigin: string;
  /** The requests that the other server received. */
  stolen: IncomingMessage[];
}

/** Starts the two servers before each test and stops them after it. */
export function useLyingServer(): LyingServer {
  const lying: LyingServer = {
    origin: '',
    answer: (_request, response) => response.end(),
    otherOrigin: '',
    stolen: [],
  };
  const servers: Server[] = [];
  const start = async (answer: Answer): Promise<string> => {
    const server = createServer(answer);
    // A test that computes for seconds lets connections idle, and a request on a connection that is just closing fails.
    server.keepAliveTimeout = 60_000;
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  beforeEach(async () => {
    lying.stolen = [];
    lying.origin = await start((request, response) => lying.answer(request, response));
    lying.otherOrigin = await start((request, response) => {
      lying.stolen.push(request);
      response.end('stolen');
    });
  });
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.close();
      server.closeAllConnections();
    }
  });
  return lying;
}
