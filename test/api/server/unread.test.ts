import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import Koa from 'koa';
import { createHttpServer, listen } from '../../../api/http/listen';

/** Clients that read nothing of what they requested. */
const unreadMs = 200;

async function serve(app: Koa) {
  return await listen(createHttpServer(), app, { host: '127.0.0.1', port: 0, drainMs: 0, unreadMs });
}

test('a client that reads nothing of a download does not hold its stream', async () => {
  const app = new Koa();
  // The client leaves in the middle, which Koa would log.
  app.silent = true;
  const sent = new Promise<Readable>((resolve) => {
    app.use((context) => {
      const endless = new Readable({
        read() {
          this.push(Buffer.alloc(65_536));
        },
      });
      context.body = endless;
      resolve(endless);
    });
  });
  const server = await serve(app);
  const client = connect(server.port, '127.0.0.1').on('error', () => undefined);
  client.pause();
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const endless = await sent;
  if (!endless.destroyed) await once(endless, 'close').catch(() => undefined);
  expect(endless.destroyed).toBe(true);
  client.destroy();
  await server.close();
});

test('a response that has nothing to send yet may be silent for longer', async () => {
  const app = new Koa();
  const events = new PassThrough();
  app.use((context) => {
    context.body = events;
    events.write('first');
    setTimeout(() => events.end('last'), unreadMs * 4);
  });
  const server = await serve(app);
  const response = await fetch(`http://127.0.0.1:${server.port}/`);
  expect(await response.text()).toBe('firstlast');
  await server.close();
});
