import { Command } from 'commander';
import { version } from 'docloom/package.json';
import { type CommandEntry, commands } from './commands';
import { runCommand } from './run-command';

/** Runs the command line. Loads only the file of the requested command. Sets the exit code of the process. */
export async function main(argv: string[]): Promise<void> {
  const [first, ...words] = argv.slice(2);
  // `docloom help run` means `docloom run --help`.
  const args = first === 'help' && words.length > 0 ? [...words, '--help'] : argv.slice(2);
  const entry = commands.find(({ name }) => name === args[0]);
  const program = entry ? (await entry.load()).name(`docloom ${entry.name}`) : createOverview(commands);
  if (args.length === 0) return program.outputHelp();
  const succeeded = await runCommand(program, entry ? args.slice(1) : args);
  if (!succeeded && entry?.isServer) process.exit();
}

function createOverview(entries: readonly CommandEntry[]): Command {
  const program = new Command('docloom').description(
    'Turns piles of documents into searchable, structured knowledge, durably.',
  );
  program.version(version, '-V, --version', 'print the version');
  for (const { name, summary } of entries) program.command(name).description(summary);
  return program.addHelpText('after', '\nEach command has its own help: docloom COMMAND --help');
}
