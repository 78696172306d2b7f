import { isAdmin } from '../../model/access';
import { AppError } from '../../model/errors';
import { iterateBatches } from '../../model/lists/batches';
import { sumUsage } from '../../model/llm/model-host';
import { listOutages } from '../../model/run/run-waits';
import { Overview } from '../../model/run/wire-overview';
import type { FlowRecord } from '../../services/flow/ports';
import { describeAccessSync } from '../../services/identity/access-syncs';
import type { RunFacts } from '../../services/run/run-record';
import { flowPolicy, may, type RequestContext } from '../http/policies';
import { route } from '../http/route';
import { omitNames } from '../run/names';
import type { ApiServices } from '../services';

const hourMs = 3_600_000;
const hours = 24;
const maxRuns = 500;
const maxFlows = 100;
const maxListed = 20;
/** Reports of runs that are read at the same time. */
const maxConcurrent = 10;
/** How long after its end a run may still get reports: cancelled activities write late. */
const settlingMs = 60_000;
/** Runs whose use of models is kept. */
const maxKnown = 5_000;

export const getOverview = route({
  method: 'GET',
  path: '/api/v1/overview',
  summary: 'What needs attention, and what the runs of the last day did.',
  description:
    'Of the runs and flows that you may see: runs that wait for a server, schedules that skip runs, access lists that are too old, throughput, and the usage and cost of models. Schedules and access lists only of flows that you may change, at most 100.',
  replies: { 200: Overview },
  handler: async (context) => {
    const { user, services, options } = context;
    const now = services.clock();
    const since = new Date(now.getTime() - hours * hourMs).toISOString();
    const page = {
      offset: 0,
      everyone: isAdmin(user, options.adminGroups),
      projectIds: await services.projects.listIds(user),
    };
    const waitingPage = { ...page, limit: maxListed, isWaiting: true };
    const [day, waiting, flows] = await Promise.all([
      services.runsStore.list(user, { ...page, limit: maxRuns, createdFrom: since, isSample: false }),
      services.runsStore.list(user, waitingPage),
      listChangeable(context),
    ]);
    const [skipping, stale, models] = await Promise.all([
      findSkipping(flows, context),
      findStale(flows, context),
      sumModels(day.items, context),
    ]);
    return {
      since,
      waiting: waiting.items.map((run) => describeWaiting(omitNames(run, user))),
      skipping_schedules: skipping,
      stale_access: stale,
      day: sumDay(day.items, day.total, now),
      models,
    };
  },
});

async function listChangeable(context: RequestContext): Promise<FlowRecord[]> {
  const { user, services } = context;
  const { items } = await services.flows.list(user, { limit: maxFlows, offset: 0 });
  const allowed = await Promise.all(items.map((flow) => may(flowPolicy, 'change', flow, context)));
  return items.filter((_, index) => allowed[index]);
}

function describeWaiting({ job_run_id, flow_name, waiting }: RunFacts): Overview['waiting'][number] {
  const [{ operator, code, message, since } = { operator: '', code: '', message: '', since: '' }] =
    listOutages(waiting);
  return { job_run_id, flow_name, operator, code, message, since };
}

async function findSkipping(
  flows: readonly FlowRecord[],
  { services }: RequestContext,
): Promise<Overview['skipping_schedules']> {
  try {
    const schedules = await services.schedules.listByFlows(
      flows.map(({ flow_id }) => flow_id),
      maxFlows,
    );
    const names = new Map(flows.map(({ flow_id, flow_name }) => [flow_id, flow_name]));
    return schedules
      .filter(({ skipped_runs }) => skipped_runs > 0)
      .slice(0, maxListed)
      .map(({ flow_id, schedule_id, name = '', skipped_runs }) => {
        return { flow_id, flow_name: names.get(flow_id) ?? '', schedule_id, name, skipped_runs };
      });
  } catch (error) {
    if (error instanceof AppError && error.code === 'WORKFLOW_ENGINE_UNAVAILABLE') return null;
    throw error;
  }
}

