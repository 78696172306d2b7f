import { Command } from 'commander';
import type { AccessSyncState } from '../../client';
import { requireText } from '../convert/option-values';
import { checkId } from './check-id';
import { connectServer, serverFlag } from './connect';
import type { ServerChoice } from './remote';

interface Options extends ServerChoice {
  json?: boolean;
  now?: boolean;
}

/** `docloom access-sync FLOW_ID`: how old the access lists of a flow are; with `--now`, they are read again. */
export function createAccessSyncCommand(): Command {
  return new Command('access-sync')
    .description(
      'Shows how old the access lists of a flow’s documents are; with --now, a worker reads them without a run.',
    )
    .argument('<flow>', 'id of the flow')
    .option('--now', 'read them now')
    .option(...serverFlag)
    .option('--user <name>', 'the user to act as (default: an administrator, on the machine of the API)', requireText)
    .option('--json', 'print JSON')
    .action(async (flow: string, options: Options) => {
      checkId(flow, 'a flow; the address of its page in the console ends in it');
      const { client } = await connectServer(options);
      const { items } = options.now ? await client.accessSync.start(flow) : await client.accessSync.get(flow);
      if (options.json) return void process.stdout.write(`${JSON.stringify({ items }, null, 2)}\n`);
      if (items.length === 0)
        process.stdout.write(
          'No access lists are refreshed: set access_sync_minutes in the ingest_source of the flow, and run it.\n',
        );
      process.stdout.write(items.map(describe).join(''));
      if (options.now && items.length > 0) process.stdout.write('A worker reads them now.\n');
    });
}

function describe({ job_id, every_minutes, age_seconds, is_fresh, is_closed, counts, error }: AccessSyncState): string {
  const age = is_fresh ? 'fresh' : 'older than promised';
  const state = is_closed ? 'too old: nobody may read the documents' : age;
  const countsText = counts
    ? `  ${counts.listed} documents: ${counts.changed} changed, ${counts.left_to_run} left to the next run, ${counts.unknown} unknown\n`
    : '';
  const failed = error ? `  The sync of ${error.at} failed: ${error.code}: ${error.message}\n` : '';
  return `${job_id}: ${age_seconds} s old, every ${every_minutes} min, ${state}\n${countsText}${failed}`;
}
