import { Command, CommanderError } from 'commander';
import { version } from 'docloom/package.json';
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
  const [first, ...rest] = argv.slice(2);
  // `docloom help run` is `docloom run --help`.
  const given = first === 'help' && rest.length > 0 ? [...rest, '--help'] : argv.slice(2);
  const entry = commands.find(({ name }) => name === given[0]);
  const program = entry ? (await entry.load()).name(`docloom ${entry.name}`) : overview(commands);
  program.exitOverride();
  if (given.length === 0) return program.outputHelp();
  try {
    await program.parseAsync([...argv.slice(0, 2), ...(entry ? given.slice(1) : given)]);
  } catch (error) {
    process.exitCode = report(error);
  }
}

function overview(entries: readonly CommandEntry[]): Command {
  const program = new Command('docloom').description(
    'Turns piles of documents into searchable, structured knowledge, durably.',
  );
  program.version(version, '-V, --version', 'print the version');
  for (const { name, summary } of entries) program.command(name).description(summary);
  return program.addHelpText('after', '\nEach command has its own help: docloom COMMAND --help');
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
