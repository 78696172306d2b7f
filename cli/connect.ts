import { existsSync } from 'node:fs';
import os from 'node:os';
import { readCacheFolder, readDataFolder } from '../embedded/paths';
import { describeHolder, findRunningStack, isHeld, readStack, readStackSettings } from '../embedded/stack-file';
import { type Config, readConfig } from '../model/config';
import { AppError } from '../model/errors';

/** The servers that a command uses, and how to stop those started for it. */
export interface ServerConnection {
  env: Record<string, string | undefined>;
  config: Config;
  /** Describes the origin of the servers, for output. */
  origin: string;
  close(): Promise<void>;
}

/** The user for whom a command acts by default. */
export function getDefaultUser(): string {
  return os.userInfo().username;
}

/** A start takes half a minute on a slow machine, and longer only where servers are downloaded first. */
const maxStartMs = 60_000;

/**
 * Finds the servers: those of a `docloom up` in the data folder, which may still be starting, else those in the environment, else
 * new ones that stop with the command. Starting new ones is announced, because it takes a while. Throws ALREADY_RUNNING when a
 * `docloom up` takes longer than a minute.
 */
export async function connectServers(
  log: (line: string) => void,
  options: { ldap?: boolean } = {},
): Promise<ServerConnection> {
  const dataDir = readDataFolder(process.env);
  if (isHeld(dataDir) && !findRunningStack(dataDir)) log(`${describeHolder(dataDir)} Waiting for it.`);
  const running = await readStack(dataDir, maxStartMs);
  if (running) return readGivenServer({ ...process.env, ...running.env }, `docloom up in ${dataDir}`);
  if (isHeld(dataDir)) throw new AppError('ALREADY_RUNNING', describeHolder(dataDir));
  if (namesServers(process.env)) return readGivenServer(process.env, 'the environment');
  log(
    `Docloom is not running in ${dataDir}: starting Temporal, MongoDB, OpenSearch, a worker and an API for this command. \`docloom up\` keeps them running.`,
  );
  const { startStack } = await import('../embedded/stack');
  const stack = await startStack({
    dataDir,
    cacheDir: readCacheFolder(process.env),
    env: process.env,
    log,
    ldap: options.ldap ?? false,
  });
  const env = { ...process.env, ...stack.env };
  return { env, config: readConfig(env), origin: 'servers started for this command', close: () => stack.stop() };
}

/**
 * Throws SERVICE_UNAVAILABLE if neither the data folder nor the environment names an installation. For commands that only read:
 * starting servers for them would create an empty installation.
 */
export function requireInstallation(): void {
  const dataDir = readDataFolder(process.env);
  if (existsSync(dataDir) || namesServers(process.env)) return;
  throw new AppError(
    'SERVICE_UNAVAILABLE',
    `There is no installation in ${dataDir}: change to the folder in which \`docloom up\` was started, set DOCLOOM_DATA to its data folder, or name the API of another machine with --server.`,
  );
}

/**
 * The settings of a command that needs the database: those of the `docloom up` in the data folder, else of the environment.
 * Throws SERVICE_UNAVAILABLE if neither has any.
 */
export async function readDatabaseConfig(): Promise<Config> {
  const dataDir = readDataFolder(process.env);
  const running = await readStackSettings(dataDir);
  if (!running && !process.env['MONGODB_URL'])
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      `Docloom is not running in ${dataDir}: start it with \`docloom up\`, set DOCLOOM_DATA to the folder of another, or MONGODB_URL to its database.`,
    );
  return readConfig({ ...process.env, ...running?.env });
}

/** The page of a run in the Temporal UI. */
export function getTemporalPage(config: Config, workflowId: string): string {
  const { TEMPORAL_UI_ADDRESS: ui, TEMPORAL_NAMESPACE: namespace } = config;
  return `${ui}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
}

function namesServers(env: Record<string, string | undefined>): boolean {
  return Boolean(env['TEMPORAL_ADDRESS'] && env['MONGODB_URL']);
}

function readGivenServer(env: Record<string, string | undefined>, origin: string): ServerConnection {
  return { env, config: readConfig(env), origin, close: async () => undefined };
}
