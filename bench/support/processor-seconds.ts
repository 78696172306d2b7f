import { readFileSync } from 'node:fs';

/** Ticks of the clock in /proc; the kernel shows them at 100 a second whatever its own rate is. */
const ticksPerSecond = 100;

/** Processor seconds that a process has used with all its threads, from /proc; 0 when it is gone. */
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

/** Runs the work; gives the processor seconds that each of the processes used meanwhile, and this one as `bench`. */
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
