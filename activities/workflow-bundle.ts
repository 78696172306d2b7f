import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runNodeFile } from '../services/process/node-process';

const compiled = path.join(__dirname, '..');

/**
 * The bundle of the workflows, rebuilt when they or the model have changed. A separate process builds it, because the bundler
 * would stay in the worker's memory.
 */
export async function ensureWorkflowBundle(): Promise<{ codePath: string }> {
  const codePath = path.join(chooseFolder(), `bundle-${computeFingerprint(compiled)}.js`);
  if (!existsSync(codePath)) await runNodeFile(path.join(__dirname, 'bundle-workflows.js'), codePath);
  return { codePath };
}

/** The folder of the compiled code, or a private temporary folder when the installation is read-only. */
function chooseFolder(): string {
  try {
    accessSync(compiled, constants.W_OK);
    return compiled;
  } catch {
    return createPrivateFolder(os.tmpdir());
  }
}

/**
 * A folder below `parent` that only this user can write to, the same one for every process of the user. The temporary folder is
 * shared: another user who creates the folder first could put code into it that the worker would run, so a new one is created
 * then.
 */
export function createPrivateFolder(parent: string): string {
  const { uid } = os.userInfo();
  const shared = path.join(parent, `docloom-${uid}`);
  mkdirSync(shared, { recursive: true, mode: 0o700 });
  const stats = lstatSync(shared);
  // Windows has neither user ids nor these modes; its temporary folder belongs to the user.
  const isOurs = uid === -1 || (stats.uid === uid && (stats.mode & 0o022) === 0);
  return stats.isDirectory() && isOurs ? shared : mkdtempSync(path.join(parent, 'docloom-'));
}

/** Changes with every file below `workflows` and `model` of the compiled code, with the bundler and with the version of Node. */
export function computeFingerprint(code: string): string {
  const bundler = readFileSync(path.join(code, 'activities', 'bundle-workflows.js'));
  const hash = createHash('sha256').update(process.version).update(bundler);
  for (const name of ['workflows', 'model'])
    for (const file of readdirSync(path.join(code, name), { recursive: true, encoding: 'utf8' }).toSorted()) {
      const full = path.join(code, name, file);
      if (statSync(full).isFile()) hash.update(file).update(readFileSync(full));
    }
  return hash.digest('hex').slice(0, 16);
}
