import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { limitExit } from './exit-deadline';

/** Exits at once, which waits for a thread that sleeps in native code. */
const hangingExit = `
const { Worker } = require('node:worker_threads');
new Worker("require('node:child_process').execFileSync('sleep', ['30'], { stdio: 'ignore' })", { eval: true });
setTimeout(() => {
  process.stdout.write('exiting');
  process.exit(0);
}, 300);
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
