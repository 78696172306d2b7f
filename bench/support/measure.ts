import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { RunReport } from '../../cli/run/report';
import { docloom } from './stack';

/** The figures of one `docloom run`, measured from outside. */
export interface Measured {
  report: RunReport;
  /** From the start of the process to its end, as a user experiences it. */
  processSeconds: number;
  /** The highest resident memory of the worker while the run lasted, sampled every 50 ms; conversion threads are part of it. */
  workerPeakMb: number;
}

/** Runs the flow file to its end, by default with documents that have not changed, too. Throws when the run did not complete. */
export async function measureRun(
  flowFile: string,
  workerPid: number,
  env: Record<string, string | undefined>,
  flags: readonly string[] = ['--force-ingest'],
): Promise<Measured> {
  let peak = readResidentMb(workerPid);
  const sampler = setInterval(() => (peak = Math.max(peak, readResidentMb(workerPid))), 50);
  const started = performance.now();
  const child = spawn(process.execPath, [docloom, 'run', flowFile, '--json', ...flags], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const exited = new Promise<number | null>((resolve, reject) => child.on('exit', resolve).on('error', reject));
    const [output, code] = await Promise.all([text(child.stdout), exited]);
    const processSeconds = (performance.now() - started) / 1_000;
    if (code !== 0) throw new Error(`docloom run ended with exit code ${code}: ${output.slice(0, 2_000)}`);
    return { report: JSON.parse(output) as RunReport, processSeconds, workerPeakMb: peak };
  } finally {
    clearInterval(sampler);
  }
}

/** Resident memory of a process in MB (10^6 bytes), from /proc. */
export function readResidentMb(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return (Number(line?.[1] ?? 0) * 1_024) / 1e6;
}

/** The middle one of an odd number, the lower middle one of an even number. */
export function computeMedian(list: readonly number[]): number {
  return list.toSorted((left, right) => left - right)[Math.floor((list.length - 1) / 2)] ?? Number.NaN;
}

/** Milliseconds that the work takes. */
export async function measureMs(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
