import { type Command, CommanderError } from 'commander';
import { findMeantName } from '../model/nearest-name';
import { exitCodes } from './exit-codes';
import { reportError } from './report-error';

/** Parses the arguments and runs the command. Reports errors and sets the exit code; returns whether the command succeeded. */
export async function runCommand(program: Command, args: string[]): Promise<boolean> {
  process.stdout.on('error', exitWithoutOutput);
  preventExit(program);
  try {
    checkSubcommand(program, args);
    await program.parseAsync(args, { from: 'user' });
    return true;
  } catch (error) {
    process.exitCode = reportError(findUnknownOption(program, args, error) ?? error, args.includes('--json'));
    return false;
  }
}

/** Ends the process when nothing more can be printed, for example because the disk is full. */
function exitWithoutOutput(error: NodeJS.ErrnoException): never {
  // `docloom … | head` closes the pipe early, which is not an error.
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`docloom: Standard output cannot be written: ${error.message}.\n`);
  process.exit(exitCodes.failed);
}

/**
 * Throws for a first word that is no subcommand. Commander finds no name of other letter case, and gives the word to the default
 * subcommand, if there is one, which then complains about too many arguments.
 */
function checkSubcommand({ commands }: Command, [word]: string[]): void {
  if (commands.length === 0 || word === undefined || word.startsWith('-') || word === 'help') return;
  const names = commands.map((command) => command.name());
  if (names.includes(word)) return;
  throw new CommanderError(1, 'commander.unknownCommand', `error: unknown command '${word}'${hint(word, names)}`);
}

/**
 * The unknown option among arguments that lack a required one: `--usr alice` in place of `--user alice` is a spelling mistake,
 * but Commander only says that `--user` is missing.
 */
function findUnknownOption(program: Command, args: string[], error: unknown): CommanderError | undefined {
  if (!(error instanceof CommanderError) || error.code !== 'commander.missingMandatoryOptionValue') return undefined;
  const subcommand = program.commands.find((command) => command.name() === args[0]);
  const command = subcommand ?? program;
  const [flag] = command.parseOptions(subcommand ? args.slice(1) : args).unknown;
  if (flag === undefined || !flag.startsWith('--')) return undefined;
  const flags = command.options.flatMap(({ long }) => long ?? []);
  return new CommanderError(1, 'commander.unknownOption', `error: unknown option '${flag}'${hint(flag, flags)}`);
}

function hint(word: string, names: readonly string[]): string {
  const meant = findMeantName(word, names);
  return meant === undefined ? '' : `\n(Did you mean ${meant}?)`;
}

/** Prevents Commander from ending the process and from printing errors. Subcommands do not inherit this. */
function preventExit(command: Command): void {
  command.exitOverride().configureOutput({ outputError: () => undefined });
  command.commands.forEach(preventExit);
}
