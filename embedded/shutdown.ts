/** Exit codes of programs that a signal ended: 128 and its number. */
const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
/** How long processes may take to end after SIGTERM. */
const stopMs = 8_000;
const running = new Set<number>();
let installed = false;
let stopping = false;

/** Ensures that the process group of `pid` ends with this process, unless this process is killed by SIGKILL. */
export function register(pid: number): void {
  running.add(pid);
  if (installed) return;
  installed = true;
  process.on('exit', () => signalAll('SIGKILL'));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => onSignal(signal));
}

/** Whether a signal has asked this process to end. */
export function isStopping(): boolean {
  return stopping;
}

/** Removes a process that has ended. */
export function unregister(pid: number): void {
  running.delete(pid);
}

function onSignal(signal: keyof typeof exitCodes): void {
  stopping = true;
  // Another listener stops the servers in order. Without one, end this process as the signal would have done.
  if (process.listenerCount(signal) > 1) return;
  signalAll('SIGTERM');
  const deadline = performance.now() + stopMs;
  const timer = setInterval(() => {
    if (running.size > 0 && performance.now() < deadline) return;
    clearInterval(timer);
    process.exit(exitCodes[signal]);
  }, 50);
}

function signalAll(signal: NodeJS.Signals): void {
  for (const pid of running) {
    try {
      process.kill(-pid, signal);
    } catch {
      // The process ended at this moment.
    }
  }
}
