import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

const root = path.join(__dirname, '..', '..');
/** Where Debian puts its browser: the program itself, then the script that starts it. */
const installed = ['/usr/lib/chromium/chromium', '/usr/bin/chromium'];
/** Libraries that come with the packaged browser. */
const libraries = '/tmp/al2023/lib';

/** A Chromium and the environment that it starts in. */
export interface Chromium {
  executablePath: string;
  env?: NodeJS.ProcessEnv;
}

/** The Chromium of the system if it is installed, otherwise the one in a development dependency; throws if there is neither. */
export function findChromium(): Chromium {
  const own = installed.find((file) => existsSync(file));
  if (own) return { executablePath: own };
  // The package unpacks its libraries only if it seems to run in a cloud function.
  const script =
    "import('@sparticuz/chromium').then(async ({ default: one }) => console.log(await one.executablePath()))";
  const env = { ...process.env, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' };
  const executablePath = execFileSync(process.execPath, ['-e', script], {
    cwd: root,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
  return { executablePath, env: { ...process.env, LD_LIBRARY_PATH: libraries } };
}
