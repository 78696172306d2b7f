import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { withLock } from './lock';
import { createFolder } from './paths';
import { formatDuration, formatBytes, computeSize } from './progress';
import { type Context, type InstallStep, type Installation, type ServerRecipe, createServerError } from './server';
import { findTool, toolHints } from './tools';

/** The installation on PATH or in the cache; undefined when the server must be downloaded or built first. */
export function findInstallation(recipe: ServerRecipe, context: Context): Installation | undefined {
  const file = recipe.findOnPath?.(context.env);
  if (file) return { origin: 'path', path: file };
  const folder = path.join(context.cacheDir, recipe.folder);
  return existsSync(folder) ? { origin: 'cache', path: folder } : undefined;
}

/** Finds the server, or installs it with the first step that works. Concurrent processes wait for the one that installs. */
export async function install(recipe: ServerRecipe, context: Context): Promise<Installation> {
  const installation = findInstallation(recipe, context);
  if (installation) return installation;
  createFolder(context.cacheDir);
  const lock = path.join(context.cacheDir, 'locks', recipe.folder);
  const work = async (): Promise<Installation> =>
    findInstallation(recipe, context) ?? (await fetchOrBuild(recipe, context));
  return withLock(lock, work, (holder) =>
    context.log(`${recipe.title}: process ${holder ?? '?'} is getting it; waiting`),
  );
}

async function fetchOrBuild(recipe: ServerRecipe, context: Context): Promise<Installation> {
  const failures: string[] = [];
  for (const step of recipe.steps) {
    const missing = step.needs.filter((tool) => !findTool(tool, context.env));
    if (missing.length > 0) {
      failures.push(`${step.text}: ${missing.map((tool) => `${tool} is missing, ${toolHints[tool]}`).join('; ')}`);
      continue;
    }
    try {
      return await runStep(recipe, step, context);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      failures.push(`${step.text}: ${reason}`);
      context.log(`${recipe.title}: ${step.text}: failed: ${reason.split('\n')[0]?.replace(`${recipe.title}: `, '')}`);
    }
  }
  const alternative = `or set ${recipe.setting} to the address of a running server`;
  throw createServerError(
    recipe.title,
    `could not be installed:\n- ${failures.join('\n- ')}\nSolve one of these problems, ${alternative}.`,
  );
}

async function runStep(recipe: ServerRecipe, step: InstallStep, context: Context): Promise<Installation> {
  const target = path.join(context.cacheDir, recipe.folder);
  const temporary = `${target}.part-${process.pid}`;
  removeParts(context.cacheDir, recipe.folder);
  mkdirSync(temporary, { recursive: true });
  context.log(`${recipe.title} ${recipe.version}: ${step.text} (${step.size}, ${step.time}, once)`);
  const start = Date.now();
  const timer = setInterval(
    () => context.log(`${recipe.title}: still running after ${formatDuration(Date.now() - start)}`),
    60_000,
  );
  try {
    await step.run(temporary, context);
    renameSync(temporary, target);
  } finally {
    clearInterval(timer);
    rmSync(temporary, { recursive: true, force: true });
  }
  context.log(
    `${recipe.title}: ready in the cache, ${formatBytes(computeSize(target))}, ${formatDuration(Date.now() - start)}`,
  );
  return { origin: step.origin, path: target };
}

/** The lock is held, so leftovers of interrupted steps are not in use. */
function removeParts(cacheDir: string, folder: string): void {
  for (const name of readdirSync(cacheDir)) {
    if (name.startsWith(`${folder}.part-`)) rmSync(path.join(cacheDir, name), { recursive: true, force: true });
  }
}
