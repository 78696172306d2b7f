import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { lowerPriority } from './priority';

test('a process has a low priority, and so does its session where the system shares processors among sessions', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], {
    detached: true,
    stdio: 'ignore',
  });
  await once(child, 'spawn');
  const pid = child.pid as number;
  try {
    lowerPriority(pid);
    expect(getPriority(pid)).toBe(5);
    const group = `/proc/${pid}/autogroup`;
    const shared = existsSync(group) ? readFileSync(group, 'utf8') : '';
    expect(shared === '' || shared.endsWith('nice 5\n')).toBe(true);
  } finally {
    child.kill('SIGKILL');
  }
});

test('a process that has ended is not an error', () => {
  expect(() => lowerPriority(2 ** 22 - 3)).not.toThrow();
});
