import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readStack, type StackInfo } from '../../embedded/stack';
import { packageRoot } from '../../test/support/operators/package-root';

export { packageRoot };

/** The `docloom up` that a benchmark measures. */
export interface BenchStack {
  info: StackInfo;
  /** False when the benchmark started it. */
  wasRunning: boolean;
  /** The process that runs workflows, activities and conversion threads. */
  workerPid: number;
  /** Stops the stack if the benchmark started it; a stack that was already running continues. */
  close(): Promise<void>;
}

/** The command line of this checkout. */
export const docloom = path.join(packageRoot, 'bin', 'docloom');

/** Folder for benchmark documents next to the data folder, since no flow may read the data folder itself. */
export function benchFolder(dataDir: string): string {
  return `${path.resolve(dataDir)}-bench`;
}

/** Uses the stack that runs in the data folder, else starts one and waits until it is ready. */
export async function openStack(dataDir: string): Promise<BenchStack> {
  const running = await readStack(dataDir);
  if (running) return { info: running, wasRunning: true, workerPid: getWorker(running), close: async () => undefined };
  process.stderr.write(`No stack in ${dataDir}; starting one with docloom up …\n`);
  const roots = [process.env['DOCLOOM_SOURCE_ROOTS'], benchFolder(dataDir)].filter(Boolean).join(',');
  const child = spawn(process.execPath, [docloom, 'up'], {
    stdio: ['ignore', 2, 2],
    env: { ...process.env, DOCLOOM_DATA: dataDir, DOCLOOM_SOURCE_ROOTS: roots },
  });
  const exited = once(child, 'exit');
  let ended = false;
  void exited.then(() => (ended = true));
  for (;;) {
    const info = await readStack(dataDir);
    if (info) {
      const close = async () => {
        child.kill('SIGINT');
        await exited;
      };
      return { info, wasRunning: false, workerPid: getWorker(info), close };
    }
    if (ended) throw new Error(`docloom up ended with exit code ${child.exitCode}; its output above says why`);
    await delay(200);
  }
}

function getWorker(info: StackInfo): number {
  const worker = info.processes.find(({ name }) => name === 'worker');
  if (!worker) throw new Error(`The stack in ${info.dataDir} has no worker.`);
  return worker.mark.pid;
}
