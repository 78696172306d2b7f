import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { buildMark } from '../process-mark';
import { runWhileFrozen } from './freeze';

const dataDir = mkdtempSync(path.join(tmpdir(), 'docloom-freeze-'));
const children: ChildProcess[] = [];
const names = ['api', 'worker', 'mongo'];
/** Each part counts in a file, and so does a child of it; both are starting other processes most of the time. */
const script =
  'count() { i=0; while :; do i=$((i+1)); echo $i > "$1"; sleep 0.001; done; }; count "$1.child" & count "$1"';

beforeAll(() => {
  mkdirSync(path.join(dataDir, 'servers'));
  for (const name of names) {
    const child = spawn('sh', ['-c', script, 'sh', path.join(dataDir, name)], { detached: true, stdio: 'ignore' });
    children.push(child);
    writeFileSync(path.join(dataDir, 'servers', `${name}.json`), JSON.stringify(buildMark(child.pid as number)));
  }
});
afterAll(() => {
  for (const { pid } of children) process.kill(-(pid as number), 'SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

const counts = () =>
  names
    .flatMap((name) => [path.join(dataDir, name), path.join(dataDir, `${name}.child`)])
    .map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : ''));

async function untilAllCount(): Promise<void> {
  for (const from = counts(), deadline = Date.now() + 60_000; ; await delay(20)) {
    const now = counts();
    if (now.every((count, index) => count !== from[index])) return;
    if (Date.now() > deadline) throw new Error(`not all of them count: ${JSON.stringify([from, now])}`);
  }
}

test('processes and their children are stopped during the work, and continue after it', async () => {
  await untilAllCount();
  const { result, frozenMs } = await runWhileFrozen(dataDir, names, () => {
    const before = counts();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    return [before, counts()];
  });
  expect(result[1]).toEqual(result[0]);
  expect(frozenMs).toBeGreaterThanOrEqual(200);
  await untilAllCount();
});

test('they continue when the work fails', async () => {
  const failing = runWhileFrozen(dataDir, names, () => {
    throw new Error('disk full');
  });
  await expect(failing).rejects.toThrow('disk full');
  await untilAllCount();
});

test('a process that was replaced meanwhile is reported', async () => {
  const file = path.join(dataDir, 'servers', 'mongo.json');
  const mark = readFileSync(file, 'utf8');
  const replaced = runWhileFrozen(dataDir, names, () => writeFileSync(file, JSON.stringify(buildMark(process.pid))));
  await expect(replaced).rejects.toThrow('mongo ended during the backup');
  writeFileSync(file, mark);
  await untilAllCount();
});
