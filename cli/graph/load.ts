import { Command } from 'commander';
import { databaseRows, databaseRowsOfStream, type Profile } from '../../graph';
import { createProfileOption } from './build';
import { loadExport } from './files';
import { findLargeExport } from './large-export';
import { reportOutcome, printJson } from './outcome';

interface Options {
  uri: string;
  user?: string;
  passwordEnv: string;
  database?: string;
  profile: Profile;
  json?: boolean;
}

/** `docloom graph load FILE_OR_DIR --uri bolt://…`: merges an export into a running Neo4j. */
export function createGraphLoadCommand(): Command {
  return new Command('load')
    .description('Merges an exported graph into Neo4j over Bolt; loading it again changes nothing.')
    .argument('<file-or-dir>', 'a graph.json or the folder of a run')
    .requiredOption('--uri <uri>', 'bolt://HOST:7687 or neo4j+s://HOST')
    .option('--user <name>', 'user name; without one, no credentials are sent')
    .option('--password-env <variable>', 'environment variable that holds the password', 'NEO4J_PASSWORD')
    .option('--database <name>', "by default the server's own")
    .addOption(createProfileOption())
    .option('--json', 'print what was loaded as JSON')
    .action(async (value: string, options: Options) => {
      await reportOutcome(options.json, async () => {
        const { loadIntoNeo4j } = await import('../../services/graph/neo4j');
        const { uri, user, database } = options;
        const password = process.env[options.passwordEnv];
        const large = options.profile === 'spec' ? await findLargeExport(value) : undefined;
        const rows = large
          ? databaseRowsOfStream(large.stream)
          : databaseRows((await loadExport(value, options.profile)).graph);
        const loaded = await loadIntoNeo4j({ uri, user, password, database }, rows);
        if (options.json) printJson({ ok: true, uri, ...loaded });
        else process.stdout.write(`${loaded.nodes} nodes, ${loaded.relationships} relationships in ${uri}\n`);
      });
      // The driver keeps a connection on which the server does not answer the handshake, and with it the process.
      if (process.exitCode) process.exit();
    });
}
