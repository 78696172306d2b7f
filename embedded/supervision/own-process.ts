import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { omitApiSecrets } from '../../model/config';
import { type Environment, packageRoot } from '../paths';
import { chooseFreePort, isListening, loopback } from '../ports';
import { lowerPriority } from '../priority';
import { createServerError } from '../server';
import { readTail, type ServerProcess, startProcess } from '../server-process';
import { findListener } from './listeners';
import type { Part } from './supervisor';

/** The api or the worker: how to start it and check that it is ready. */
export interface OwnProcess {
  name: 'api' | 'worker';
  title: string;
  port: number;
  /** Path of the readiness check. */
  path: string;
  answers: (address: string) => Promise<boolean>;
  /**
   * Called with a free port for the next start, if another program has taken the port. Without this function, a taken port is
   * an error.
   */
  takePort?: (port: number) => void;
  /** For tests: starts this instead. */
  command?: readonly string[];
}

/**
 * Flags of V8. The main thread and the workflow threads of a worker make little garbage: a young generation of its default size takes
 * 50 to 80 MB more. Conversion threads have a size of their own.
 */
const flags: Record<OwnProcess['name'], readonly string[]> = { worker: ['--max-semi-space-size=4'], api: [] };

/** Exit code of api and worker when settings, or the servers they name, cannot work. */
const wrongSettings = 2;
/**
 * Shorter than the limit for servers: api and worker hold no data, so that a restart costs little, and while the only worker hangs
 * all work stands still. The main threads are never busy for more than seconds.
 */
const maxSilenceMs = 60_000;
/** Long, because a process that ends is noticed at once, and a busy machine can need minutes for one that does not. */
const readyTimeoutMs = 300_000;

/** A process that was started, and how to wait until it is ready. */
export interface Launched {
  part: Part;
  /** Logs the process and `state` when it is ready. Throws EMBEDDED_SERVER_FAILED if it ends, or is not ready in time. */
  waitReady(log: (line: string) => void, state?: string): Promise<void>;
}

/** Starts the api or the worker. `env` is read at every start, so that later changes of its ports take effect. */
export async function launchPart(
  options: { dataDir: string; env: Environment },
  env: Readonly<Record<string, string>>,
  ownProcess: OwnProcess,
): Promise<Launched> {
  const launch = async () => {
    // Two arenas: otherwise a worker's many native threads keep freed memory in separate arenas.
    const full = { MALLOC_ARENA_MAX: '2', ...options.env, ...env };
    const [command = process.execPath, ...args] = ownProcess.command ?? [
      process.execPath,
      ...flags[ownProcess.name],
      path.join(packageRoot, 'bin', 'docloom'),
      ownProcess.name,
    ];
    const child = await startProcess(
      ownProcess.name,
      { command, args, cwd: process.cwd(), env: ownProcess.name === 'worker' ? omitApiSecrets(full) : full },
      options.dataDir,
    );
    if (ownProcess.name === 'worker') lowerPriority(child.pid);
    return child;
  };
  const part: Part = {
    name: ownProcess.name,
    title: ownProcess.title,
    hopelessCode: wrongSettings,
    maxSilenceMs,
    process: await launch(),
    start: async () => {
      part.process = await launch();
      await waitReady(part.process, ownProcess);
    },
  };
  const waitOrMovePort = async (): Promise<void> => {
    try {
      await waitReady(part.process, ownProcess);
    } catch (error) {
      const isTaken = part.process.hasExited() && (await isListening(loopback, ownProcess.port));
      if (!ownProcess.takePort || !isTaken) throw error;
      ownProcess.port = await chooseFreePort(0);
      ownProcess.takePort(ownProcess.port);
      await part.start();
    }
  };
  return {
    part,
    waitReady: async (log, state = 'ready') => {
      const began = performance.now();
      await waitOrMovePort();
      log(
        `${ownProcess.title}: ${state} (process ${part.process.pid}, ${((performance.now() - began) / 1000).toFixed(1)} s)`,
      );
    },
  };
}

async function waitReady(child: ServerProcess, { title, path: route, answers, port }: OwnProcess): Promise<void> {
  const start = performance.now();
  const address = `http://${loopback}:${port}${route}`;
  while (!(await answers(address)) || findListener(port, child.pid) === 'other') {
    if (child.hasExited())
      throw createServerError(
        title,
        `ended while it started; the log is ${child.logFile}:\n${readTail(child.logFile)}`,
      );
    if (performance.now() - start > readyTimeoutMs)
      throw createServerError(
        title,
        `is not ready after ${readyTimeoutMs / 60_000} minutes (${address}); the log is ${child.logFile}:\n${readTail(child.logFile)}`,
      );
    await delay(100);
  }
}
