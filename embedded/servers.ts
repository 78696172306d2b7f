import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { omitOwnSecrets } from '../model/config';
import { install } from './install';
import { createFolder } from './paths';
import type { Environment } from './paths';
import { isListening, loopback, releasePort } from './ports';
import { formatDuration } from './progress';
import {
  type Context,
  type Installation,
  type Launch,
  type Origin,
  type Ports,
  type ServerName,
  type ServerRecipe,
  createServerError,
} from './server';
import { type ServerProcess, startProcess, readTail } from './server-process';
import { ldap } from './servers/ldap';
import { mongo } from './servers/mongo';
import { opensearch } from './servers/opensearch';
import { s3 } from './servers/s3';
import { temporal } from './servers/temporal';
import { choosePorts, storePorts } from './supervision/kept-ports';
import { findListener } from './supervision/listeners';
import type { Part } from './supervision/supervisor';

/** All embedded servers. */
export const serverRecipes: readonly ServerRecipe[] = [temporal, mongo, opensearch, ldap, s3];

/** All embedded servers, in the versions that the data folder needs. */
export function listRecipes(dataDir: string): readonly ServerRecipe[] {
  return serverRecipes.map((recipe) => recipe.forData?.(dataDir) ?? recipe);
}

/** A running server, whether we started it or not. */
export interface RunningServer {
  name: ServerName;
  title: string;
  address: string;
  pid?: number;
  origin: Origin;
}

/** Result of `startServers`. `env` holds everything that clients need, keyed by setting. */
export interface RunningServers {
  env: Record<string, string>;
  servers: RunningServer[];
  /** The processes started here. */
  parts: Part[];
  /** Stops the servers started here, but not external ones; may be called more than once. */
  stop(): Promise<void>;
}

/** The servers to start, and their folders; `which` selects the servers. */
export interface ServersOptions {
  dataDir: string;
  cacheDir: string;
  env: Environment;
  log: (line: string) => void;
  which: Partial<Record<ServerName, boolean>>;
}

interface Started {
  server: RunningServer;
  env: Record<string, string>;
  /** Both are set unless the server is external. */
  part?: Part;
  ports?: Ports;
}

/** Long, because a process that ends is noticed at once, and a busy machine can need minutes for one that does not. */
const readyTimeoutMs = 300_000;
const configuredTimeoutMs = 10_000;
const maxAttempts = 3;

/** Starts all selected servers in parallel and resolves when each answers. If one fails, the others are stopped again. */
export async function startServers(options: ServersOptions): Promise<RunningServers> {
  const dataDir = path.resolve(options.dataDir);
  createFolder(dataDir, 0o700);
  const context: Context = { dataDir, cacheDir: path.resolve(options.cacheDir), env: options.env, log: options.log };
  const wantedRecipes = listRecipes(dataDir).filter((recipe) => options.which[recipe.name]);
  const results = await Promise.allSettled(wantedRecipes.map((recipe) => bringUp(recipe, context)));
  const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const parts = started.flatMap(({ part }) => part ?? []);
  const stop = async (): Promise<void> => {
    await Promise.all(parts.map(({ process: child }) => child.stop()));
    for (const { ports } of started) Object.values(ports ?? {}).forEach(releasePort);
  };
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []));
  if (failures.length > 0) {
    await stop();
    if (failures.length === 1) throw failures[0];
    throw createServerError('Servers', [...new Set(failures.map(({ message }) => message))].join('\n'), failures[0]);
  }
  const env = Object.assign({}, ...started.map((each) => each.env)) as Record<string, string>;
  return { env, servers: started.map(({ server }) => server), parts, stop };
}

