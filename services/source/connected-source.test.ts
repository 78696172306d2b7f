import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnectedSource } from './connected-source';
import { limitSilence } from './limit-bytes';

const { signal } = new AbortController();

/** A source whose server sends `part` every five milliseconds, and never ends unless after `parts`. */
function drip(readMs: number, part = Buffer.from('x'), parts = Infinity) {
  const closed: string[] = [];
  const source = createConnectedSource<string>(
    {
      open: () => 'connection',
      close: (connection) => closed.push(connection),
      list: async function* list() {},
      async *read(_connection, _file, limited) {
        for (let count = 0; count < parts; count += 1) {
          await sleep(5, undefined, { signal: limited });
          yield part;
        }
      },
    },
    readMs,
  );
  return { source, closed };
}

test.each(['read', 'hash'] as const)('a document that a server never ends fails alone: %s', async (call) => {
  const { source, closed } = drip(60);
  await expect(source[call]('a.pdf', {}, signal)).rejects.toMatchObject({
    code: 'SOURCE_UNREADABLE',
    message: expect.stringMatching(
      /^'a\.pdf' cannot be read: the server sent only \d+ bytes? of it in 0\.001 minutes\.$/,
    ),
  });
  expect(closed).toEqual(['connection']);
});

test('a document that arrives fast enough may take longer', async () => {
  const part = Buffer.alloc(1_000_000);
  const { source, closed } = drip(60, part, 30);
  expect((await source.read('a.pdf', {}, signal)).length).toBe(30 * part.length);
  expect(closed).toEqual(['connection']);
});

test('a run that is cancelled ends the reading of such a document, with its own reason', async () => {
  const { source, closed } = drip(3_600_000);
  const run = new AbortController();
  const reading = source.read('a.pdf', {}, run.signal);
  run.abort(new Error('cancelled'));
  await expect(reading).rejects.toThrow('cancelled');
  expect(closed).toEqual(['connection']);
});

test('a stream in which nothing arrives is destroyed', async () => {
  const stream = new Readable({ read() {} });
  stream.push('half');
  const read = async () => {
    const parts: string[] = [];
    for await (const part of limitSilence(stream, { name: 'a.pdf', silenceMs: 50 })) parts.push(String(part));
    return parts;
  };
  await expect(read()).rejects.toMatchObject({
    code: 'INVALID_RESPONSE',
    message: "The server broke off 'a.pdf': nothing arrived for 0.05 s.",
  });
  expect(stream.destroyed).toBe(true);
});
