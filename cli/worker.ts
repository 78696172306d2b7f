import { setFlagsFromString } from 'node:v8';
import { Command } from 'commander';
import { readConfig, omitApiSecrets } from '../model/config';

/** Time for all that follows the drain: cancelled activities end, and connections close. */
const closeMs = 20_000;

/** `docloom worker`: polls Temporal until a signal, then lets running work finish within DOCLOOM_DRAIN_SECONDS. */
export function createWorkerCommand(): Command {
  return new Command('worker')
    .description(
      'Runs workflows and activities: polls the task queues of the configured Temporal, or those of DOCLOOM_WORKER_QUEUES.',
    )
    .option('--json', 'also print a startup error as JSON')
    .addHelpText(
      'after',
      '\nStops on SIGTERM and SIGINT after running work has ended (DOCLOOM_DRAIN_SECONDS); another worker continues the rest.',
    )
    .action(async () => {
      // By default V8 lets the heap grow to several times the live data before it collects garbage, also in conversion threads.
      setFlagsFromString('--heap-growing-percent=40');
      const env = omitApiSecrets(process.env);
      const surplus = Object.keys(process.env).filter((name) => !(name in env));
      for (const name of surplus) delete process.env[name];
      if (surplus.length > 0)
        process.stderr.write(
          `docloom worker: ${surplus.join(', ')} are for the api only; start workers without them.\n`,
        );
      const { startWorker } = await import('../activities/worker');
      const { limitExit } = await import('../services/process/exit-deadline');
      const config = readConfig(env);
      // Until the worker polls, a signal ends the process at once: nothing runs yet.
      const worker = await startWorker(config, env);
      const stop = () => {
        limitExit('The worker', config.DOCLOOM_DRAIN_SECONDS * 1_000 + closeMs);
        void worker.stop().catch(() => undefined);
      };
      process.once('SIGTERM', stop).once('SIGINT', stop);
      await worker.done;
      // Parsers and native clients may keep handles open that nothing waits for.
      process.exit(0);
    });
}
