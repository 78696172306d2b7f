import { spawn } from 'node:child_process';
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { archiveStep, goStep } from '../archive';
import { findOnPath } from '../paths';
import { answers, loopback } from '../ports';
import { temporalRelease, versions } from '../releases';
import type { Installation, ServerRecipe } from '../server';

const title = 'Temporal';
/** Search attributes of our workflows, all of type Keyword. */
export const searchAttributes = ['FlowName', 'JobRunId', 'ProjectId', 'Owner', 'Outcome'] as const;

// Without the pragmas a file is three times slower than memory; without the matching settings priority and fairness keys do nothing.
const settings = [
  'matching.useNewMatcher=true',
  'matching.enableFairness=true',
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  'system.enableActivityEagerExecution=true',
];

/** Temporal's dev server with its UI, kept in one SQLite file. */
export const temporal: ServerRecipe = {
  name: 'temporal',
  title,
  version: versions.temporal,
  setting: 'TEMPORAL_ADDRESS',
  siblings: ['TEMPORAL_UI_ADDRESS', 'TEMPORAL_NAMESPACE'],
  givenAddress: (env) => {
    const [host, port] = (env['TEMPORAL_ADDRESS'] ?? '').split(':');
    return host ? { host, port: Number(port ?? 7233) } : undefined;
  },
  ports: { main: 7233, ui: 8233 },
  folder: `temporal-${versions.temporal}`,
  findOnPath: (env) => findOnPath('temporal', env),
  steps: [
    ...archiveStep(title, temporalRelease(), '70 MB', 'a minute or less'),
    goStep(
      title,
      `github.com/temporalio/cli/cmd/temporal@v${versions.temporal}`,
      '252 MB',
      '5 to 8 minutes on 2 cores',
    ),
  ],
  launch: async (installation, ports, context) => {
    const folder = path.join(context.dataDir, 'temporal');
    mkdirSync(folder, { recursive: true });
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
    for (const name of searchAttributes) args.push('--search-attribute', `${name}=Keyword`);
    for (const setting of settings) args.push('--dynamic-config-value', setting);
    return { command: program(installation), args, env: context.env };
  },
  isReady: async (ports, installation) =>
    (await answers(loopback, ports.main)) && knowsAttributes(program(installation), ports.main),
  addresses: (ports) => ({
    TEMPORAL_ADDRESS: `${loopback}:${ports.main}`,
    TEMPORAL_UI_ADDRESS: `http://${loopback}:${ports['ui']}`,
  }),
};

function program(installation: Installation): string {
  return statSync(installation.path).isDirectory() ? path.join(installation.path, 'temporal') : installation.path;
}

/** The attributes are registered last, after the frontend answers and the namespace exists. */
function knowsAttributes(command: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, ['operator', 'search-attribute', 'list', '--address', `${loopback}:${port}`], {
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 10_000,
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0 && searchAttributes.every((name) => output.includes(name))));
  });
}
