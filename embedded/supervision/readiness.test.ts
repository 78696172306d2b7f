import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { askApi, askWorker, type Missing, watchReadiness } from './readiness';
import type { Part } from './supervisor';

const quick = { everyMs: 2, reportAfterMs: 10, endAfterMs: 10_000 };

/** Watches until `isOver` holds for the lines that were logged, or a process was ended. */
async function watch(
  answer: () => Missing,
  isOver: (lines: string[]) => boolean,
  patience = quick,
  about: Partial<Part> = {},
) {
  const lines: string[] = [];
  const ended: string[] = [];
  const over = new AbortController();
  const part: Part = {
    name: 'mongo',
    title: 'MongoDB',
    process: {
      name: 'mongo',
      pid: 7,
      logFile: '/logs/mongo.log',
      exited: new Promise(() => undefined),
      hasExited: () => false,
      stop: async () => {
        ended.push('mongo');
        over.abort();
      },
    },
    start: async () => undefined,
    ...about,
  };
  const log = (line: string) => {
    lines.push(line);
    if (isOver(lines)) over.abort();
  };
  await watchReadiness([part], { ask: async () => answer(), log, signal: over.signal, patience });
  return { lines, ended };
}

test('a server that stops answering is reported once, and again when it answers', async () => {
  let isReported = false;
  const { lines, ended } = await watch(
    (): Missing => (isReported ? {} : { mongo: 'timed out' }),
    (said) => {
      isReported = true;
      return said.length === 2;
    },
  );
  expect(lines).toEqual([
    expect.stringMatching(/^MongoDB has not answered for \d+ s: timed out$/),
    expect.stringMatching(/^MongoDB answers again, after \d+ s$/),
  ]);
  expect(ended).toEqual([]);
});

test('a silence lasts since the question that got no answer, not since the end of the wait for one', async () => {
  const lines: string[] = [];
  const over = new AbortController();
  let asked = 0;
  const ask = async (): Promise<Missing> => {
    asked += 1;
    await new Promise((resolve) => setTimeout(resolve, 60));
    return { api: 'no answer' };
  };
  const log = (line: string) => {
    lines.push(line);
    over.abort();
  };
  await watchReadiness([], { ask, log, signal: over.signal, patience: { ...quick, reportAfterMs: 50 } });
  expect(lines).toEqual([expect.stringContaining('api has not answered')]);
  expect(asked).toBe(1);
});

test('a silence that ends before the limit is not reported', async () => {
  let asked = 0;
  const { lines } = await watch(
    (): Missing => ((asked += 1) > 20 ? { search: 'refused' } : asked % 2 === 0 ? { mongo: 'timed out' } : {}),
    (said) => said.length > 0,
    { ...quick, reportAfterMs: 50 },
  );
  expect(lines).toEqual([expect.stringContaining('search has not answered')]);
});

test('the process of a server that stays silent is ended, so that it is started again', async () => {
  const { lines, ended } = await watch(
    () => ({ mongo: 'timed out' }),
    () => false,
    { ...quick, endAfterMs: 30 },
  );
  expect(ended).toEqual(['mongo']);
  expect(lines.at(-1)).toMatch(/^MongoDB \(process 7\) has not answered for \d+ s; it is stopped and started again$/);
});

test('a silence is reported although the clock is set back, and its process is not ended because the clock is set forward', async () => {
  let clock = jest.spyOn(Date, 'now');
  let asked = 0;
  const setBy = (hours: number) => {
    clock.mockRestore();
    const now = Date.now() + hours * 3_600_000;
    clock = jest.spyOn(Date, 'now').mockReturnValue(now);
  };
  const answer = (): Missing => {
    asked += 1;
    if (asked === 1) setBy(1);
    if (asked === 2) setBy(-1);
    return { mongo: 'timed out' };
  };
  const { lines, ended } = await watch(answer, (said) => said.length > 0);
  clock.mockRestore();
  expect([lines, ended]).toEqual([[expect.stringMatching(/^MongoDB has not answered for \d s: timed out$/)], []]);
});

test('a part with a limit of its own is ended after that', async () => {
  const { ended } = await watch(
    () => ({ mongo: 'timed out' }),
    () => false,
    quick,
    { maxSilenceMs: 30 },
  );
  expect(ended).toEqual(['mongo']);
});

test('a server that answers when asked directly is not ended, because an overloaded api gets no answers in time', async () => {
  const { lines, ended } = await watch(
    () => ({ mongo: 'no answer within 2000 ms' }),
    (said) => said.length === 3,
    { ...quick, endAfterMs: 30 },
    { answers: async () => true },
  );
  expect(new Set(lines.map((line) => line.replaceAll(/\d+ s/g, 'N s')))).toEqual(
    new Set([
      'The api has had no answer from MongoDB for N s: no answer within 2000 ms. MongoDB answers when asked directly',
    ]),
  );
  expect(ended).toEqual([]);
});

test('a part that is starting is neither reported nor ended', async () => {
  const begun = Date.now();
  const { lines, ended } = await watch(
    () => ({ mongo: 'refused', other: 'refused' }),
    () => Date.now() - begun > 100,
    { everyMs: 2, reportAfterMs: 120, endAfterMs: 30 },
    { isStarting: true },
  );
  expect(lines).toEqual([expect.stringMatching(/^other has not answered/)]);
  expect(ended).toEqual([]);
});

test('while the api is silent, a silent server is not said to answer again', async () => {
  const said: string[] = [];
  const { lines } = await watch(
    (): Missing => {
      // Each state lasts until it has been reported, however slow the machine is.
      if (!said.some((line) => line.startsWith('MongoDB has'))) return { mongo: 'timed out' };
      return said.some((line) => line.startsWith('api has')) ? {} : { api: 'timed out' };
    },
    (all) => {
      said.splice(0, said.length, ...all);
      return all.some((line) => line.startsWith('api answers'));
    },
  );
  expect(lines.map((line) => line.replace(/ for .*|,.*/, ''))).toEqual([
    'MongoDB has not answered',
    'api has not answered',
    'MongoDB answers again',
    'api answers again',
  ]);
});

test('a worker that answers anything is alive, one that takes the connection only is not', async () => {
  let isStuck = false;
  const server = createServer((_request, reply) => {
    if (!isStuck) reply.writeHead(503).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await askWorker(address)).toEqual({});
  isStuck = true;
  expect(await askWorker(address, 50)).toEqual({ worker: `no answer from ${address}/health within 0 s` });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(await askWorker(address)).toEqual({ worker: expect.stringContaining(`${address}/health: `) });
});

test('a server that was not started here is reported by its name', async () => {
  const { lines, ended } = await watch(
    () => ({ temporal: 'refused' }),
    (said) => said.length > 0,
  );
  expect(lines).toEqual([expect.stringMatching(/^temporal has not answered for \d+ s: refused$/)]);
  expect(ended).toEqual([]);
});

test('the api reports what it misses, and is missing itself when it does not answer', async () => {
  const server = createServer((_request, reply) => {
    reply.statusCode = 503;
    reply.end(JSON.stringify({ checks: { mongo: { ok: false, reason: 'timed out' }, search: { ok: true } } }));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await askApi(address)).toEqual({ mongo: 'timed out' });
  await new Promise((resolve) => server.close(resolve));
  expect(await askApi(address)).toEqual({ api: expect.stringContaining(address) });
});
