import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs a compiled file of this package in a separate Node process until it exits. Rejects with its output when it fails. */
export async function runNodeFile(file: string, ...args: string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [file, ...args]);
}
