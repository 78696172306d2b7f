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
  writeFileSync(temporary, shrink(code));
  renameSync(temporary, target);
  // Bundles of earlier code. A worker that uses one has already read it.
  const old = readdirSync(path.dirname(target)).filter((name) => /^bundle-[0-9a-f]+\.js$/.test(name));
  for (const name of old)
    if (name !== path.basename(target)) rmSync(path.join(path.dirname(target), name), { force: true });
}

const mapComment = '//# sourceMappingURL=data:application/json;charset=utf-8;base64,';

/**
 * A worker holds the bundle three times. One character outside of Latin-1 would double its size in memory, and stack traces need
 * only the positions in the source map, not the sources.
 */
function shrink(bundle: string): string {
  const [code = '', map = ''] = bundle.split(mapComment);
  const { sourcesContent: _sources, ...positions } = JSON.parse(Buffer.from(map, 'base64').toString()) as object & {
    sourcesContent?: string[];
  };
  const encoded = Buffer.from(JSON.stringify(positions)).toString('base64');
  return `${code.replaceAll(/[^\0-\xff]/g, escapeUnit)}${mapComment}${encoded}`;
}

/** Means the same in texts and patterns. Without the flag `u`, a pattern matches one UTF-16 unit. */
function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

void main(process.argv[2] ?? '');
