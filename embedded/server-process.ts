import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildMark } from './process-mark';
import { type Launch, createServerError } from './server';
import { register, unregister } from './shutdown';
import { buildPidPath, endOrphan, type PidFile, signalGroup } from './supervision/orphans';

/** A child process in its own process group. */
export interface ServerProcess {
  name: string;
  pid: number;
  logFile: string;
  /** Resolves when the process has ended for any reason. */
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  hasExited(): boolean;
  /** Sends SIGTERM, then SIGKILL after `graceMs`. Resolves when the process has ended. */
  stop(graceMs?: number): Promise<void>;
}

/** Starts the process and logs its output to `<data>/logs/<name>.log`. First ends an orphan left by a killed parent. */
export async function startProcess(name: string, launch: Launch, dataDir: string): Promise<ServerProcess> {
  const pidFile = buildPidPath(dataDir, name);
  await endOrphan(name, dataDir);
  mkdirSync(path.dirname(pidFile), { recursive: true });
  mkdirSync(path.join(dataDir, 'logs'), { recursive: true });
  const logFile = path.join(dataDir, 'logs', `${name}.log`);
  const log = openSync(logFile, 'a', 0o600);
  // A separate process group: Ctrl-C in the terminal reaches only us, and we stop the servers in the right order.
  const child = spawn(launch.command, launch.args, {
    cwd: launch.cwd ?? dataDir,
    env: launch.env,
    detached: true,
    stdio: ['ignore', log, log],
    ...(launch.uid === undefined ? {} : { uid: launch.uid, gid: launch.gid }),
  });
  closeSync(log);
  await awaitSpawn(name, child);
  const pid = child.pid as number;
  try {
    writeFileSync(pidFile, JSON.stringify({ ...buildMark(pid), owner: buildMark(process.pid) } satisfies PidFile), {
      mode: 0o600,
    });
  } catch (error) {
    // On a full disk. Nobody would know the process, and it would keep its port.
    signalGroup(pid, 'SIGKILL');
    throw error;
  }
  return watch(name, child, pidFile, logFile);
}

/** The last lines of a log, for error messages. */
export function readTail(logFile: string, lines = 12): string {
  try {
    return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '';
  }
}

function awaitSpawn(name: string, child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve());
    child.once('error', (error) =>
      reject(createServerError(name, `'${child.spawnfile}' could not be started: ${error.message}`, error)),
    );
  });
}

function watch(name: string, child: ChildProcess, pidFile: string, logFile: string): ServerProcess {
  const pid = child.pid as number;
  register(pid);
  let ended = false;
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => {
      ended = true;
      unregister(pid);
      rmSync(pidFile, { force: true });
      resolve({ code, signal });
    });
  });
  const stop = async (graceMs = 10_000): Promise<void> => {
    if (ended) return;
    signalGroup(pid, 'SIGTERM');
    const timer = setTimeout(() => signalGroup(pid, 'SIGKILL'), graceMs);
    await exited;
    clearTimeout(timer);
  };
  return { name, pid, logFile, exited, hasExited: () => ended, stop };
}
