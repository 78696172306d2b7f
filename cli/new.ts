import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import { createFolder } from '../embedded/paths';
import { AppError } from '../model/errors';
import { findOperator } from '../operators/index';
import { writeOperatorTemplate, writeOperatorTestTemplate } from './operator-template';

/** `docloom new operator NAME`: writes a working operator and its test. Overwrites nothing. */
export function createNewCommand(): Command {
  const command = new Command('new').description('Creates the skeleton of an extension.');
  command
    .command('operator')
    .description('Writes an operator that works, and its test, into a folder. Contacts no server.')
    .exitOverride()
    .argument('<name>', 'its type in flows: lower-case letters, digits and underscores')
    .option('--folder <folder>', 'folder for the files, as in DOCLOOM_CUSTOM_OPERATORS', 'operators')
    .option('--json', 'print {files} as JSON')
    .action(async (name: string, { folder, json }: { folder: string; json?: boolean }) => {
      if (!/^[a-z][a-z0-9_]{0,63}$/.test(name))
        throw new AppError(
          'VALIDATION_ERROR',
          `'${name}' is not a valid operator name: expected up to 64 lowercase letters, digits and underscores, beginning with a letter.`,
        );
      if (findOperator(name))
        throw new AppError('CONFLICT', `An operator '${name}' already exists; choose another name.`);
      const file = path.join(folder, `${name}.mjs`);
      const test = path.join(folder, `${name}.test.mjs`);
      createFolder(folder);
      await writeNewFile(file, writeOperatorTemplate(name));
      await writeNewFile(test, writeOperatorTestTemplate(name));
      process.stdout.write(
        json
          ? `${JSON.stringify({ files: [file, test] })}\n`
          : `${file}\n${test}\n\nTest it:  node --test ${test}\nUse it:   DOCLOOM_CUSTOM_OPERATORS=${folder} docloom operators ${name}\n`,
      );
    });
  command.addHelpText('after', '\nExample:\n  docloom new operator word_count --folder operators');
  return command;
}

async function writeNewFile(file: string, text: string): Promise<void> {
  await writeFile(file, text, { flag: 'wx' }).catch((error: unknown) => {
    const reason = (error as NodeJS.ErrnoException).code === 'EEXIST' ? 'it exists already' : (error as Error).message;
    throw new AppError('CONFLICT', `${file} cannot be written: ${reason}.`, {}, error);
  });
}
