import { existsSync, readFileSync } from 'node:fs';
import { Command } from 'commander';
import { version } from 'docloom/package.json';
import { backup, type Backup } from '../../embedded/backup/backup';
import { checkPassphrase } from '../../embedded/backup/encryption';
import { check, restore, type Restored } from '../../embedded/backup/restore';
import { readDataFolder } from '../../embedded/paths';
import { countNouns } from '../../model/count-nouns';
import { AppError } from '../../model/errors';

interface Options {
  keyFile?: string;
  force?: boolean;
  check?: boolean;
  json?: boolean;
}

const keyFlag = [
  '--key-file <file>',
  'file with the key or passphrase of the backup, at least 12 characters; - reads it from standard input',
] as const;

/** `docloom backup FILE`: writes the data folder into one file, whether the installation runs or not. */
export function createBackupCommand(): Command {
  return new Command('backup')
    .description(
      'Writes everything in the data folder into one file: documents, index, runs, secrets. The installation may keep running.',
    )
    .argument('<file>', 'the file to write, readable only by you')
    .option(...keyFlag)
    .option('--force', 'replace the file if it exists')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nA running installation pauses for a few seconds, so that all parts of the backup are from the same moment.\nRuns in progress are in the backup, and resume where it is restored.\nThe file holds all secrets of the data folder. Encrypt it with --key-file, for example a file made by `openssl rand -base64 32`.\nSettings of the environment are not in it: keep keys that are set there (DOCLOOM_CONNECTION_KEYS, JWT_SECRET_KEY, …) with it.',
    )
    .action(async (file: string, options: Options) => {
      const passphrase = readKey(options);
      const dataDir = readDataFolder(process.env);
      const result = await backup({ dataDir, file, version, passphrase, overwrite: options.force ?? false });
      process.stdout.write(options.json ? `${JSON.stringify(toRecord(result))}\n` : describeBackup(result));
    });
}

/** `docloom restore FILE`: puts a backup into the data folder. */
export function createRestoreCommand(): Command {
  return new Command('restore')
    .description('Puts a backup into the data folder (DOCLOOM_DATA), which must be empty.')
    .argument('<file>', 'a file of `docloom backup`')
    .option(...keyFlag)
    .option('--force', 'move existing data aside, into a folder replaced-… of the data folder')
    .option('--check', 'only read the whole file and compare its digests')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nThe file is read and checked as a whole before anything in the data folder changes.\nThe restored installation is the same one: its runs resume and its schedules fire at the next start, also while the original runs.',
    )
    .action(async (file: string, options: Options) => {
      const passphrase = readKey(options);
      const dataDir = readDataFolder(process.env);
      if (file !== '-' && !existsSync(file)) throw new AppError('BACKUP_INVALID', `There is no file '${file}'.`);
      const done = options.check
        ? await check({ file, passphrase })
        : await restore({ file, passphrase, dataDir, replace: options.force ?? false });
      const { description, replaced, files, bytes } = done;
      process.stdout.write(
        options.json
          ? `${JSON.stringify({ ...description, files, bytes, ...(replaced ? { replaced } : {}) })}\n`
          : describeRestored(done, options.check ? undefined : dataDir),
      );
    });
}

function readKey({ keyFile }: Options): string | undefined {
  if (keyFile === undefined) return undefined;
  if (keyFile !== '-' && !existsSync(keyFile))
    throw new AppError('INVALID_CONFIGURATION', `There is no key file '${keyFile}'.`);
  return checkPassphrase(readFileSync(keyFile === '-' ? 0 : keyFile, 'utf8'));
}

function toRecord({ file, fileBytes, files, bytes, isEncrypted, wasRunning, frozenMs }: Backup) {
  return {
    file,
    file_bytes: fileBytes,
    files,
    bytes,
    encrypted: isEncrypted,
    running: wasRunning,
    frozen_ms: frozenMs,
  };
}

function describeBackup({ file, fileBytes, files, bytes, isEncrypted, wasRunning, frozenMs }: Backup): string {
  const moment = wasRunning ? ` The installation paused for ${(frozenMs / 1000).toFixed(1)} s.` : '';
  const secrets = isEncrypted
    ? 'The file is encrypted; nobody can read it without the key.'
    : 'The file holds all secrets of the data folder in clear; only you may read it.';
  return `${file}: ${countFiles(files, bytes)} in ${formatMegabytes(fileBytes)}.${moment}\n${secrets}\n`;
}

function describeRestored({ description, files, bytes, replaced }: Restored, dataDir: string | undefined): string {
  const what = `${countFiles(files, bytes)} of ${description.created_at}, written by Docloom ${description.version}`;
  if (dataDir === undefined) return `The backup is whole: ${what}.\n`;
  const aside = replaced ? `The previous data folder is kept in ${replaced}.\n` : '';
  return `Restored into ${dataDir}: ${what}.\n${aside}Start it with DOCLOOM_DATA=${dataDir} docloom up; its runs resume.\n`;
}

function countFiles(files: number, bytes: number): string {
  return `${countNouns(files, 'file')} (${formatMegabytes(bytes)})`;
}

function formatMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
}
