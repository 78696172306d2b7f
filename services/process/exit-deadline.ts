import { type ChildProcess, spawn } from 'node:child_process';

/** Waits for the end of its input, which is the end of its parent, or kills the process after the time. */
const guardScript = `
const [pid, ms, title] = process.argv.slice(1);
const kill = () => {
  process.stderr.write(title + ' has not ended within ' + Math.round(ms / 1000) + ' s after the signal to stop, and is killed\\n');
  try { process.kill(Number(pid), 'SIGKILL'); } catch {}
  process.exit(0);
};
setTimeout(kill, Number(ms));
process.stdin.on('error', () => process.exit(0)).on('end', () => process.exit(0)).resume();
`;

/**
 * Kills this process after the time, unless it has ended. A process of its own does it, because a timer here is not enough: the exit
 * of Node waits for threads, and a thread in native code may never return.
 */
export function limitExit(title: string, ms: number, pid: number = process.pid): ChildProcess {
  const guard = spawn(process.execPath, ['-e', guardScript, String(pid), String(ms), title], {
    stdio: ['pipe', 'ignore', 'inherit'],
    // Outside of the process group, which may get the signal too.
    detached: true,
    env: {},
  });
  // Without a guard the process still ends in the ordinary way.
  guard.on('error', () => undefined);
  guard.stdin?.on('error', () => undefined);
  guard.unref();
  return guard;
}
