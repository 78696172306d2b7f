import { Command } from 'commander';

/** `docloom api`: serves the HTTP API until a signal, then lets running requests finish within DOCLOOM_DRAIN_SECONDS. */
export function createApiCommand(): Command {
  return new Command('api')
    .description('Serves the HTTP API on DOCLOOM_HOST and DOCLOOM_PORT.')
    .option('--json', 'also print a startup error as JSON')
    .addHelpText(
      'after',
      '\nStarts even if MongoDB, Temporal or OpenSearch is unreachable; GET /ready shows which one is missing, and why.\nLogs are JSON lines on standard error. Stops on SIGTERM and SIGINT after running requests have ended (DOCLOOM_DRAIN_SECONDS).',
    )
    .action(async () => {
      const { main } = await import('../api/main');
      const { getThreadFile } = await import('../threads/entries');
      await main(process.env, {
        page: getThreadFile('page'),
        rerank: getThreadFile('rerank'),
        embed: getThreadFile('embed'),
      });
      // Clients may keep handles open that nothing waits for.
      process.exit(0);
    });
}
