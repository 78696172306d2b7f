import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const root = path.join(__dirname, '..', '..', '..');
/** Where Debian puts its browser: the program itself, then the script that starts it. */
const installed = ['/usr/lib/chromium/chromium', '/usr/bin/chromium'];
const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
/** Libraries that the packaged browser brings along. */
const libraries = '/tmp/al2023/lib';

/**
 * Starts a headless Chromium: the one of the system if it is installed, else the one in a development dependency, which needs
 * nothing else. Throws if neither starts: a missing browser fails a test.
 */
export async function startBrowser(): Promise<Browser> {
  const own = installed.find((file) => existsSync(file));
  if (own) return chromium.launch({ executablePath: own, args });
  // The package unpacks its libraries only where it believes to be in a function of a cloud.
  const script =
    "import('@sparticuz/chromium').then(async ({ default: one }) => console.log(await one.executablePath()))";
  const env = { ...process.env, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' };
  const executablePath = execFileSync(process.execPath, ['-e', script], { cwd: root, env, encoding: 'utf8' }).trim();
  return chromium.launch({ executablePath, args, env: { ...process.env, LD_LIBRARY_PATH: libraries } });
}

/** Builds the console unless it is current, as `npm test` does before the tests. */
export function buildConsole(): void {
  execFileSync(process.execPath, [path.join(root, 'scripts', 'build-console.js')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