async function findStale(
  flows: readonly FlowRecord[],
  { services }: RequestContext,
): Promise<Overview['stale_access']> {
  const now = services.clock();
  const flowStates = await Promise.all(
    flows.map(async ({ flow_id, flow_name }) => {
      const states = (await services.accessSyncs.listByFlow(flow_id)).map((sync) => describeAccessSync(sync, now));
      const [oldest] = states
        .filter(({ is_fresh }) => !is_fresh)
        .toSorted((item, other) => other.age_seconds - item.age_seconds);
      if (!oldest) return [];
      const isClosed = states.some(({ is_closed }) => is_closed);
      const { age_seconds, error } = oldest;
      return [{ flow_id, flow_name, age_seconds, is_closed: isClosed, code: error?.code ?? null }];
    }),
  );
  return flowStates.flat().slice(0, maxListed);
}

function sumDay(runs: readonly RunFacts[], total: number, now: Date): Overview['day'] {
  const last = Math.floor(now.getTime() / hourMs);
  const perHour = new Map(Array.from({ length: hours }, (_, index) => [last - hours + 1 + index, 0]));
  const sums = { completed: 0, failed: 0, pages: 0 };
  for (const { totals, ended_at } of runs) {
    sums.completed += totals.completed;
    sums.failed += totals.failed;
    sums.pages += totals.pages;
    const hour = ended_at ? Math.floor(Date.parse(ended_at) / hourMs) : last;
    if (perHour.has(hour)) perHour.set(hour, (perHour.get(hour) ?? 0) + totals.completed);
  }
  return {
    runs: runs.length,
    is_complete: total <= runs.length,
    documents_completed: sums.completed,
    documents_failed: sums.failed,
    pages: sums.pages,
    hours: [...perHour].map(([hour, documents]) => ({
      from: new Date(hour * hourMs).toISOString(),
      documents_completed: documents,
    })),
  };
}

/** The use of models by runs that ended, since reading the reports of 500 runs for each request is slow. */
const endedUsage = new WeakMap<ApiServices, Map<string, ModelUsage>>();
type ModelUsage = ReturnType<typeof sumUsage>;

async function readUsage({ job_run_id: id, ended_at: endedAt }: RunFacts, services: ApiServices): Promise<ModelUsage> {
  const known = endedUsage.get(services) ?? new Map<string, ModelUsage>();
  endedUsage.set(services, known);
  const earlier = known.get(id);
  if (earlier) return earlier;
  const usage = sumUsage(await services.runsStore.readOperatorStats(id));
  const isSettled = endedAt !== null && services.clock().getTime() - Date.parse(endedAt) > settlingMs;
  if (isSettled) known.set(id, usage);
  const [oldest] = known.keys();
  if (known.size > maxKnown && oldest !== undefined) known.delete(oldest);
  return usage;
}

async function sumModels(runs: readonly RunFacts[], { services }: RequestContext): Promise<Overview['models']> {
  const perFlow = new Map<string, Overview['models']['flows'][number]>();
  const nothing = { requests: 0, input_tokens: 0, output_tokens: 0, cost: 0 };
  for (const batch of iterateBatches(runs, maxConcurrent)) {
    const usages = await Promise.all(batch.map((run) => readUsage(run, services)));
    for (const [index, { flow_id, flow_name }] of batch.entries()) {
      const used = usages[index];
      if (!used || used.requests === 0) continue;
      const totals = perFlow.get(flow_id) ?? { flow_id, flow_name, ...nothing };
      perFlow.set(flow_id, {
        ...totals,
        requests: totals.requests + used.requests,
        input_tokens: totals.input_tokens + used.inputTokens,
        output_tokens: totals.output_tokens + used.outputTokens,
        cost: totals.cost + used.cost,
      });
    }
  }
  const flows = [...perFlow.values()].toSorted(
    (item, other) => other.cost - item.cost || other.requests - item.requests,
  );
  const sum = (select: (flow: (typeof flows)[number]) => number) =>
    flows.reduce((total, flow) => total + select(flow), 0);
  return {
    requests: sum(({ requests }) => requests),
    input_tokens: sum(({ input_tokens: tokens }) => tokens),
    output_tokens: sum(({ output_tokens: tokens }) => tokens),
    cost: sum(({ cost }) => cost),
    flows: flows.slice(0, maxListed),
  };
}
