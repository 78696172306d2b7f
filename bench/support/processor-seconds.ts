import { readFileSync } from 'node:fs';

/** Clock ticks in /proc; the kernel reports 100 per second, whatever its own rate is. */
const ticksPerSecond = 100;

/** Processor seconds used by a process with all its threads, from /proc; 0 if it has ended. */
function processorSeconds(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything, so count from its end: user and system time are fields 14 and 15.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return 0;
  }
}

/** Runs the work; returns the processor seconds used by each of the processes meanwhile, and by this one as `bench`. */
export async function withProcessorSeconds<T>(
  processes: Readonly<Record<string, number>>,
  work: () => Promise<T>,
): Promise<{ result: T; seconds: Record<string, number> }> {
  const all = { ...processes, bench: process.pid };
  const read = () => Object.values(all).map(processorSeconds);
  const before = read();
  const result = await work();
  const after = read();
  const seconds = Object.fromEntries(Object.keys(all).map((name, at) => [name, (after[at] ?? 0) - (before[at] ?? 0)]));
  return { result, seconds };
}
