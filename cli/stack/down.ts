import { setTimeout as delay } from 'node:timers/promises';
import { Command } from 'commander';
import { dataFolder } from '../../embedded/paths';
import { isRunning } from '../../embedded/process-mark';
import { runningStack } from '../../embedded/stack-file';
import { AppError } from '../../model/errors';

/** Longer than any usual drain. */
const longestStopMs = 180_000;

/** `docloom down`: stops the `docloom up` of the data folder, like Ctrl-C, and waits until it has ended. */
export function downCommand(): Command {
  return new Command('down')
    .description('Stops what runs in the data folder, as Ctrl-C in `docloom up` does, and waits until it has ended.')
    .addHelpText('after', '\nExit codes: 0 nothing runs any more, 1 it did not end.')
    .action(async () => {
      const dataDir = dataFolder(process.env);
      const stack = runningStack(dataDir);
      if (!stack) {
        process.stdout.write(`Docloom does not run in ${dataDir}.\n`);
        return;
      }
      process.kill(stack.owner.pid, 'SIGTERM');
      for (const deadline = Date.now() + longestStopMs; isRunning(stack.owner); await delay(100)) {
        if (Date.now() > deadline)
          throw new AppError('SERVICE_UNAVAILABLE', `Process ${stack.owner.pid} has not ended after 3 minutes.`);
      }
      process.stdout.write(`Docloom has stopped in ${dataDir}.\n`);
    });
}
