import { type ChildProcess, spawn } from 'node:child_process';

/** Ends with its input, which ends with the parent, or kills the process after `ms`. */
const guardScript = `
const [pid, ms, title] = process.argv.slice(1);
const kill = () => {
  process.stderr.write(title + ' has not ended within ' + Math.round(ms / 1000) + ' s after the signal to stop; it is killed\\n');
  try { process.kill(Number(pid), 'SIGKILL'); } catch {}
  process.exit(0);
};
setTimeout(kill, Number(ms));
process.stdin.on('error', () => process.exit(0)).on('end', () => process.exit(0)).resume();
`;

/**
 * Kills this process after `ms`, unless it has ended. Another process does it, because a timer in this one is not enough: Node waits
 * for its threads before it exits, and a thread in native code may never return.
 */
export function limitExit(title: string, ms: number, pid: number = process.pid): ChildProcess {
  const guard = spawn(process.execPath, ['-e', guardScript, String(pid), String(ms), title], {
    stdio: ['pipe', 'ignore', 'inherit'],
    // Outside of the process group, which may get the signal too.
    detached: true,
    env: {},
  });
  // A failure is ignored: without a guard, the process usually still ends by itself.
  guard.on('error', () => undefined);
  guard.stdin?.on('error', () => undefined);
  guard.unref();
  return guard;
}
