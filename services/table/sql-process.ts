import { type ChildProcess, fork, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Socket } from 'node:net';
import path from 'node:path';
import { AppError } from '../../model/errors';
import type { SqlReply, SqlRequest } from './sql-child';

/** A child process that runs one query at a time. */
export interface SqlProcess {
  /**
   * Rejects with SQL_FILTER_ERROR when the query fails, times out or crashes the process; after a timeout or crash `alive` is
   * false.
   */
  ask(request: SqlRequest, limits: { timeoutMs: number; signal: AbortSignal }): Promise<{ columns?: string[] }>;
  isAlive(): boolean;
  kill(): void;
}

/** Address space in kilobytes that Node itself reserves. It does not start with less. */
const ownAddressSpaceKb = 2_750_000;
const startTimeoutMs = 60_000;
/** Characters of standard error that are kept, of which the last line is shown. */
const maxErrorOutput = 2_000;

/** Starts the process in the background. An idle child does not keep this process alive. */
export function startSqlProcess({ memoryMb }: { memoryMb: number }): SqlProcess {
  const child = spawnChild(memoryMb);
  const mailbox = createMailbox(child);
  const ready = mailbox.next(startTimeoutMs);
  // The first request reports this error.
  ready.catch(() => undefined);
  setKeptAlive(child, false);
  const kill = () => {
    child.kill('SIGKILL');
  };
  return {
    isAlive: () => child.exitCode === null && child.signalCode === null && !child.killed && child.connected,
    kill,
    async ask(request, { timeoutMs, signal }) {
      signal.throwIfAborted();
      setKeptAlive(child, true);
      signal.addEventListener('abort', kill, { once: true });
      let reply: SqlReply;
      try {
        await ready;
        signal.throwIfAborted();
        mailbox.mute();
        child.send(request);
        reply = await mailbox.next(timeoutMs);
      } catch (error) {
        kill();
        signal.throwIfAborted();
        throw error;
      } finally {
        signal.removeEventListener('abort', kill);
        setKeptAlive(child, false);
      }
      if (reply.type === 'done') return reply;
      if (reply.type === 'ready') throw new AppError('SQL_FILTER_ERROR', 'The process for queries was restarted.');
      if (reply.worn) kill();
      throw new AppError('SQL_FILTER_ERROR', `The query failed: ${reply.message}`);
    },
  };
}

function spawnChild(memoryMb: number): ChildProcess {
  const file = getChildFile();
  const execArgv = ['--max-old-space-size=512'];
  // The worker's environment is not passed on, because it contains secrets.
  const env = { PATH: process.env['PATH'] ?? '', DOCLOOM_SQL_MEMORY_MB: String(memoryMb) };
  const stdio = ['ignore', 'ignore', 'pipe', 'ipc'] as const;
  if (process.platform === 'win32') return fork(file, { execArgv, env, stdio: [...stdio] });
  // DuckDB's own limit does not cover every function, so the system limits the process where possible.
  const script = `ulimit -v ${memoryMb * 1024 + ownAddressSpaceKb} 2>/dev/null; exec "$0" "$@"`;
  return spawn('/bin/sh', ['-c', script, process.execPath, ...execArgv, file], { env, stdio: [...stdio] });
}

/** The compiled child next to this file, or in dist/ when this file runs as TypeScript (in tests). */
function getChildFile(): string {
  const beside = path.join(__dirname, 'sql-child.js');
  return existsSync(beside) ? beside : path.join(__dirname, '..', '..', 'dist', 'services', 'table', 'sql-child.js');
}

/** After `mute`, the child's output may quote documents and is left out of messages. */
function createMailbox(child: ChildProcess): { next(timeoutMs: number): Promise<SqlReply>; mute(): void } {
  let errorOutput = '';
  let isMute = false;
  child.stderr?.on('data', (chunk: Buffer) => {
    if (!isMute) errorOutput = (errorOutput + chunk.toString()).slice(-maxErrorOutput);
  });
  return {
    mute() {
      isMute = true;
      errorOutput = '';
    },
    next: (timeoutMs) =>
      new Promise((resolve, reject) => {
        const settle = (report: () => void) => {
          clearTimeout(timer);
          child.off('message', onMessage).off('exit', onExit).off('error', onError);
          report();
        };
        const refuse = (message: string, cause?: unknown) =>
          settle(() => reject(new AppError('SQL_FILTER_ERROR', message, {}, cause)));
        const onMessage = (reply: SqlReply) => settle(() => resolve(reply));
        const onExit = (code: number | null, signal: string | null) => {
          const cause = `The query ended its process (${signal ?? `exit ${code}`}), most likely by using too much memory.`;
          const lastLine = errorOutput.trim().split('\n').at(-1) ?? '';
          refuse(`${cause} ${lastLine}`.trim());
        };
        const onError = (error: Error) => refuse(`The process for queries failed: ${error.message}.`, error);
        const timer = setTimeout(() => refuse(`The query took longer than ${timeoutMs} ms and was ended.`), timeoutMs);
        child.once('message', onMessage).once('exit', onExit).once('error', onError);
        if (child.exitCode !== null || child.signalCode !== null) onExit(child.exitCode, child.signalCode);
      }),
  };
}

/** A working child keeps this process alive; an idle one does not. */
function setKeptAlive(child: ChildProcess, isWorking: boolean): void {
  const stderr = child.stderr instanceof Socket ? child.stderr : undefined;
  for (const part of [child, child.channel, stderr]) {
    if (isWorking) part?.ref?.();
    else part?.unref?.();
  }
}
