import { Command } from 'commander';
import { withheldName } from '../../api/run/names';
import { isFinal } from '../../model/run/run';
import type { JobRunList, JobRunReply } from '../../model/run/wire';
import type { RunDocumentPage } from '../../model/run/wire-documents';
import { requireText } from '../convert/option-values';
import { createWholeNumberParser } from '../convert/whole-number';
import { formatReport, formatTable, measureSeconds } from '../run/report';
import { checkId } from './check-id';
import { connectServer, serverFlag } from './connect';
import type { Server } from './remote';

interface RunsOptions {
  server?: string;
  user?: string;
  status?: string;
  limit: number;
  offset: number;
  json?: boolean;
}

const kindOfId = 'a run; docloom runs lists the runs';

/** `docloom runs [ID]`: lists runs, or shows one run with all its failed documents. */
export function createRunsCommand(): Command {
  return new Command('runs')
    .description('Lists the runs, newest first; with an id, shows one run and all its failed documents.')
    .argument('[id]', 'id of a run')
    .option(...serverFlag)
    .option('--user <name>', 'runs that this user may see (default: all, on the machine of the API)', requireText)
    .option('--status <state>', 'only runs in this state, such as RUNNING or COMPLETED_WITH_ERRORS')
    .option('--limit <n>', 'runs per list, 1 to 100', createWholeNumberParser(1, 100), 20)
    .option('--offset <n>', 'runs to skip', createWholeNumberParser(0), 0)
    .option('--json', 'print the response of the API')
    .action(async (id: string | undefined, options: RunsOptions) => {
      if (id !== undefined) checkId(id, kindOfId);
      const server = await connectServer(options);
      if (id === undefined) return list(server, options);
      return show(server, id, options);
    });
}

/** `docloom cancel ID`: cancels a run; its operators receive the signal within two seconds. */
export function createCancelCommand(): Command {
  return new Command('cancel')
    .description('Cancels a run. It becomes CANCELED once its batches have ended.')
    .argument('<id>', 'id of the run')
    .option(...serverFlag)
    .option('--user <name>', 'user who cancels (default: an administrator, on the machine of the API)', requireText)
    .option('--json', 'print the response of the API')
    .action(async (id: string, options: RunsOptions) => {
      checkId(id, kindOfId);
      const { client } = await connectServer(options);
      const reply = await client.jobRuns.cancel(id);
      process.stdout.write(
        options.json ? `${JSON.stringify(reply, null, 2)}\n` : `${reply.job_run_id}: ${reply.status}\n`,
      );
    });
}

async function list({ client }: Server, { limit, offset, status, json }: RunsOptions): Promise<void> {
  const page = await client.jobRuns.list({ limit, offset, ...(status === undefined ? {} : { status }) });
  process.stdout.write(json ? `${JSON.stringify(page, null, 2)}\n` : formatRuns(page));
}

/** One row per run, and the total. A run that has not ended has no counts. */
export function formatRuns({ list: runs, total, offset }: JobRunList): string {
  if (runs.length === 0) return total === 0 ? 'No runs.\n' : `No runs from ${offset} on; there are ${total}.\n`;
  const rows = runs.map((run) => [
    run.job_run_id,
    run.flow_name,
    run.user_id,
    run.status,
    run.created_at.slice(0, 19).replace('T', ' '),
    // The counts are recorded when the run ends.
    ...[run.completed_docs, run.failed_docs, run.total_docs].map((count) =>
      isFinal(run.status) ? String(count) : '-',
    ),
  ]);
  const table = formatTable(
    ['run', 'flow', 'owner', 'state', 'created (UTC)', 'completed', 'failed', 'documents'],
    rows,
  );
  const lines = [...table];
  if (total > runs.length) lines.push(`${runs.length} of ${total}`);
  for (const { job_run_id: id, status, message } of runs)
    if (status === 'RUNNING' && message) lines.push(`${id}: ${message}`);
  return `${lines.join('\n')}\n`;
}

async function show({ client }: Server, id: string, { json }: RunsOptions): Promise<void> {
  const [run, failed] = await Promise.all([client.jobRuns.get(id), listFailedDocuments(client, id)]);
  if (json) {
    process.stdout.write(`${JSON.stringify({ ...run, failed_documents: failed }, null, 2)}\n`);
    return;
  }
  process.stdout.write(formatRun(run, failed));
}

/**
 * The report of the run. While it is running, also where to look and what it waits for. If names are withheld, says who may see
 * them.
 */
export function formatRun(run: JobRunReply, failures: Failures): string {
  const report = formatReport({
    ...run,
    seconds: measureSeconds(run),
    failures,
    failures_total: failures.length,
  });
  const waits = (run.waiting ?? []).map(
    ({ operator, code, message, since }) => `'${operator}' has waited since ${since}: ${code}: ${message}`,
  );
  const isWithheld = failures.some(({ name }) => name === withheldName);
  const hint = `Only the owner of the run sees names and reasons: docloom runs ${run.job_run_id} --user ${run.owner}`;
  return `${[report.trimEnd(), '', ...(isWithheld ? [hint, ''] : []), ...waits, `Temporal UI: ${run.temporal_ui}`].join('\n')}\n`;
}

type Failures = RunDocumentPage['documents'];

/** Reads all pages. */
async function listFailedDocuments(client: Server['client'], id: string): Promise<Failures> {
  const failedDocuments: Failures = [];
  for (;;) {
    const page = await client.jobRuns.documents(id, { outcome: 'failed', limit: 100, offset: failedDocuments.length });
    failedDocuments.push(...page.documents);
    if (page.documents.length === 0 || failedDocuments.length >= page.total) return failedDocuments;
  }
}
