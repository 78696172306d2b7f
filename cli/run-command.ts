import type { Command } from 'commander';
import { reportError } from './report-error';

/** Parses the arguments and runs the command. Reports errors and sets the exit code; returns whether the command succeeded. */
export async function runCommand(program: Command, args: string[]): Promise<boolean> {
  // `docloom … | head` closes the pipe early, which is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  preventExit(program);
  try {
    await program.parseAsync(args, { from: 'user' });
    return true;
  } catch (error) {
    process.exitCode = reportError(error, args.includes('--json'));
    return false;
  }
}

/** Prevents Commander from ending the process and from printing errors. Subcommands do not inherit this. */
function preventExit(command: Command): void {
  command.exitOverride().configureOutput({ outputError: () => undefined });
  command.commands.forEach(preventExit);
}
