import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const compiled = path.join(__dirname, '..');
/**
 * Modules that are evaluated once and frozen for all workflows of a worker, instead of once per workflow. They keep no state of
 * the workflow that uses them. Saves a tenth of the CPU time of a small workflow.
 */
const shared = [
  '@temporalio/workflow',
  require.resolve('../model/errors'),
  path.join(compiled, 'workflows', 'failures.js'),
];

/** Bundles the compiled workflows into the file named on the command line. The file appears only when it is complete. */
async function main(target: string): Promise<void> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: path.join(compiled, 'workflows', 'index.js'),
    workflowInterceptorModules: [path.join(compiled, 'workflows', 'tracing.js')],
    preloadModules: shared,
    logger: new DefaultLogger('WARN'),
  });
  mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
  const temporary = `${target}.${process.pid}`;
  writeFileSync(temporary, code);
  renameSync(temporary, target);
  // Bundles of earlier code. A worker that uses one has already read it.
  const old = readdirSync(path.dirname(target)).filter((name) => /^bundle-[0-9a-f]+\.js$/.test(name));
  for (const name of old)
    if (name !== path.basename(target)) rmSync(path.join(path.dirname(target), name), { force: true });
}

void main(process.argv[2] ?? '');
