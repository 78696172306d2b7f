import { Argument, Command } from 'commander';
import { AppError } from '../model/errors';
import { createInstallationPlaces, type Places } from '../services/installation/places';
import { connectMongo } from '../services/storage/mongo';
import { createObjectStore } from '../services/storage/object-store';
import { readDatabaseConfig } from './connect';
import { exitCodes } from './exit-codes';

type Part = 'store' | 'index' | 'database';

/** `docloom installation`: shows which installation the configured database, store and index belong to, and can reassign them. */
export function createInstallationCommand(): Command {
  const command = new Command('installation')
    .description('Shows which installation the configured database, store and index belong to.')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExits with 1 if they do not belong together. Nothing is written, and no server is started.\nThe identity is part of the names of the Temporal task queues.',
    )
    .action(async (options: { json?: boolean }) => {
      const installation = await withPlaces(readInstallation);
      process.stdout.write(options.json ? `${JSON.stringify(installation)}\n` : describe(installation));
      process.exitCode = installation.belongs_together ? exitCodes.completed : exitCodes.failed;
    });
  command
    .command('accept')
    .description(
      'Assigns the store or the index to the installation of the database, or the database to that of the store.',
    )
    .addArgument(new Argument('<part>', 'what joins the others').choices(['store', 'index', 'database']))
    .addHelpText(
      'after',
      '\nFor a store that was moved or lost, an index that another installation no longer uses, and a new database beside an existing store.\nStop the processes of the installation first. No document, file or index entry is changed.',
    )
    .option('--json', 'print {part, installation} as JSON')
    .action(async (part: Part, _options: unknown, self: Command) => {
      const installation = await withPlaces((places) => accept(places, part));
      // The parent has the same option, and reads it first.
      const { json } = self.optsWithGlobals<{ json?: boolean }>();
      process.stdout.write(
        json
          ? `${JSON.stringify({ part, installation })}\n`
          : `The ${part} now belongs to the installation ${installation}.\n`,
      );
    });
  return command;
}

/** Which installation each part belongs to, as `--json` prints it; null for a part that belongs to none yet. */
interface InstallationReport {
  database: string | null;
  store: string | null;
  index: string | null;
  places: { store: string; index: string };
  belongs_together: boolean;
}

async function readInstallation({ records, store, index }: Places): Promise<InstallationReport> {
  const [record, inStore, inIndex] = await Promise.all([records.find(), store.read(), index.read()]);
  const identities = [record?.identity, inStore, inIndex].filter((item) => item !== undefined);
  return {
    database: record?.identity ?? null,
    store: inStore ?? null,
    index: inIndex ?? null,
    places: { store: store.place, index: index.place },
    belongs_together: new Set(identities).size <= 1 && !(record?.store_marked === true && inStore === undefined),
  };
}

function describe({ database, store, index, places, belongs_together }: InstallationReport): string {
  const rows = [
    ['the database (MONGODB_URL)', database],
    [places.store, store],
    [places.index, index],
  ];
  const lines = rows.map(([place, identity]) => `  ${(identity ?? 'none yet').padEnd(12)}  ${place}\n`).join('');
  const conclusion = belongs_together
    ? 'They belong together.'
    : 'They do not belong together; see docloom installation accept --help.';
  return `${lines}${conclusion}\n`;
}

async function accept({ records, store, index }: Places, part: Part): Promise<string> {
  const record = await records.find();
  if (part === 'database') {
    if (record) throw new AppError('CONFLICT', `The database already belongs to the installation ${record.identity}.`);
    const identity = await store.read();
    if (identity === undefined)
      throw new AppError('CONFLICT', `${store.place} does not record which installation it belongs to.`);
    return (await records.ensure(identity)).identity;
  }
  if (!record)
    throw new AppError('CONFLICT', 'The database does not belong to an installation yet; start an API or worker.');
  await (part === 'store' ? store : index).write(record.identity);
  if (part === 'store') await records.set({ store_marked: true });
  return record.identity;
}

async function withPlaces<T>(use: (places: Places) => Promise<T>): Promise<T> {
  const config = await readDatabaseConfig();
  const mongo = connectMongo(config.MONGODB_URL);
  const store = createObjectStore(config);
  const places = createInstallationPlaces(config, mongo, store);
  try {
    return await use(places);
  } finally {
    store.close();
    await Promise.allSettled([places.close(), mongo.close()]);
  }
}
