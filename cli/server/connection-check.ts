import { Command } from 'commander';
import type { ConnectionCheckReply, ConnectionReply } from '../../client';
import { AppError, asAppError } from '../../model/errors';
import { requireText } from '../convert/option-values';
import { exitCodes } from '../exit-codes';
import { connectServer, serverFlag } from './connect';
import type { Server, ServerChoice } from './remote';

interface Options extends ServerChoice {
  json?: boolean;
}

/** `docloom connections check NAME`: whether its secret and hosts can be used, and each right of the sources and destinations that use it. */
export function createCheckCommand(): Command {
  return new Command('check')
    .description(
      'Lets the API try a connection: its secret, its hosts, and the sources and destinations that use it in your flows.',
    )
    .argument('<name>', 'name or id of the connection; of two with the same name, your own one counts')
    .option(...serverFlag)
    .option(
      '--user <name>',
      'the user whose connection it is (default: an administrator, on the machine of the API)',
      requireText,
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit codes: 0 nothing is denied, 1 something is, 2 the connection cannot be checked.')
    .action(async (name: string, options: Options) => {
      const { client } = await connectServer(options);
      const checked = await checkByName(client, name);
      process.exitCode = checked.usable ? exitCodes.completed : exitCodes.failed;
      process.stdout.write(options.json ? `${JSON.stringify(checked, null, 2)}\n` : describe(name, checked));
    });
}

type Client = Server['client'];

/**
 * Checks the first connection of that name or id that the user may use, their own before shared ones. Skips
 * connections that the user sees as an administrator but may not use.
 */
async function checkByName(client: Client, name: string): Promise<ConnectionCheckReply> {
  const found: ConnectionReply[] = [];
  for (let offset = 0, total = 1; offset < total; offset += 100) {
    const page = await client.connections.list({ limit: 100, offset });
    ({ total } = page);
    found.push(...page.items.filter((item) => item.name === name || item.connection_id === name));
  }
  let refusal = new AppError('CONNECTION_NOT_FOUND', `There is no connection '${name}' that you may use.`);
  for (const { connection_id: id } of found.toSorted((item, other) => Number(item.shared) - Number(other.shared)))
    try {
      return await client.connections.check(id);
    } catch (error) {
      refusal = asAppError(error);
      if (refusal.code !== 'FORBIDDEN') throw error;
    }
  throw refusal;
}

function describe(name: string, checked: ConnectionCheckReply): string {
  const { secret, hosts, sources, destinations } = checked;
  const lines = [
    `${name}\n`,
    formatLine('secret', secret),
    ...hosts.map((host) => formatLine(host.host, host)),
    ...sources.flatMap((source) => listLines(source, source.provider)),
    ...destinations.flatMap((destination) => listLines(destination, destination.destination)),
    formatFurther('sources', checked.unchecked_sources),
    formatFurther('destinations', checked.unchecked_destinations),
  ];
  return lines.join('');
}

type Use = ConnectionCheckReply['sources' | 'destinations'][number];

function listLines({ flow_name: flow, operator, rights, code, message = '' }: Use, kind: string): string[] {
  return [
    `${flow}, ${operator} (${kind})\n`,
    ...(code === undefined ? [] : [formatLine('check', { outcome: 'denied', code, message })]),
    ...rights.map((right) => formatLine(right.right, right)),
  ];
}

function formatFurther(what: string, count: number): string {
  return count === 0 ? '' : `Further ${what} that use it: ${count}\n`;
}

function formatLine(
  what: string,
  { outcome, code, message }: { outcome: string; code?: string; message: string },
): string {
  return `  ${what.padEnd(8)} ${outcome.padEnd(8)} ${code === undefined ? '' : `${code}: `}${message}\n`;
}
