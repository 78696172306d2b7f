import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withoutOwnSecrets } from '../model/config';
import { install } from './install';
import { ldap } from './servers/ldap';
import { mongo } from './servers/mongo';
import { opensearch } from './servers/opensearch';
import type { Environment } from './paths';
import { answers, freePort, loopback, returnPort } from './ports';
import { formatDuration } from './progress';
import { s3 } from './servers/s3';
import { type Context, type Origin, type Ports, type ServerName, type ServerRecipe, serverError } from './server';
import { type ServerProcess, startProcess, tailOf } from './server-process';
import { temporal } from './servers/temporal';

/** Every embedded server. */
export const serverRecipes: readonly ServerRecipe[] = [temporal, mongo, opensearch, ldap, s3];

/** A server that can be used, whether we started it or not. */
export interface RunningServer {
  name: ServerName;
  title: string;
  address: string;
  pid?: number;
  origin: Origin;
}

/** What `startServers` started or was given. `env` holds all that clients need, under the names of the settings. */
export interface RunningServers {
  env: Record<string, string>;
  servers: RunningServer[];
  /** Stops what was started here, and nothing that was given; may be called more than once. */
  stop(): Promise<void>;
}

/** What to start, and where; `which` names the servers that are wanted. */
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
  process?: ServerProcess;
}

const readyTimeoutMs = 180_000;

/** Brings up all wanted servers at the same time and resolves when each answers; when one fails, the others are stopped again. */
export async function startServers(options: ServersOptions): Promise<RunningServers> {
  const dataDir = path.resolve(options.dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const context: Context = { dataDir, cacheDir: path.resolve(options.cacheDir), env: options.env, log: options.log };
  const wanted = serverRecipes.filter((recipe) => options.which[recipe.name]);
  const results = await Promise.allSettled(wanted.map((recipe) => bringUp(recipe, context)));
  const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const stop = async (): Promise<void> => {
    await Promise.all(started.map(async ({ process: child }) => child?.stop()));
  };
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []));
  if (failures.length > 0) {
    await stop();
    if (failures.length === 1) throw failures[0];
    throw serverError('Servers', failures.map((failure) => failure.message).join('\n'), failures[0]);
  }
  return { env: Object.assign({}, ...started.map((one) => one.env)), servers: started.map((one) => one.server), stop };
}

async function bringUp(recipe: ServerRecipe, context: Context): Promise<Started> {
  if (context.env[recipe.setting]?.trim()) return useGiven(recipe, context);
  const installation = await install(recipe, context);
  const start = Date.now();
  // A port that was free when asked for may be taken when the server binds it; then it starts once more on others.
  for (let attempt = 1; ; attempt += 1) {
    const ports = await choosePorts(recipe);
    const launch = await recipe.launch(installation, ports, context);
    const env = withoutOwnSecrets(launch.env);
    const child = await startProcess(recipe.name, { ...launch, env }, context.dataDir);
    if (await waitReady(() => recipe.isReady(ports, installation, context), child)) {
      const settings = recipe.addresses(ports, installation, context);
      const address = Object.values(settings)
        .slice(0, recipe.name === 'search' ? 2 : 1)
        .join(':');
      context.log(`${recipe.title}: ${address} (process ${child.pid}, ${formatDuration(Date.now() - start)})`);
      void child.exited.then(() => Object.values(ports).forEach(returnPort));
      return {
        server: { name: recipe.name, title: recipe.title, address, pid: child.pid, origin: installation.origin },
        env: { ...settings, ...launch.settings },
        process: child,
      };
    }
    const taken = (await Promise.all(Object.values(ports).map((port) => answers(loopback, port)))).includes(true);
    if (!taken || attempt === 3)
      throw serverError(recipe.title, `did not become ready; the log is ${child.logFile}:\n${tailOf(child.logFile)}`);
  }
}

async function useGiven(recipe: ServerRecipe, context: Context): Promise<Started> {
  const given = recipe.givenAddress(context.env);
  const address = given ? `${given.host}:${given.port}` : '(a service record or a socket)';
  if (given && !(await answersWithin(given.host, given.port, 10_000))) {
    throw serverError(
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
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await delay(200)) {
    if (await answers(host, port)) return true;
  }
  return false;
}

async function choosePorts(recipe: ServerRecipe): Promise<Ports> {
  const ports: Ports = { main: 0 };
  for (const [role, usual] of Object.entries(recipe.ports)) ports[role] = await freePort(usual);
  return ports;
}

/** False when the process ended or took too long; it is stopped then. */
async function waitReady(isReady: () => Promise<boolean>, child: ServerProcess): Promise<boolean> {
  for (const deadline = Date.now() + readyTimeoutMs; Date.now() < deadline; await delay(100)) {
    if (child.hasExited()) return false;
    if (await isReady()) return !child.hasExited();
  }
  await child.stop();
  return false;
}
