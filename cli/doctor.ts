import { Command } from 'commander';
import { describeDiagnosis, diagnose } from '../embedded/diagnosis';
import { cacheFolder, dataFolder } from '../embedded/paths';
import { readStack } from '../embedded/stack';
import { exitCodes } from './exit-codes';

/** `docloom doctor`: what is found on this machine, what is missing and how to get it. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Tells what is found on this machine, what is missing and how to get it. Changes nothing.')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', '\nExit codes: 0 everything needed is here or can be had, 1 something is missing.')
    .action(async (options: { json?: boolean }) => {
      const dataDir = dataFolder(process.env);
      const diagnosis = await diagnose({ dataDir, cacheDir: cacheFolder(process.env), env: process.env });
      const running = await readStack(dataDir);
      if (options.json) {
        process.stdout.write(
          `${JSON.stringify({ ...diagnosis, running: running ? { api: running.apiAddress, pid: running.owner.pid } : null }, null, 2)}\n`,
        );
      } else {
        process.stdout.write(describeDiagnosis(diagnosis));
        process.stdout.write(
          running
            ? `Docloom runs in ${dataDir}: ${running.apiAddress} (process ${running.owner.pid}).\n`
            : `Docloom does not run in ${dataDir}.\n`,
        );
      }
      process.exitCode = diagnosis.ok ? exitCodes.completed : exitCodes.failed;
    });
}
