import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { limitExit } from './exit-deadline';

/** Exits while a thread sleeps in native code, for which the exit waits. The thread reports that it is about to sleep. */
const hangingExit = `
const { Worker } = require('node:worker_threads');
const sleep = "require('node:child_process').execFileSync('sleep', ['30'], { stdio: 'ignore' })";
const worker = new Worker("require('node:worker_threads').parentPort.postMessage('asleep'); " + sleep, { eval: true });
worker.once('message', () => setTimeout(() => {
  process.stdout.write('exiting');
  process.exit(0);
}, 300));
`;

test('a process whose exit waits for a thread in native code is killed', async () => {
  const child = spawn(process.execPath, ['-e', hangingExit], { stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  await once(child.stdout, 'data');
  const guard = limitExit('The child', 500, child.pid);
  expect(await exited).toEqual([null, 'SIGKILL']);
  guard.stdin?.end();
});

test('the guard ends with its parent, and kills nobody', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
  const guard = limitExit('The child', 60_000, child.pid);
  const ended = once(guard, 'exit');
  // What the system does when the parent ends.
  guard.stdin?.end();
  expect(await ended).toEqual([0, null]);
  expect(child.exitCode).toBeNull();
  child.kill('SIGKILL');
  await once(child, 'exit');
});
