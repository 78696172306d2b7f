import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs one of our compiled files in a separate Node process and waits for its end. Rejects with its output when it fails. */
export async function runNodeFile(file: string, ...args: string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [file, ...args]);
}
