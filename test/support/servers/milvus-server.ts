import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { startListening } from './cached-server';

const packages = ['milvus-lite==3.2.2', 'pymilvus==3.0.2'];
const folder = path.join(
  process.env['DOCLOOM_CACHE'] ?? path.join(os.homedir(), '.cache', 'docloom'),
  'milvus-lite-3.2.2',
);
const python = path.join(folder, 'bin', process.platform === 'win32' ? 'python.exe' : 'python');

/**
 * A Milvus server: the one at MILVUS_ADDRESS, or else one in a Python environment in the cache folder, which the first use
 * creates.
 */
export async function startMilvus(): Promise<{ host: string; port: number; stop(): Promise<void> }> {
  const input = process.env['MILVUS_ADDRESS'];
  if (input) {
    const [host = 'localhost', port = '19530'] = input.split(':');
    return { host, port: Number(port), stop: async () => undefined };
  }
  await prepare();
  const server = await startListening(({ port, data }) => ({
    file: python,
    args: ['-m', 'milvus_lite', 'server', '--host', '127.0.0.1', '--port', String(port), '--data-dir', data],
  }));
  return { host: '127.0.0.1', ...server };
}

/** A complete environment has a mark; an incomplete one is created again. */
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
