import { listOperators } from '../../model/flow/plan';
import { maskSecrets } from '../../model/flow/secrets';
import { sumUsage } from '../../model/llm/model-host';
import { listOutages } from '../../model/run/run-waits';
import type { JobRunItem, JobRunReply, NodeStats, RunProgressReply } from '../../model/run/wire';
import { listFinishedOperators } from '../../services/run/finished';
import type { OperatorStats, RunFacts, RunRecord } from '../../services/run/run-record';

const orchestrator = 'Temporal';

/** A run in a list. */
export function toRunItem(run: RunFacts): JobRunItem {
  return {
    ...buildFacts(run),
    ...buildTimes(run.started_at, run.ended_at),
    ...buildCounts(run),
    orchestrator,
    user_id: run.owner,
    ...buildPlainTimes(run),
    ...getWaiting(run),
    ...(run.sample ? { sample: run.sample } : {}),
  };
}

/** A run with the counts of its operators, in plan order. It should not contain secrets, but they are masked anyway. */
export function toRunReply(
  run: RunRecord,
  stats: readonly OperatorStats[],
  { temporalUi, ...extras }: { temporalUi: string; progress: RunProgressReply } & Pick<JobRunReply, 'logs' | 'batches'>,
): JobRunReply {
  const names = listOperators(run.snapshot.plan).map(({ name }) => name);
  const ordered = names.flatMap((name) => stats.find((candidate) => candidate.name === name) ?? []);
  const finished = listFinishedOperators(run.snapshot.plan, stats);
  const nodes = ordered.map((operator) => buildNodeStats(operator, run, finished.has(operator.name)));
  return {
    ...buildFacts(run),
    project_id: run.project_id,
    owner: run.owner,
    ...buildPlainTimes(run),
    warnings: run.warnings,
    metadata: maskSecrets(run.metadata),
    totals: run.totals,
    models: buildModels(ordered),
    ...getWaiting(run),
    ...extras,
    ...(run.sample ? { sample: run.sample } : {}),
    ...(run.rerun ? { rerun_of: run.rerun.run_id } : {}),
    operators: ordered,
    temporal_ui: temporalUi,
    node_sequence: names,
    job_stats: {
      job_id: run.job_id,
      job_run_id: run.job_run_id,
      flow_id: run.flow_id,
      status: run.status,
      message: run.message,
      ...buildTimes(run.started_at, run.ended_at),
      ...buildCounts(run),
      deleted_doc_count: run.totals.deleted,
      total_pages_processed: run.totals.pages,
      orchestrator,
      user_id: run.owner,
      node_stats: Object.fromEntries(nodes.map((node) => [node.node_id, node])),
    },
    node_metadata: nodes.map(
      ({ node_id, operator, node_status, total_docs, docs_completed, failed_docs, skipped_docs }) => ({
        id: node_id,
        operator,
        node_metadata: {
          total_docs_count: total_docs,
          processed_docs: docs_completed + failed_docs + skipped_docs,
          failed_docs_count: failed_docs,
          skipped_docs_count: skipped_docs,
          node_status,
        },
      }),
    ),
  };
}

function buildModels(operators: readonly OperatorStats[]): JobRunReply['models'] {
  const { requests, inputTokens, outputTokens, fromCache, cost } = sumUsage(operators);
  return {
    requests,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    answers_from_cache: fromCache,
    cost: Math.round(cost * 1e9) / 1e9,
  };
}

function buildFacts({ job_run_id, job_id, flow_id, flow_name, status, message }: RunFacts) {
  return { job_run_id, job_id, flow_id, flow_name, status, message };
}

function getWaiting({ waiting }: RunFacts): Pick<JobRunItem, 'waiting'> {
  return waiting ? { waiting: listOutages(waiting) } : {};
}

function buildPlainTimes({ created_at, started_at, ended_at }: RunFacts) {
  return { created_at, started_at, ended_at };
}

function buildCounts({ totals: { documents, completed, failed, skipped } }: RunFacts) {
  return {
    total_docs: documents,
    processed_docs: completed + failed + skipped,
    completed_docs: completed,
    failed_docs: failed,
    skipped_docs: skipped,
  };
}

function buildNodeStats(operator: OperatorStats, run: RunRecord, isFinished: boolean): NodeStats {
  return {
    node_id: operator.name,
    name: operator.name,
    operator: operator.type,
    node_status: getNodeStatus(operator, run, isFinished),
    error: '',
    ...buildTimes(operator.started_at, operator.ended_at),
    time_taken: operator.seconds,
    total_docs: operator.in,
    failed_docs: operator.failed,
    skipped_docs: operator.skipped,
    docs_completed: operator.out,
    docs_completed_count: operator.out,
    node_metadata: operator.metrics,
    batches: operator.parts,
  };
}

function getNodeStatus(operator: OperatorStats, run: RunRecord, isFinished: boolean): string {
  if (run.ended_at === null) return 'RUNNING';
  const isBroken = ['CANCELED', 'FAILED', 'CRASHED'].includes(run.status) && !isFinished;
  if (isBroken && operator.failed === 0) return run.status;
  return operator.failed > 0 ? 'COMPLETED_WITH_ERRORS' : 'COMPLETED';
}

/** Epoch seconds for older clients; `duration` in seconds. */
function buildTimes(started: string | null, ended: string | null) {
  const start = started === null ? null : Date.parse(started) / 1000;
  const end = ended === null ? null : Date.parse(ended) / 1000;
  return {
    start_time: start === null ? null : Math.floor(start),
    end_time: end === null ? null : Math.floor(end),
    duration: start === null || end === null ? null : Math.round((end - start) * 1000) / 1000,
  };
}
