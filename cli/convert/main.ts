import { version } from 'docloom/package.json';
import { runCommand } from '../run-command';
import { createConvertCommand } from './convert';

/** Runs `docloom-convert`, the command of the package that only converts. Sets the exit code of the process. */
export async function main(argv: string[]): Promise<void> {
  const command = createConvertCommand().name('docloom-convert').version(version, '-V, --version', 'print the version');
  await runCommand(command, argv.slice(2));
}
