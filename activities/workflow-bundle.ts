import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runNodeFile } from '../services/node-process';

const compiled = path.join(__dirname, '..');

/**
 * The bundle of the workflows, made anew when they or the model have changed. Another process makes it: the bundler would
 * stay in the worker's memory for good.
 */
export async function workflowBundle(): Promise<{ codePath: string }> {
  const codePath = path.join(folder(), `bundle-${fingerprint()}.js`);
  if (!existsSync(codePath)) await runNodeFile(path.join(__dirname, 'bundle-workflows.js'), codePath);
  return { codePath };
}

/** Beside the compiled code; in an installation that may not be written to, in the temporary folder of this user. */
function folder(): string {
  try {
    accessSync(compiled, constants.W_OK);
    return compiled;
  } catch {
    return path.join(os.tmpdir(), `docloom-${os.userInfo().uid}`);
  }
}

function fingerprint(): string {
  const bundler = readFileSync(path.join(__dirname, 'bundle-workflows.js'));
  const hash = createHash('sha256').update(process.version).update(bundler);
  for (const name of ['workflows', 'model']) {
    for (const file of readdirSync(path.join(compiled, name)).toSorted()) {
      const full = path.join(compiled, name, file);
      if (statSync(full).isFile()) hash.update(file).update(readFileSync(full));
    }
  }
  return hash.digest('hex').slice(0, 16);
}
