import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs a compiled file of ours with this Node in a process of its own, to its end; rejects with its output when it fails. */
export async function runNodeFile(file: string, ...args: string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [file, ...args]);
}
