import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAddressGuard } from '../net/address-guard';
import { createCallbackSender, computeSignature } from './callback-sender';

const never = new AbortController().signal;
let server: Server;
let url: string;
let statuses: number[];
let received: { headers: IncomingMessage['headers']; body: string }[];

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      response.writeHead(statuses.shift() ?? 200).end('{"status":"ack"}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  statuses = [];
  received = [];
});

function sender({ allowed = ['localhost'], secret }: { allowed?: string[]; secret?: string } = {}) {
  return createCallbackSender({ guard: createAddressGuard(allowed), pauseMs: 1, ...(secret ? { secret } : {}) });
}
const callback = () => ({ url, headers: { authorization: 'Bearer theirs' }, ca_cert: '' });

test('a message is signed so that the receiver can verify it, and has the configured headers', async () => {
  const signing = sender({ secret: 'between us' });
  expect(await signing.send(callback(), { task_id: 't', progress: { kind: 'set_num_docs', num_docs: 2 } }, never)).toBe(
    true,
  );
  signing.close();
  const [{ headers, body }] = received as [(typeof received)[0]];
  expect(JSON.parse(body)).toEqual({ task_id: 't', progress: { kind: 'set_num_docs', num_docs: 2 } });
  expect(headers).toMatchObject({ authorization: 'Bearer theirs', 'content-type': 'application/json' });
  expect(headers['x-docloom-signature']).toBe(
    computeSignature('between us', String(headers['x-docloom-timestamp']), body),
  );
});

test('without a secret nothing is signed', async () => {
  const plain = sender();
  await plain.send(callback(), {}, never);
  plain.close();
  expect(received[0]?.headers['x-docloom-signature']).toBeUndefined();
});

test('a broken receiver is tried three times, then given up', async () => {
  const trying = sender();
  statuses = [500, 503];
  expect(await trying.send(callback(), {}, never)).toBe(true);
  expect(received).toHaveLength(3);
  statuses = [500, 302, 429];
  expect(await trying.send(callback(), {}, never)).toBe(false);
  trying.close();
  expect(received).toHaveLength(6);
});

test('a rejected message is not resent, and does not block those behind it', async () => {
  const trying = sender();
  statuses = [422];
  expect(await trying.send(callback(), {}, never)).toBe(true);
  trying.close();
  expect(received).toHaveLength(1);
});

test('an address inside the network is not called', async () => {
  const guarded = sender({ allowed: [] });
  expect(await guarded.send(callback(), {}, never)).toBe(false);
  guarded.close();
  expect(received).toEqual([]);
});

test('an abort ends the attempts with its reason', async () => {
  const trying = sender();
  statuses = [500, 500, 500];
  const stop = new AbortController();
  stop.abort(new Error('enough'));
  await expect(trying.send(callback(), {}, stop.signal)).rejects.toThrow('enough');
  trying.close();
});
