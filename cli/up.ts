import { Command, InvalidArgumentError } from 'commander';
import { sampleUsers } from '../embedded/servers/ldap';
import { cacheFolder, dataFolder } from '../embedded/paths';
import { type Stack, startStack } from '../embedded/stack';
import { readConfig } from '../model/config';
import { exitCodes } from './exit-codes';

interface UpOptions {
  ldap?: boolean;
  port?: number;
  json?: boolean;
}

/** `docloom up`: starts the servers, a worker and an api, prints where they are, and stays until a signal. */
export function upCommand(): Command {
  return new Command('up')
    .description(
      'Starts everything on this machine (Temporal, MongoDB, OpenSearch, a worker, the API) and keeps it running. Servers named in the environment are used instead of started.',
    )
    .option('--ldap', 'also start a directory of sample users, so that logins work')
    .option('--port <number>', 'port of the API; default: DOCLOOM_PORT, or a free one', parsePort)
    .option('--json', 'print one JSON object with the addresses')
    .addHelpText(
      'after',
      '\nData lie in DOCLOOM_DATA (.docloom), fetched and built servers in DOCLOOM_CACHE (~/.cache/docloom).\nCtrl-C stops everything; a second Ctrl-C kills it.',
    )
    .action(async (options: UpOptions) => {
      readConfig(process.env);
      const stack = await startStack({
        dataDir: dataFolder(process.env),
        cacheDir: cacheFolder(process.env),
        env: process.env,
        log: (line) => process.stderr.write(`${line}\n`),
        ldap: options.ldap ?? false,
        port: options.port,
      });
      process.stdout.write(options.json ? `${JSON.stringify(summaryOf(stack, options))}\n` : pageOf(stack, options));
      process.exit(await stay(stack));
    });
}

/** Waits for a signal (0) or for the end of a process that should not end (1), then stops everything. */
async function stay(stack: Stack): Promise<number> {
  const signal = new Promise<'signal'>((resolve) => {
    let askedAt = 0;
    const onSignal = (): void => {
      // One Ctrl-C under npm arrives twice: from the terminal and from npm.
      if (askedAt > 0 && Date.now() - askedAt > 1000) process.exit(exitCodes.cancelled);
      if (askedAt > 0) return;
      askedAt = Date.now();
      process.stderr.write('stopping; once more to kill\n');
      resolve('signal');
    };
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  });
  const end = await Promise.race([signal, stack.ended]);
  if (end !== 'signal')
    process.stderr.write(`docloom: the ${end.name} ended (${end.code ?? 'killed'}); its log is ${end.logFile}\n`);
  await stack.stop();
  return end === 'signal' ? exitCodes.completed : exitCodes.failed;
}

function summaryOf(stack: Stack, options: UpOptions): Record<string, unknown> {
  const { apiAddress, docsAddress, temporalUiAddress, dataDir, servers, processes } = stack;
  return {
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

function pageOf(stack: Stack, options: UpOptions): string {
  const rows = [
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
