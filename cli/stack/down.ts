import { setTimeout as delay } from 'node:timers/promises';
import { Command } from 'commander';
import { tryLock } from '../../embedded/lock';
import { readDataFolder } from '../../embedded/paths';
import { isRunning } from '../../embedded/process-mark';
import { buildLockPath, describeHolder, findRunningStack } from '../../embedded/stack-file';
import { endOrphans, listOrphans } from '../../embedded/supervision/orphans';
import { AppError } from '../../model/errors';

/** Longer than any usual drain. */
const maxStopMs = 180_000;

/** `docloom down`: stops the `docloom up` of the data folder, like Ctrl-C, and waits until it has ended. */
export function createDownCommand(): Command {
  return new Command('down')
    .description('Stops what runs in the data folder, as Ctrl-C in `docloom up` does, and waits until it has ended.')
    .option('--json', 'print {data, was_running} as JSON')
    .addHelpText('after', '\nExit codes: 0 everything has stopped, 1 something is still running.')
    .action(async ({ json }: { json?: boolean }) => {
      const dataDir = readDataFolder(process.env);
      const stack = findRunningStack(dataDir);
      const tell = (was_running: boolean, text: string) =>
        process.stdout.write(json ? `${JSON.stringify({ data: dataDir, was_running })}\n` : `${text}\n`);
      if (!stack) {
        const left = await endLeftovers(dataDir);
        tell(
          left.length > 0,
          left.length > 0
            ? `Docloom was killed in ${dataDir}. These processes were left running and have stopped: ${left.join(', ')}.`
            : `Docloom is not running in ${dataDir}.`,
        );
        return;
      }
      process.kill(stack.owner.pid, 'SIGTERM');
      for (const deadline = performance.now() + maxStopMs; isRunning(stack.owner); await delay(100)) {
        if (performance.now() > deadline)
          throw new AppError('SERVICE_UNAVAILABLE', `Process ${stack.owner.pid} has not ended after 3 minutes.`);
      }
      tell(true, `Docloom has stopped in ${dataDir}.`);
    });
}

/** Ends what a killed `docloom up` left in the data folder, unless a start is doing that already; returns the names of the parts. */
async function endLeftovers(dataDir: string): Promise<string[]> {
  if (listOrphans(dataDir).length === 0) return [];
  const lock = tryLock(buildLockPath(dataDir));
  if (!lock) throw new AppError('ALREADY_RUNNING', describeHolder(dataDir));
  try {
    return await endOrphans(dataDir);
  } finally {
    lock.release();
  }
}
