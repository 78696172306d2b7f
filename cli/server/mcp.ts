import { Command } from 'commander';
import { version } from 'docloom/package.json';
import { getDefaultUser } from '../connect';
import { requireText } from '../convert/option-values';
import { connectServer, serverFlag } from './connect';
import { findRemoteAddress, type ServerChoice } from './remote';

/** `docloom mcp`: the tools of the Model Context Protocol over stdin and stdout, for agents on this machine. */
export function createMcpCommand(): Command {
  return new Command('mcp')
    .description(
      'Serves tools to an agent over stdin and stdout (Model Context Protocol): search, read and convert documents, start and follow flows.',
    )
    .option(...serverFlag)
    .option(
      '--user <name>',
      'the user that the agent acts for on the machine of the API (default: the user of this shell)',
      requireText,
    )
    .addHelpText(
      'after',
      '\nThe agent may read and do only what this user may. Agents that speak HTTP connect to /mcp of the API instead,\nwith the header Authorization: Bearer <token>.',
    )
    .action(async (options: ServerChoice) => {
      const isRemote = findRemoteAddress(options) !== undefined;
      const choice = isRemote ? options : { ...options, user: options.user ?? getDefaultUser() };
      // Exits at once if no api is running or the user is not logged in.
      const { address: baseUrl } = await connectServer(choice);
      const [{ serveStdio, StdioServerTransport }, { createMcpServer }, { refuseTaskSubscriptions }] =
        await Promise.all([
          import('@modelcontextprotocol/server/stdio'),
          import('../../mcp/server'),
          import('../../mcp/task-extension'),
        ]);
      // Tokens are short-lived, and an agent may stay for days.
      const send: typeof fetch = async (input, init) => {
        const { token } = await connectServer(choice);
        const headers = new Headers(init?.headers);
        headers.set('Authorization', `Bearer ${token}`);
        return fetch(input, { ...init, headers });
      };
      process.stderr.write(`docloom mcp: serving ${baseUrl} over stdio\n`);
      const transport = new StdioServerTransport();
      serveStdio((served) => createMcpServer({ baseUrl, fetch: send, version }, served), { transport });
      refuseTaskSubscriptions(transport);
    });
}
