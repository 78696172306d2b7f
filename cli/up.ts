import { Command, InvalidArgumentError } from 'commander';
import { readCacheFolder, readDataFolder } from '../embedded/paths';
import { sampleUsers } from '../embedded/servers/ldap';
import { type Stack, startStack } from '../embedded/stack';
import { readConfig } from '../model/config';
import { createLoginStates } from '../services/login/login-states';
import { connectMongo } from '../services/storage/mongo';
import { getDefaultUser } from './connect';
import { exitCodes } from './exit-codes';

/** Validity of the printed login link. */
const linkSeconds = 15 * 60;

interface UpOptions {
  ldap?: boolean;
  port?: number;
  json?: boolean;
}

/** `docloom up`: starts servers, worker and api, prints their addresses, and runs until a signal. */
export function createUpCommand(): Command {
  return new Command('up')
    .description(
      'Starts everything on this machine (Temporal, MongoDB, OpenSearch, a worker, the API) and keeps it running: what ends is started again. Servers named in the environment are used instead of started.',
    )
    .option('--ldap', 'also start a directory of sample users, so that logins work')
    .option('--port <number>', 'port of the API; default: DOCLOOM_PORT, or a free one', parsePort)
    .option('--json', 'print one JSON object with the addresses')
    .addHelpText(
      'after',
      '\nData is stored in DOCLOOM_DATA (.docloom), downloaded and built servers in DOCLOOM_CACHE (~/.cache/docloom).\nPorts stay the same across restarts. A part that ends six times within ten minutes is given up, and all of it ends with exit code 1.\nCtrl-C or `docloom down` stops everything; a second Ctrl-C kills it.',
    )
    .action(async (options: UpOptions) => {
      readConfig(process.env);
      const stack = await startStack({
        dataDir: readDataFolder(process.env),
        cacheDir: readCacheFolder(process.env),
        env: process.env,
        log: (line) => process.stderr.write(`${line}\n`),
        ldap: options.ldap ?? false,
        port: options.port,
      });
      const link = await createLoginLink(stack, options);
      process.stdout.write(
        options.json
          ? `${JSON.stringify({ ...buildSummary(stack, options), ...(link ? { login_link: link } : {}) })}\n`
          : formatPage(stack, options, link),
      );
      process.exit(await awaitSignal(stack));
    });
}

/** Waits for a signal (0), or until a process that keeps failing is given up (1), then stops everything. */
async function awaitSignal(stack: Stack): Promise<number> {
  const signal = new Promise<'signal'>((resolve) => {
    let askedAt = 0;
    const onSignal = (): void => {
      // npm forwards Ctrl-C, so it may arrive twice: from the terminal and from npm.
      if (askedAt > 0 && Date.now() - askedAt > 1000) process.exit(exitCodes.cancelled);
      if (askedAt > 0) return;
      askedAt = Date.now();
      process.stderr.write('Stopping. Press Ctrl-C again to kill all processes.\n');
      resolve('signal');
    };
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  });
  const end = await Promise.race([signal, stack.givenUp]);
  if (end !== 'signal') process.stderr.write(`docloom: ${end.title} is given up: ${end.reason}\n`);
  await stack.stop();
  return end === 'signal' ? exitCodes.completed : exitCodes.failed;
}

/**
 * A single-use link, valid for a quarter of an hour, that logs in the person who started the stack. Undefined when a directory
 * is configured, because ordinary logins work then.
 */
async function createLoginLink(stack: Stack, options: UpOptions): Promise<string | undefined> {
  const config = readConfig({ ...process.env, ...stack.env });
  if (options.ldap || config.LDAP_SERVER) return undefined;
  const mongo = connectMongo(config.MONGODB_URL);
  try {
    const user = { username: getDefaultUser(), email: '', full_name: '', groups: [...config.DOCLOOM_ADMIN_GROUPS] };
    const code = await createLoginStates(mongo, () => new Date()).put('code', { user }, linkSeconds);
    return `${buildConsoleAddress(stack)}login#code=${code}`;
  } finally {
    await mongo.close();
  }
}

function buildConsoleAddress({ apiAddress }: Pick<Stack, 'apiAddress'>): string {
  return `${apiAddress}/console/`;
}

function buildSummary(stack: Stack, options: UpOptions): Record<string, unknown> {
  const { apiAddress, docsAddress, temporalUiAddress, dataDir, servers, processes } = stack;
  return {
    console: buildConsoleAddress(stack),
    api: apiAddress,
    docs: docsAddress,
    temporal_ui: temporalUiAddress,
    data: dataDir,
    pid: process.pid,
    servers,
    processes: processes.map(({ name, mark }) => ({ name, pid: mark.pid })),
    ...(options.ldap ? { sample_users: sampleUsers } : {}),
  };
}

function formatPage(stack: Stack, options: UpOptions, link: string | undefined): string {
  const rows = [
    ['Console', link ?? buildConsoleAddress(stack)],
    ['API', stack.apiAddress],
    ['API reference', stack.docsAddress],
    ['Temporal UI', stack.temporalUiAddress],
    ['Data and logs', stack.dataDir],
    ...(options.ldap
      ? [['Sample users', sampleUsers.map(({ username, password }) => `${username} / ${password}`).join(', ')]]
      : []),
    ['A token', 'docloom token --user NAME'],
  ];
  return `Docloom is up. Ctrl-C stops it.\n${rows.map(([label, value]) => `  ${label?.padEnd(14)} ${value}\n`).join('')}`;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new InvalidArgumentError('A port is a whole number from 1 to 65535.');
  return port;
}
