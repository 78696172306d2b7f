import { isDeepStrictEqual } from 'node:util';
import type { Client, FlowReply } from '../../client';
import type { FlowDefinition } from '../../model/flow/flow';
import type { JobRunReply, RunEvent } from '../../model/run/wire';
import { connectServer } from '../server/connect';
import type { ServerChoice } from '../server/remote';
import { cancelOnSignal } from './cancel-on-signal';
import { createProgressView } from './progress';
import { maxFailures, measureSeconds, type RunReport } from './report';

interface RunThereOptions extends ServerChoice {
  json?: boolean;
  overrides: Record<string, unknown>;
}

/**
 * Stores the flow at the api as the user's own, runs it there to its end and shows its progress on standard error. SIGINT and SIGTERM
 * cancel the run. Paths in the flow are those of the machine of the api.
 */
export async function runThere(flow: FlowDefinition, options: RunThereOptions): Promise<RunReport> {
  const { client } = await connectServer(options);
  const view = options.json ? undefined : createProgressView(process.stderr);
  const say = (line: string) => view?.say(line);
  const { flow_id, note } = await storeFlow(client, flow);
  if (note) say(note);
  const started = await client.jobRuns.create({ flow_id, configuration: options.overrides });
  const { job_run_id: id } = started;
  say(`run ${id}: ${(await client.jobRuns.get(id)).temporal_ui}`);
  const cancel = cancelOnSignal(() => client.jobRuns.cancel(id), say);
  try {
    const ended = await client.jobRuns.waitFor(id, { onChange: (event) => view?.update(buildProgress(event)) });
    const failed = await client.jobRuns.documents(id, { outcome: 'failed', limit: maxFailures, offset: 0 });
    return buildReport(ended, failed);
  } finally {
    view?.stop();
    cancel.dispose();
  }
}

/** Stores a flow under its name. Replaces an earlier flow of the same user, which stays in the versions of the flow. */
async function storeFlow(client: Client, flow: FlowDefinition): Promise<{ flow_id: string; note?: string }> {
  const { username } = await client.me();
  const earlier = await findFlow(client, flow.flow_name, username);
  if (!earlier) return client.flows.create(flow);
  const { flow_id } = earlier;
  if (hasSameContent(flow, earlier)) return { flow_id };
  await client.flows.replace(flow_id, { ...flow, readers: earlier.readers });
  return { flow_id, note: `The stored flow '${flow.flow_name}' was replaced; the earlier one is among its versions.` };
}

/** The user's flow with exactly this name, the most recently changed one; undefined if there is none. */
async function findFlow(client: Client, name: string, owner: string): Promise<FlowReply | undefined> {
  for (let offset = 0; ;) {
    const page = await client.flows.list({ name, is_elyra: false, sort: '-modified_on', limit: 100, offset });
    const flows = page.flows as FlowReply[];
    const match = flows.find((flow) => flow.flow_name === name && flow.owner === owner);
    offset += flows.length;
    if (match || flows.length === 0 || offset >= page.total_count) return match;
  }
}

function hasSameContent(flow: FlowDefinition, stored: FlowReply): boolean {
  const pickContent = ({ flow: operators, global_config, edges, description, tags, project_id }: FlowDefinition) => ({
    operators: operators.map(({ type, name, config = {}, depends_on = [] }) => ({ type, name, config, depends_on })),
    global_config: global_config ?? {},
    edges: edges ?? [],
    description: description ?? null,
    tags: tags ?? [],
    project_id: project_id ?? stored.project_id ?? null,
  });
  return isDeepStrictEqual(pickContent(flow), pickContent(stored));
}

function buildProgress({ status, message, operators, progress }: RunEvent) {
  const expected = progress.percent === null ? undefined : progress.documents_total;
  return { status, message, operators, expected };
}

function buildReport(run: JobRunReply, failed: { documents: RunReport['failures']; total: number }): RunReport {
  const { job_run_id, job_id, flow_name, status, message, totals, operators, warnings } = run;
  const { documents: failures, total: failures_total } = failed;
  return {
    job_run_id,
    job_id,
    flow_name,
    status,
    message,
    seconds: measureSeconds(run),
    totals,
    operators,
    warnings,
    failures,
    failures_total,
  };
}
