import { Command, CommanderError } from 'commander';
import { AppError } from '../model/errors';
import { type CommandEntry, commands } from './commands';
import { exitCodes } from './exit-codes';

/** Runs the command line; loads only the file of the command that is called. Sets the process's exit code. */
export async function main(argv: string[]): Promise<void> {
  // `docloom … | head` closes the pipe early, which is no error of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  const entry = commands.find(({ name }) => name === argv[2]);
  const program = entry ? (await entry.load()).name(`docloom ${entry.name}`) : overview(commands);
  program.exitOverride();
  try {
    await program.parseAsync(entry ? [...argv.slice(0, 2), ...argv.slice(3)] : argv);
  } catch (error) {
    process.exitCode = report(error);
  }
}

function overview(entries: readonly CommandEntry[]): Command {
  const program = new Command('docloom').description(
    'Turns piles of documents into searchable, structured knowledge, durably.',
  );
  for (const { name, summary } of entries) program.command(name).description(summary);
  return program
    .addHelpText('after', '\nEach command has its own help: docloom COMMAND --help')
    .action(() => program.outputHelp());
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  if (error instanceof AppError) {
    process.stderr.write(`docloom: ${error.message} (${error.code})\n`);
    for (const { message } of error.details.problems ?? []) process.stderr.write(`  - ${message}\n`);
    return error.code === 'FLOW_VALIDATION_FAILED' ||
      error.code === 'FLOW_INVALID_DATA' ||
      error.code === 'FLOW_NOT_FOUND' ||
      error.code === 'INVALID_CONFIGURATION'
      ? exitCodes.usage
      : exitCodes.failed;
  }
  process.stderr.write(`docloom: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return exitCodes.failed;
}
