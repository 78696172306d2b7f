import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const packages = ['milvus-lite==3.2.2', 'pymilvus==3.0.2'];
const folder = path.join(
  process.env['DOCLOOM_CACHE'] ?? path.join(os.homedir(), '.cache', 'docloom'),
  'milvus-lite-3.2.2',
);
const python = path.join(folder, 'bin', process.platform === 'win32' ? 'python.exe' : 'python');

/** A Milvus server: the one of MILVUS_ADDRESS, else one in a Python environment in the cache folder, made at its first use. */
export async function startMilvus(): Promise<{ host: string; port: number; stop(): Promise<void> }> {
  const given = process.env['MILVUS_ADDRESS'];
  if (given) {
    const [host = 'localhost', port = '19530'] = given.split(':');
    return { host, port: Number(port), stop: async () => undefined };
  }
  await prepare();
  const data = mkdtempSync(path.join(os.tmpdir(), 'docloom-milvus-'));
  const port = await freePort();
  const output: string[] = [];
  const child = spawn(python, [
    '-m',
    'milvus_lite',
    'server',
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--data-dir',
    data,
  ]);
  child.stderr.on('data', (chunk) => output.push(String(chunk)));
  await listening(child, port, output);
  return {
    host: '127.0.0.1',
    port,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** The environment is complete when its mark is there; one that was interrupted is made again. */
async function prepare(): Promise<void> {
  const mark = path.join(folder, 'ready');
  if (existsSync(mark)) return;
  const run = promisify(execFile);
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(path.dirname(folder), { recursive: true });
    await run('python3', ['-m', 'venv', folder]);
    await run(python, ['-m', 'pip', 'install', '--quiet', ...packages]);
    writeFileSync(mark, packages.join('\n'));
  } catch (error) {
    throw new Error(
      `Milvus cannot be tested: ${packages.join(' and ')} cannot be installed from PyPI into ${folder}. Python 3.10 or later with venv is needed, or a server in MILVUS_ADDRESS.`,
      { cause: error },
    );
  }
}

async function listening(child: ChildProcess, port: number, output: readonly string[]): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline;) {
    if (child.exitCode !== null) throw new Error(`Milvus ended:\n${output.join('').slice(-2_000)}`);
    const socket = net.connect(port, '127.0.0.1');
    const isUp = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`Milvus does not listen:\n${output.join('').slice(-2_000)}`);
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  return port;
}