async function bringUp(recipe: ServerRecipe, context: Context): Promise<Started> {
  if (context.env[recipe.setting]?.trim()) return useConfigured(recipe, context);
  const installation = await install(recipe, context);
  const began = performance.now();
  // Another program may take a free port before the server binds it. The server is then started again on other ports.
  for (let attempt = 1; ; attempt += 1) {
    const ports = await choosePorts(recipe, context.dataDir);
    const launch = await recipe.launch(installation, ports, context);
    const start: Start = { recipe, installation, ports, launch, context };
    const child = await spawnServer(start);
    if (await waitReady(start, child)) {
      const settings = recipe.addresses(ports, installation, context);
      // The first setting is the address; for the search server, the first two are host and port.
      const address = Object.values(settings)
        .slice(0, recipe.name === 'search' ? 2 : 1)
        .join(':');
      context.log(`${recipe.title}: ${address} (process ${child.pid}, ${formatDuration(performance.now() - began)})`);
      storePorts(context.dataDir, recipe.name, ports);
      return {
        server: { name: recipe.name, title: recipe.title, address, pid: child.pid, origin: installation.origin },
        env: { ...settings, ...launch.settings },
        part: createPart(start, child),
        ports,
      };
    }
    const answers = await Promise.all(Object.values(ports).map((port) => isListening(loopback, port)));
    if (!answers.includes(true) || attempt === maxAttempts)
      throw createServerError(
        recipe.title,
        `did not become ready; the log is ${child.logFile}:\n${readTail(child.logFile)}`,
      );
  }
}

/** The data for starting a server, and for restarting it on the same ports. */
interface Start {
  recipe: ServerRecipe;
  installation: Installation;
  ports: Ports;
  launch: Launch;
  context: Context;
}

function spawnServer({ recipe, launch, context }: Start): Promise<ServerProcess> {
  return startProcess(recipe.name, { ...launch, env: omitOwnSecrets(launch.env) }, context.dataDir);
}

function createPart(start: Start, child: ServerProcess): Part {
  const { recipe, ports, installation, context } = start;
  const { name, title } = recipe;
  const part: Part = {
    name,
    title,
    process: child,
    answers: () => recipe.isReady(ports, installation, context),
    start: async () => {
      part.process = await spawnServer(start);
      if (await waitReady(start, part.process)) return;
      const { logFile } = part.process;
      throw createServerError(title, `did not become ready; the log is ${logFile}:\n${readTail(logFile)}`);
    },
  };
  return part;
}

async function useConfigured(recipe: ServerRecipe, context: Context): Promise<Started> {
  const input = recipe.givenAddress(context.env);
  const address = input ? `${input.host}:${input.port}` : '(a service record or a socket)';
  if (input && !(await answersWithin(input.host, input.port, configuredTimeoutMs))) {
    throw createServerError(
      recipe.title,
      `${recipe.setting} names ${address}, where nothing answers; start it, or unset ${recipe.setting} to have one started here`,
    );
  }
  context.log(`${recipe.title}: ${address} (from ${recipe.setting}, nothing started)`);
  const names = [recipe.setting, ...recipe.siblings].filter((name) => context.env[name] !== undefined);
  return {
    server: { name: recipe.name, title: recipe.title, address, origin: 'environment' },
    env: Object.fromEntries(names.map((name) => [name, context.env[name] as string])),
  };
}

async function answersWithin(host: string, port: number, timeoutMs: number): Promise<boolean> {
  for (const deadline = performance.now() + timeoutMs; performance.now() < deadline; await delay(200)) {
    if (await isListening(host, port)) return true;
  }
  return false;
}

/** Stops the process and returns false if it ended, took too long, or another process answers on its ports. */
async function waitReady({ recipe, ports, installation, context }: Start, child: ServerProcess): Promise<boolean> {
  for (const deadline = performance.now() + readyTimeoutMs; performance.now() < deadline; await delay(100)) {
    if (child.hasExited()) return false;
    if (await recipe.isReady(ports, installation, context)) {
      const isForeign = Object.values(ports).some((port) => findListener(port, child.pid) === 'other');
      if (!isForeign) return !child.hasExited();
      break;
    }
  }
  await child.stop();
  return false;
}
