import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { withLock } from '../../../embedded/lock';
import { readCacheFolder } from '../../../embedded/paths';
import { freePort } from './free-port';

/** Runs a program of an installation. */
type Run = (
  file: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
) => Promise<unknown>;

/** A server for tests that comes from a package registry. */
export interface CachedServer {
  /** Name and version, the folder in the cache. */
  folder: string;
  /** The requirements, for the message if the installation fails. */
  needs: string;
  /** Installs into an empty folder. */
  install: (folder: string, run: Run) => Promise<void>;
}

/** A server process on a free port of the loopback. */
export interface StartedServer {
  port: number;
  /** A temporary folder, removed at the end. */
  data: string;
  stop(): Promise<void>;
}

/** The folder of the server in the cache, filled at its first use. Concurrent processes wait for the one that installs. */
export async function cachedServer({ folder: name, needs, install }: CachedServer): Promise<string> {
  const cache = readCacheFolder(process.env);
  const folder = path.join(cache, name);
  mkdirSync(path.join(cache, 'locks'), { recursive: true });
  await withLock(path.join(cache, 'locks', name), async () => {
    if (existsSync(folder)) return;
    const part = `${folder}.part`;
    rmSync(part, { recursive: true, force: true });
    mkdirSync(part);
    await install(part, promisify(execFile)).catch((error: unknown) => {
      throw new Error(`${name} cannot be tested, because it cannot be installed. Needed: ${needs}.`, { cause: error });
    });
    renameSync(part, folder);
  });
  return folder;
}

/** Starts a command that listens on the given port. */
export async function startListening(
  command: (place: { port: number; data: string }) => { file: string; args: readonly string[] },
): Promise<StartedServer> {
  const data = mkdtempSync(path.join(os.tmpdir(), 'docloom-server-'));
  const port = await freePort();
  const { file, args } = command({ port, data });
  const output: string[] = [];
  const child = spawn(file, args, { cwd: data, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(String(chunk)));
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    rmSync(data, { recursive: true, force: true });
  };
  try {
    await listening(child, port, output);
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, data, stop };
}

async function listening(child: ChildProcess, port: number, output: readonly string[]): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline;) {
    if (child.exitCode !== null) throw new Error(`The server ended:\n${output.join('').slice(-2_000)}`);
    const socket = net.connect(port, '127.0.0.1');
    const isUp = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`The server does not listen:\n${output.join('').slice(-2_000)}`);
}
