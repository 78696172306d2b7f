import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findHolder } from './lock';
import { type ProcessMark, isRunning } from './process-mark';
import type { RunningServer } from './servers';

/** Describes a running stack for other processes. Contains no secrets. */
export interface StackInfo {
  dataDir: string;
  /** The main process; ending it ends all others. */
  owner: ProcessMark;
  startedAt: string;
  apiAddress: string;
  docsAddress: string;
  temporalUiAddress: string;
  servers: RunningServer[];
  processes: { name: 'api' | 'worker'; mark: ProcessMark; logFile: string }[];
  /** Number of restarts per server or process, by name; absent in files of earlier versions. */
  restarts?: Record<string, number>;
  /** Settings that connect a client on this machine to these servers. */
  env: Record<string, string>;
}

const storedVariables: readonly string[] = [
  'TEMPORAL_ADDRESS',
  'TEMPORAL_UI_ADDRESS',
  'MONGODB_URL',
  'SEARCH_HOST',
  'SEARCH_PORT',
  'LDAP_SERVER',
  'LDAP_BASE_DN',
  'LDAP_USER_DN',
  'LDAP_BIND_DN',
  'DOCLOOM_S3_ENDPOINT',
  'DOCLOOM_DATA',
  'DOCLOOM_MODELS_FOLDER',
  'DOCLOOM_PORT',
  'DOCLOOM_METRICS_PORT',
  'DOCLOOM_ADMIN_GROUPS',
];

/** Settings allowed in the file: addresses without passwords, and the groups of administrators. */
export function omitSecrets(env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    storedVariables.flatMap((name) => (env[name] && !/\/\/[^/@]*:[^/@]*@/.test(env[name]) ? [[name, env[name]]] : [])),
  );
}

/** The lock file of a data folder; one stack holds it. */
export function buildLockPath(dataDir: string): string {
  return path.join(dataDir, 'stack.lock');
}

/** Writes or replaces the file atomically, readable only by its owner. */
export function writeStackFile(info: StackInfo): void {
  const file = path.join(info.dataDir, 'stack.json');
  writeFileSync(`${file}.part`, `${JSON.stringify(info, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.part`, file);
}

/** Deletes the stack file, if there is one. */
export function removeStackFile(dataDir: string): void {
  rmSync(path.join(dataDir, 'stack.json'), { force: true });
}

/**
 * The stack running in the data folder, once its api answers; undefined when there is none. Waits for a stack that is starting or
 * stopping, and for an api that is restarting.
 */
export async function readStack(dataDir: string, waitMs = 10_000): Promise<StackInfo | undefined> {
  for (const deadline = performance.now() + waitMs; ; await delay(250)) {
    const info = findRunningStack(dataDir);
    if (!info && !isHeld(dataDir)) return undefined;
    if (info && (await isAnsweringOk(`${info.apiAddress}/health`))) return info;
    if (performance.now() >= deadline) return undefined;
  }
}

/** Like `readStack`, but also returns a stack whose api does not answer: for commands that need only its settings. */
export async function readStackSettings(dataDir: string, waitMs?: number): Promise<StackInfo | undefined> {
  return (await readStack(dataDir, waitMs)) ?? findRunningStack(dataDir);
}

/** True while a process starts, runs, stops or restores an installation in the data folder. */
export function isHeld(dataDir: string): boolean {
  const holder = findHolder(buildLockPath(path.resolve(dataDir)));
  return holder !== undefined && isRunning(holder);
}

/** The stack of a running `docloom up` in the data folder, whether its api answers or not. */
export function findRunningStack(dataDir: string): StackInfo | undefined {
  const info = readStackFile(path.resolve(dataDir));
  return info && isRunning(info.owner) ? info : undefined;
}

/** One sentence that says why `readStack` found no api: it does not answer, it is not started yet, or there is none. */
export function describeSilence(dataDir: string): string {
  const info = findRunningStack(dataDir);
  if (info)
    return `Docloom runs in ${dataDir}, but its API at ${info.apiAddress} does not answer: see \`docloom status\` and \`docloom logs api\`.`;
  if (isHeld(dataDir)) return describeHolder(path.resolve(dataDir));
  return `Docloom is not running in ${dataDir}: start it with \`docloom up\`, set DOCLOOM_DATA to the folder of another, or name the API of another machine with --server.`;
}

/** One sentence about the process that holds the data folder, for the error of a second start. */
export function describeHolder(dataDir: string): string {
  const info = readStackFile(dataDir);
  const holder = findHolder(buildLockPath(dataDir))?.pid;
  if (!info || info.owner.pid !== holder)
    return `Docloom is starting or stopping in ${dataDir} (process ${holder ?? 'unknown'}).`;
  return (
    `Docloom is already running in ${dataDir} since ${info.startedAt} (process ${holder}): API ${info.apiAddress}, ` +
    `API reference ${info.docsAddress}, Temporal UI ${info.temporalUiAddress}. Stop it with Ctrl-C there or with docloom down, or set DOCLOOM_DATA to another folder.`
  );
}

/** True when the address answers 2xx within the timeout. */
export async function isAnsweringOk(address: string, timeoutMs = 2000): Promise<boolean> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(timeoutMs) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/** True when the worker polls for tasks; other servers in its /ready may be down. */
export async function isWorkerPolling(address: string, timeoutMs = 5000): Promise<boolean> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(timeoutMs) });
    const { checks } = (await response.json()) as { checks?: { temporal?: { ok: boolean } } };
    return checks?.temporal?.ok === true;
  } catch {
    return false;
  }
}

function readStackFile(dataDir: string): StackInfo | undefined {
  try {
    return JSON.parse(readFileSync(path.join(dataDir, 'stack.json'), 'utf8')) as StackInfo;
  } catch {
    return undefined;
  }
}
