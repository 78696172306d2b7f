import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Client, createClient } from '../../../client';
import { findRunningStack, type StackInfo } from '../../../embedded/stack-file';
import { createTokens } from '../../../services/login/tokens';
import { until } from './system';

const bin = path.join(__dirname, '..', '..', '..', 'bin', 'docloom');
const input = /^(TEMPORAL|MONGODB|SEARCH|LDAP|DOCLOOM_(S3|PORT|METRICS|DATA|TASK|STORAGE)|JWT)_?/;
/** The environment without the servers of the other tests. */
export const plain = Object.fromEntries(Object.entries(process.env).filter(([name]) => !input.test(name)));

/** `docloom up` with its own servers, in data folders below one temporary folder. */
export interface OwnStacks {
  /** Flows may read it. */
  folder: string;
  /** Starts a stack in the data folder `name` and resolves when it is up. A server that `env` names is used instead of an own one. */
  up(name: string, env?: Record<string, string>): Promise<StackInfo>;
  /** Runs `docloom …` on the data folder `name`, to its end. */
  docloom(name: string, ...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** Stops the stacks and removes the folder. */
  stop(): Promise<void>;
}

/** Starts nothing yet. */
export function createOwnStacks(purpose: string): OwnStacks {
  const folder = mkdtempSync(path.join(tmpdir(), `docloom-${purpose}-`));
  const stacks: ChildProcess[] = [];
  const getEnv = (name: string) => ({ ...plain, DOCLOOM_DATA: path.join(folder, name), DOCLOOM_DRAIN_SECONDS: '1' });
  return {
    folder,
    async up(name, env = {}) {
      const dataDir = path.join(folder, name);
      const child = spawn(process.execPath, [bin, 'up'], {
        env: { ...getEnv(name), ...env },
        cwd: folder,
        stdio: 'ignore',
      });
      stacks.push(child);
      await until(`${name} is up`, () => child.exitCode !== null || findRunningStack(dataDir) !== undefined, 300_000);
      return findRunningStack(dataDir) as StackInfo;
    },
    docloom(name, ...args) {
      const child = spawn(process.execPath, [bin, ...args], { env: getEnv(name), cwd: folder });
      const text = { stdout: '', stderr: '' };
      child.stdout.on('data', (chunk: Buffer) => (text.stdout += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (text.stderr += chunk.toString()));
      return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...text })));
    },
    async stop() {
      await Promise.all(
        stacks.map(async (child) => {
          child.kill('SIGTERM');
          await until('the stack has ended', () => child.exitCode !== null || child.signalCode !== null);
        }),
      );
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A token for alice, who is not an administrator. */
export function getToken({ dataDir }: StackInfo): string {
  const secret = readFileSync(path.join(dataDir, 'jwt-secret'), 'utf8');
  const user = { username: 'alice', email: '', full_name: '', groups: [] };
  return createTokens({ secret, expireMinutes: 60 }).issue(user);
}

/** A client of the stack's api as alice. */
export function getClient(stack: StackInfo, token = getToken(stack)): Client {
  return createClient({ baseUrl: stack.apiAddress, token });
}

/** The process that has the place of the name now. */
export function getPid({ dataDir }: StackInfo, name: string): number {
  const now = findRunningStack(dataDir);
  const server = now?.servers.find((runningServer) => runningServer.name === name)?.pid;
  return server ?? (now?.processes.find((item) => item.name === name)?.mark.pid as number);
}
