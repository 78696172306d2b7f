import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as a speech server saw it. */
export interface SpeechAsk {
  path: string;
  authorization: string | undefined;
  /** The fields of the form, except the file. */
  fields: Record<string, string>;
  file: { name: string; mimetype: string; bytes: Buffer };
}

/** A server on a free port that speaks the transcriptions of the OpenAI protocol. Each test sets its answers. */
export interface SpeechServer {
  /** The address of transcriptions. */
  url: string;
  asked: SpeechAsk[];
  /** The answer; null means that it never answers. */
  answer: (ask: SpeechAsk, nth: number) => { status?: number; headers?: Record<string, string>; body: unknown } | null;
  stop(): Promise<void>;
}

/** Starts it. By default, transcriptions are empty. */
export async function createSpeechServer(): Promise<SpeechServer> {
  const http = createServer((request, response) => {
    respond(server, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const server: SpeechServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1/audio/transcriptions`,
    asked: [],
    answer: () => ({ body: { text: '', segments: [] } }),
    async stop() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return server;
}

async function respond(server: SpeechServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const sent = new Request('http://localhost', {
    method: 'POST',
    headers: { 'content-type': request.headers['content-type'] ?? '' },
    body: Buffer.concat(await request.toArray()),
  });
  const form = [...(await sent.formData())];
  const file = form.find(([name]) => name === 'file')?.[1] as File;
  const ask: SpeechAsk = {
    path: request.url ?? '',
    authorization: request.headers.authorization,
    fields: Object.fromEntries(form.filter(([name]) => name !== 'file')) as Record<string, string>,
    file: { name: file.name, mimetype: file.type, bytes: Buffer.from(await file.arrayBuffer()) },
  };
  server.asked.push(ask);
  const answer = server.answer(ask, server.asked.length);
  if (answer === null) return;
  response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
  response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
}
