import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that takes every request and keeps it. */
export interface Receiver {
  url: string;
  /** The bodies and headers that came to a path. */
  textFor(path: string): string;
  stop(): Promise<void>;
}

/** Starts it on a free port of the loopback interface. */
export async function createReceiver(): Promise<Receiver> {
  const received: { path: string; text: string }[] = [];
  const http = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = `${JSON.stringify(request.headers)} ${Buffer.concat(chunks).toString()}`;
      received.push({ path: request.url ?? '', text });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    textFor: (path) =>
      received
        .filter((item) => item.path === path)
        .map(({ text }) => text)
        .join('\n'),
    async stop() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
