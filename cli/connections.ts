import { Command } from 'commander';
import { readDataFolder } from '../embedded/paths';
import { readStackSettings } from '../embedded/stack-file';
import { readConfig } from '../model/config';
import { countNouns } from '../model/count-nouns';
import { sealedCollections } from '../services/connection/sealed';
import { connectMongo } from '../services/storage/mongo';
import { type Rotated, rotateSecrets } from '../services/storage/sealing/rotation';
import { createConfiguredSealer, requireKeys } from '../services/storage/sealing/sealer-keys';
import { exitCodes } from './exit-codes';
import { createCheckCommand } from './server/connection-check';

/** `docloom connections`: re-encrypts stored secrets, and checks connections. */
export function createConnectionsCommand(): Command {
  const command = new Command('connections').description(
    'Checks connections, and manages the encryption of stored secrets.',
  );
  command.addCommand(createCheckCommand());
  command
    .command('rotate')
    .description('Encrypts all stored secrets in the configured database with the newest key.')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nFirst put the new key in front of DOCLOOM_CONNECTION_KEYS (or as the first line of DOCLOOM_DATA/connection-keys) for every\napi and worker, keep the old ones, and restart them. When this command exits with 0, the old keys can be removed.\nIt may run while the installation works, can be interrupted, and can run again.',
    )
    .action(async (options: { json?: boolean }) => {
      const running = await readStackSettings(readDataFolder(process.env));
      const config = readConfig({ ...process.env, ...running?.env });
      requireKeys(config);
      const mongo = connectMongo(config.MONGODB_URL, createConfiguredSealer(config));
      try {
        const rotated = await rotateSecrets(mongo, sealedCollections);
        process.stdout.write(options.json ? `${JSON.stringify({ collections: rotated })}\n` : formatRotation(rotated));
        process.exitCode = rotated.some(({ failed }) => failed.length > 0) ? exitCodes.failed : exitCodes.completed;
      } finally {
        await mongo.close();
      }
    });
  return command;
}

/** Number of failed records that are listed; the rest are counted. */
const maxShown = 20;

function formatRotation(rotated: readonly Rotated[]): string {
  const width = Math.max(...rotated.map(({ collection }) => collection.length));
  const rows = rotated.map(
    ({ collection, records, changed }) =>
      `  ${collection.padEnd(width)}  ${changed} of ${countNouns(records, 'record')} re-encrypted\n`,
  );
  const failed = rotated.flatMap(({ collection, failed }) => failed.map((item) => ({ collection, ...item })));
  if (failed.length === 0)
    return `${rows.join('')}All secrets are encrypted with the newest key; the old keys can be removed.\n`;
  const lines = failed.slice(0, maxShown).map(({ collection, id, message }) => `  ${collection} ${id}: ${message}\n`);
  const more = failed.length > maxShown ? `  and ${failed.length - maxShown} more\n` : '';
  return `${rows.join('')}Not re-encrypted:\n${lines.join('')}${more}Keep the old keys.\n`;
}
