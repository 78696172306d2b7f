import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { ChildMessage, ChildTask } from './custom-operator-child';

/** Permissions of a custom operator; all must be declared. Paths are relative to the folder of its file. */
export interface CustomOperatorRights {
  network?: boolean;
  read?: string[];
  write?: string[];
  /** Start other programs, which are not sandboxed. */
  processes?: boolean;
  /** Load packages with native code, which is not sandboxed. */
  addons?: boolean;
}

/** Limits of one call. */
export interface CallLimits {
  memoryMb: number;
  timeoutMs: number;
}

/** Receives progress and can cancel. */
export interface Listener {
  signal: AbortSignal;
  progress: (done: number, total?: number) => void;
}

/** How long a cancelled call may take to stop before its process is killed. */
const graceMs = 1_000;
/** Characters of standard error that are kept: enough for the message of V8 about its memory. */
const maxErrorOutput = 4_000;

/**
 * Runs the code in a separate process with an empty environment, only the declared file permissions (if Node has a permission
 * model) and no network (blocked by the system on Linux where possible, else inside Node). Forwards a cancellation. The process
 * ends by itself, by a limit, or by force.
 */
export function runInChildProcess(
  task: Omit<ChildTask, 'network'>,
  rights: CustomOperatorRights,
  limits: CallLimits,
  listener?: Listener,
): Promise<ChildMessage> {
  return new Promise((resolve, reject) => {
    const child = startChild(task.file, rights, limits.memoryMb);
    let grace: NodeJS.Timeout | undefined;
    /** The end of its standard error. */
    let errorOutput = '';
    const settle = (report: () => void) => {
      clearTimeout(timer);
      clearTimeout(grace);
      listener?.signal.removeEventListener('abort', cancel);
      child.kill('SIGKILL');
      report();
    };
    const timer = setTimeout(
      () => settle(() => reject(new Error(`it took longer than ${limits.timeoutMs / 1_000} seconds and was ended`))),
      limits.timeoutMs,
    );
    const cancel = () => {
      if (child.connected) child.send('cancel', () => undefined);
      grace = setTimeout(() => settle(() => reject(new Error('it was cancelled'))), graceMs);
    };
    child.stderr?.on('data', (chunk: Buffer) => {
      errorOutput = (errorOutput + chunk.toString()).slice(-maxErrorOutput);
    });
    child.on('message', (message: ChildMessage) => {
      if (message.type === 'progress') listener?.progress(message.done, message.total);
      else settle(() => resolve(message));
    });
    child.once('error', (error) => settle(() => reject(error)));
    child.once('close', (status, signal) => {
      const isOutOfMemory = /heap out of memory|Allocation failed/i.test(errorOutput);
      const reason = isOutOfMemory
        ? `it used more than ${limits.memoryMb} MB`
        : `its process ended with ${signal ?? status} before it gave a result`;
      settle(() => reject(new Error(reason)));
    });
    child.send({ ...task, network: rights.network === true } satisfies ChildTask, () => undefined);
    if (listener?.signal.aborted) cancel();
    listener?.signal.addEventListener('abort', cancel, { once: true });
  });
}

function startChild(file: string, rights: CustomOperatorRights, memoryMb: number): ChildProcess {
  const child = getChildFile();
  const flags = [`--max-old-space-size=${memoryMb}`, ...listPermissionFlags(file, child, rights)];
  const prefix = rights.network ? [] : findIsolation();
  const [command, ...args] = [...prefix, process.execPath, ...flags, child];
  return spawn(command, args, {
    cwd: path.dirname(file),
    // The environment is empty because it contains secrets.
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
}

/** Flags of Node's permission model; empty for Node versions without one. */
function listPermissionFlags(file: string, child: string, rights: CustomOperatorRights): string[] {
  const flag = ['--permission', '--experimental-permission'].find((name) =>
    process.allowedNodeEnvironmentFlags.has(name),
  );
  if (!flag) return [];
  const folder = path.dirname(file);
  const inFolder = (names: readonly string[] = []) => names.map((name) => path.resolve(folder, name));
  const modules = (createRequire(file).resolve.paths('any-package') ?? []).filter((place) => existsSync(place));
  const readable = [child, ...[folder, ...modules].map((place) => path.join(place, '*')), ...inFolder(rights.read)];
  return [
    flag,
    ...readable.map((place) => `--allow-fs-read=${place}`),
    ...inFolder(rights.write).map((place) => `--allow-fs-write=${place}`),
    ...(rights.processes ? ['--allow-child-process'] : []),
    ...(rights.addons && process.allowedNodeEnvironmentFlags.has('--allow-addons') ? ['--allow-addons'] : []),
    ...(rights.network && process.allowedNodeEnvironmentFlags.has('--allow-net') ? ['--allow-net'] : []),
  ];
}

let isolation: string[] | undefined;

/** A command prefix that runs a program in a network namespace without interfaces; empty when the system does not allow it. */
function findIsolation(): string[] {
  if (isolation) return isolation;
  const ways = process.platform === 'linux' ? [['--net'], ['--map-root-user', '--net']] : [];
  const usable = ways.find((flags) => spawnSync('unshare', [...flags, 'true'], { timeout: 5_000 }).status === 0);
  isolation = usable ? ['unshare', ...usable] : [];
  return isolation;
}

/** The compiled child next to this file, or in dist/ when this file runs as TypeScript (in tests). */
function getChildFile(): string {
  const beside = path.join(__dirname, 'custom-operator-child.js');
  return existsSync(beside)
    ? beside
    : path.join(__dirname, '..', '..', 'dist', 'services', 'operator', 'custom-operator-child.js');
}
