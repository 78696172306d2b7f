import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { findChromium } from '../../../bench/support/find-chromium';

const root = path.join(__dirname, '..', '..', '..');
const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];

/** Starts a headless Chromium. Throws if there is none: a missing browser fails a test. */
export async function startBrowser(): Promise<Browser> {
  return chromium.launch({ ...findChromium(), args });
}

/** Builds the console unless it is current, as `npm test` does before the tests. */
export function buildConsole(): void {
  execFileSync(process.execPath, [path.join(root, 'scripts', 'build-console.js')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
