import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** A PostgreSQL with pgvector: PGlite, which is PostgreSQL itself, compiled to WebAssembly. */
export interface TestPgvector {
  host: string;
  port: number;
  stop(): Promise<void>;
}

/** Starts it on a free port, in memory. Connections take turns. It ends with the process of the test. */
export async function startPgvector(): Promise<TestPgvector> {
  const child = spawn(process.execPath, [path.join(__dirname, 'pgvector-server.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const [first] = (await Promise.race([
    once(lines, 'line'),
    ended.then(([code]) => Promise.reject(new Error(`PGlite ended with ${String(code)}`))),
  ])) as [string];
  const [host = '', port = ''] = first.split(':');
  return {
    host,
    port: Number(port),
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
