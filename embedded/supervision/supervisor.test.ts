import type { ServerProcess } from '../server-process';
import { type Part, type Patience, supervise } from './supervisor';

const quick: Patience = { maxExits: 4, windowMs: 60_000, firstPauseMs: 5, longestPauseMs: 10 };

/** A part whose process ends on request of the test. */
function fakePart(start: (part: Part) => Promise<void> = async () => undefined) {
  let pid = 0;
  let end: (code: number) => void = () => undefined;
  const next = (): ServerProcess => {
    let hasEnded = false;
    const exited = new Promise<{ code: number; signal: null }>((resolve) => {
      end = (code) => {
        hasEnded = true;
        resolve({ code, signal: null });
      };
    });
    const stop = async () => end(143);
    return { name: 'api', pid: (pid += 1), logFile: '/logs/api.log', exited, hasExited: () => hasEnded, stop };
  };
  const part: Part = {
    name: 'api',
    title: 'API',
    process: next(),
    start: async () => {
      part.process = next();
      await start(part);
    },
  };
  return { part, end: (code: number) => end(code) };
}

test('a part that ended is restarted, logged and counted', async () => {
  const { part, end } = fakePart();
  const lines: string[] = [];
  const changed = new Promise<void>((resolve) => {
    const supervisor = supervise([part], {
      log: (line) => lines.push(line),
      onChange: () => {
        expect(supervisor.restarts()).toEqual({ api: 1 });
        resolve();
      },
      patience: quick,
    });
  });
  end(1);
  await changed;
  expect(part.process.pid).toBe(2);
  expect(lines).toEqual([
    'API ended with exit code 1; it starts again in 0 s (log: /logs/api.log)',
    expect.stringMatching(/^API runs again \(process 2, /),
  ]);
});

test('a part that ends because the disk is full is not given up, and starts when there is space', async () => {
  let starts = 0;
  const { part, end } = fakePart(async () => {
    starts += 1;
    // The disk stays full for longer than it takes to give up.
    if (starts < 10) throw new Error('ENOSPC');
  });
  let asked = 0;
  const lines: string[] = [];
  const runs = new Promise<void>((resolve) => {
    supervise([part], {
      log: (line) => lines.push(line),
      onChange: resolve,
      patience: quick,
      isDiskFull: () => (asked += 1) % 3 !== 0,
    });
  });
  end(1);
  await runs;
  expect(starts).toBe(10);
  expect(lines[0]).toBe(
    'API ended with exit code 1; it starts again when the disk of the data folder is no longer full',
  );
  expect(lines.at(-1)).toMatch(/^API runs again/);
});

test('a part that ends repeatedly is given up with the reason', async () => {
  const { part, end } = fakePart(async () => {
    end(7);
  });
  const { givenUp } = supervise([part], { log: () => undefined, patience: quick });
  end(7);
  expect(await givenUp).toEqual({
    title: 'API',
    reason: 'it ended 4 times within 1 min, the last time it ended with exit code 7; the log is /logs/api.log',
  });
});

test('a part that never becomes ready is stopped and abandoned in the same way', async () => {
  const lines: string[] = [];
  const { part, end } = fakePart(() => Promise.reject(new Error('not ready after 2 minutes')));
  const { givenUp } = supervise([part], { log: (line) => lines.push(line), patience: quick });
  end(1);
  expect((await givenUp).reason).toContain('it ended 4 times');
  expect(lines).toContain('API did not start again: not ready after 2 minutes');
});

test('a part that reports invalid settings is given up at once', async () => {
  const { part, end } = fakePart();
  const { givenUp } = supervise([{ ...part, hopelessCode: 2 }], { log: () => undefined, patience: quick });
  end(2);
  expect((await givenUp).reason).toBe(
    'it ended with exit code 2, so that a new start would not help; the log is /logs/api.log',
  );
});

test('after stop nothing is restarted', async () => {
  const { part, end } = fakePart();
  const supervisor = supervise([part], { log: () => undefined, patience: quick });
  supervisor.stop();
  end(0);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(part.process.pid).toBe(1);
});
