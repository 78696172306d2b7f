import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { type Environment, findOnPath, buildShippedPath, createFolder } from './paths';
import { type Context, type Tool, createServerError } from './server';
import { readTail } from './server-process';

/** How to install a missing tool. */
export const toolHints: Record<Tool, string> = {
  go: 'install Go 1.24 or later (go.dev/dl, or the package golang)',
  java: 'install a JDK, 17 or later (adoptium.net, or the package openjdk-17-jdk-headless)',
  mvn: 'install Maven 3.8 or later (maven.apache.org, or the package maven)',
  pip3: 'install pip 21 or later (pip.pypa.io, or the package python3-pip)',
};

const versionArguments: Record<Tool, string[]> = {
  go: ['version'],
  java: ['-version'],
  mvn: ['-v'],
  pip3: ['--version'],
};

/** Path and version line of a tool; undefined when it is missing or does not run. */
export function findTool(tool: Tool, env: Environment): { path: string; version: string } | undefined {
  const file = tool === 'java' ? findJavaProgram(env) : findOnPath(tool, env);
  if (!file) return undefined;
  const result = spawnSync(file, versionArguments[tool], { encoding: 'utf8', env, timeout: 20_000 });
  // On a busy machine even that takes long, although the program is installed.
  if (result.error && 'code' in result.error && result.error.code === 'ETIMEDOUT') return { path: file, version: '' };
  if (result.status !== 0) return undefined;
  const lines = stripVTControlCharacters(`${result.stdout}\n${result.stderr}`).split('\n');
  return { path: file, version: lines.map((line) => line.trim()).find((line) => /\d/.test(line)) ?? '' };
}

/** Java in JAVA_HOME if there is one, else on PATH. */
function findJavaProgram(env: Environment): string | undefined {
  const home = env['JAVA_HOME']?.trim();
  return (home ? findOnPath('java', { PATH: path.join(home, 'bin') }) : undefined) ?? findOnPath('java', env);
}

/** Home folder as reported by Java itself: on some systems the program on PATH is a link or a stub. */
export function findJavaHome(title: string, env: Environment): { home: string; java: string } {
  const java = findJavaProgram(env);
  if (!java) throw createServerError(title, `needs Java: ${toolHints.java}, or set JAVA_HOME`);
  const result = spawnSync(java, ['-XshowSettings:properties', '-version'], { encoding: 'utf8', timeout: 20_000 });
  const home = /java\.home = (.+)/.exec(result.stderr)?.[1]?.trim();
  const version = Number(/java\.specification\.version = (\d+)/.exec(result.stderr)?.[1] ?? 0);
  if (!home || version < 17)
    throw createServerError(
      title,
      `${java} is Java ${version || 'of an unknown version'}; ${toolHints.java}, or set JAVA_HOME`,
    );
  return { home, java };
}

/**
 * Arguments for running a single Java source file of this package with the jars in `folder`. Tuned for a small, short-lived
 * server: serial garbage collector, and only the C1 compiler unless `compilers` says otherwise.
 */
export function createJavaArguments(
  folder: string,
  source: string,
  { heap, compilers = ['-XX:TieredStopAtLevel=1'] }: { heap: string; compilers?: readonly string[] },
): string[] {
  return [
    `-Xmx${heap}`,
    '-XX:+UseSerialGC',
    ...compilers,
    '-cp',
    path.join(folder, '*'),
    buildShippedPath(path.join('servers', source)),
  ];
}

/** Runs a program to completion with its output in `<cache>/logs/<name>.log`. A failure includes the last lines. */
export async function runTool(
  title: string,
  [command, ...args]: [string, ...string[]],
  context: Context,
  options: { env?: Environment; cwd?: string } = {},
): Promise<void> {
  const folder = path.join(context.cacheDir, 'logs');
  createFolder(folder);
  const logFile = path.join(folder, `${path.basename(command)}-${process.pid}-${(count += 1)}.log`);
  const log = openSync(logFile, 'w');
  const child = spawn(command, args, {
    cwd: options.cwd ?? context.cacheDir,
    env: { ...context.env, ...options.env },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  const code = await new Promise<number | string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (status, signal) => resolve(status ?? signal ?? 'unknown'));
  });
  process.removeListener('exit', end);
  if (code !== 0)
    throw createServerError(
      title,
      `'${path.basename(command)} ${args.join(' ')}' failed (${code}); the log is ${logFile}:\n${readTail(logFile)}`,
    );
  rmSync(logFile, { force: true });
}

let count = 0;
