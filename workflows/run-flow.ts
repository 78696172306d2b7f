import {
  CancellationScope,
  CancelledFailure,
  ChildWorkflowCancellationType,
  condition,
  ContinueAsNew,
  continueAsNew,
  executeChild,
  isCancellation,
  log,
  type SearchAttributes,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { type PlannedOperator, findReachable, type Stage } from '../model/flow/plan';
import {
  type BatchReport,
  type IngestReport,
  buildPartName,
  type RunFlowInput,
  type RunOutcome,
  type RunProgress,
  type RunState,
} from '../model/run/run';
import type { SearchAttribute } from '../model/run/search-attributes';
import { callWholeOperator, runActivities } from './activities';
import { endOnFailure, toFailure, createRunFailure } from './failures';
import { addReport, describeProgress, createEmptyProgress, chooseOutcome, summarize } from './progress';
import { forgetFailedBatches, takeNextRetry, takeReport } from './retries';
import { runBatch } from './run-batch';
import { getConcurrency, takeMessages } from './run-controls';
import { runWithinTimeLimit } from './time-limit';
import { endAllWaits, endWaits } from './waits';

/** Number of child workflows after which the run continues as new, so that its history stays bounded. */
const batchesPerHistory = 200;

/**
 * One run of a flow; the workflow has the job run id. Lists the sources, sends the parts through the stages in a sliding window
 * of batches, and records the outcome whatever happens.
 */
export async function runFlow(input: RunFlowInput): Promise<RunOutcome> {
  const progress = input.progress ?? createEmptyProgress();
  const window: BatchWindow = { fill: () => undefined };
  takeMessages(input, progress, () => {
    show(input, progress);
    window.fill();
  });
  try {
    const more = await runWithinTimeLimit(input, async () => {
      if (!input.progress) await beginRun(input, progress);
      return runStages(input, progress, window);
    });
    if (more) await continueAsNew<typeof runFlow>({ ...input, progress });
    return await finish(input, progress, chooseOutcome(progress), '');
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    if (isCancellation(error)) {
      await finish(input, progress, 'CANCELED', 'Cancelled by request.');
      throw error;
    }
    const { code, message } = toFailure(error);
    log.error('The run failed', { code, message });
    await finish(input, progress, 'FAILED', `${code}: ${message}`);
    throw createRunFailure(code, message);
  }
}

async function beginRun(input: RunFlowInput, progress: RunProgress): Promise<void> {
  await runActivities.acquire_job({ runId: input.runId, jobId: input.jobId });
  await runActivities.open_run({ runId: input.runId });
  if (input.seed) {
    const seeded = await runActivities.seed_run({ runId: input.runId });
    progress.parts = seeded.parts;
    progress.totals.documents = seeded.documents;
    progress.warnings.push(...seeded.warnings);
    show(input, progress);
    return;
  }
  for (const [index, source] of input.plan.sources.entries()) {
    const report = await ingest(input, source, buildSourcePrefix(input, index));
    progress.parts.push(report.parts);
    progress.totals.documents += report.unchanged + report.added + report.changed + report.failed;
    progress.totals.skipped += report.unchanged;
    progress.totals.failed += report.failed;
    progress.totals.withheld = (progress.totals.withheld ?? 0) + (report.withheld ?? 0);
    addReport(progress, source.name, report);
    if (input.plan.failFast) endOnFailure(report);
  }
  show(input, progress);
}

async function ingest(input: RunFlowInput, source: PlannedOperator, prefix: string): Promise<IngestReport> {
  return (await callWholeOperator(
    source,
    { runId: input.runId, operator: source.name, inputs: [], part: prefix },
    `list ${source.name}`,
  )) as IngestReport;
}

/** The batches of the stage that runs; `fill` starts as many more as may run now. */
interface BatchWindow {
  fill: () => void;
}

/** Returns true when the history is full and the run must continue as new. */
async function runStages(input: RunFlowInput, progress: RunProgress, window: BatchWindow): Promise<boolean> {
  let started = 0;
  for (; progress.stage < input.plan.stages.length; progress.stage += 1) {
    const stage = input.plan.stages[progress.stage];
    if (!stage) break;
    if (stage.scope === 'table') {
      if (progress.isPaused) await condition(() => !progress.isPaused);
      await runTableStage(input, progress, stage);
      continue;
    }
    const parts = listAllParts(input, progress);
    const quota = Math.min(parts.length, progress.nextPart + batchesPerHistory - started);
    await runWindow({ input, progress, stage, parts, end: quota }, window);
    started += quota - progress.nextPart;
    progress.nextPart = quota;
    if (quota < parts.length) return true;
    progress.nextPart = 0;
    forgetFailedBatches(progress);
  }
  return false;
}

/** Runs an operator that needs all rows in a single activity. The output parts correspond to the input parts. */
async function runTableStage(input: RunFlowInput, progress: RunProgress, stage: Stage): Promise<void> {
  const sources = input.plan.sources.map((_, index) => ({
    prefix: buildSourcePrefix(input, index),
    parts: progress.parts[index] ?? 0,
  }));
  for (const operator of stage.operators) {
    const call = {
      runId: input.runId,
      operator: operator.name,
      inputs: [],
      part: 'all',
      table: { inputs: operator.inputs, sources },
    };
    const report = await callWholeOperator(operator, call, `${operator.name}: all parts`);
    addReport(progress, operator.name, report);
    if (input.plan.failFast) endOnFailure(report);
  }
  show(input, progress);
}

/** The parts of a stage to run, from `progress.nextPart` to `end`. */
interface WindowWork {
  input: RunFlowInput;
  progress: RunProgress;
  stage: Stage;
  parts: SourcePart[];
  end: number;
}

/** Runs as many batches at the same time as the plan or an update allows. The first failure cancels the others. */
async function runWindow(work: WindowWork, window: BatchWindow): Promise<void> {
  const { input, progress, end } = work;
  await CancellationScope.cancellable(async () => {
    const scope = CancellationScope.current();
    const failures: unknown[] = [];
    let next = progress.nextPart;
    let running = 0;
    const isLeft = () => next < end || (progress.retries ?? []).length > 0;
    const isFree = () => isLeft() && running < getConcurrency(input, progress) && failures.length === 0;
    const lane = async () => {
      running += 1;
      try {
        while (isLeft() && running <= getConcurrency(input, progress)) {
          const again = takeNextRetry(progress);
          if (!again) next += 1;
          await runPart(work, again ?? { index: next - 1 });
        }
      } catch (error) {
        failures.push(error);
        scope.cancel();
      } finally {
        running -= 1;
      }
    };
    // An update is handled outside of this scope, whose cancellation must reach its batches.
    window.fill = () =>
      void scope.run(async () => {
        while (isFree()) void lane();
      });
    window.fill();
    // Batches that are being cancelled still record their results.
    await CancellationScope.nonCancellable(() =>
      condition(() => running === 0 && (!isLeft() || failures.length > 0 || scope.consideredCancelled)),
    );
    window.fill = () => undefined;
    if (failures.length === 0 && scope.consideredCancelled) throw new CancelledFailure('The run was cancelled.');
    const cause = failures.find((reason) => !isCancellation(reason)) ?? failures[0];
    if (cause) throw cause;
  });
}

/** Runs a batch, or repeats it for the n-th time if `retry` is set. */
async function runPart(
  { input, progress, stage, parts }: WindowWork,
  { index, retry }: { index: number; retry?: number },
): Promise<void> {
  const part = parts[index];
  if (!part) return;
  const report = await executeBatch(input, progress.stage, stage, { ...part, index, of: parts.length, retry });
  takeReport(progress, index, report);
  endWaits(progress, part.part);
  show(input, progress);
}

interface SourcePart {
  source: string;
  part: string;
}

function listAllParts(input: RunFlowInput, progress: RunProgress): SourcePart[] {
  return input.plan.sources.flatMap((source, index) =>
    Array.from({ length: progress.parts[index] ?? 0 }, (_, position) => ({
      source: source.name,
      part: buildPartName(position, buildSourcePrefix(input, index)),
    })),
  );
}

function buildSourcePrefix(input: RunFlowInput, index: number): string {
  return input.plan.sources.length > 1 ? `s${index}` : '';
}

async function executeBatch(
  input: RunFlowInput,
  stageIndex: number,
  stage: Stage,
  position: SourcePart & { index: number; of: number; retry?: number },
): Promise<BatchReport> {
  const { source, part } = position;
  const reached = findReachable(input.plan, [source, ...(input.seed?.operators ?? [])]);
  const earlier = input.plan.stages
    .slice(0, stageIndex)
    .flatMap(({ operators }) => operators.map(({ name }) => name))
    .filter((name) => reached.has(name));
  return executeChild(runBatch, {
    workflowId: [
      input.readableIds ? buildBatchId(input, stageIndex, position) : `${input.runId}/${stageIndex}/${part}`,
      ...(position.retry === undefined ? [] : [`retry-${position.retry}`]),
    ].join('/'),
    args: [
      {
        runId: input.runId,
        part,
        operators: stage.operators,
        available: [source, ...(input.seed?.operators ?? []), ...earlier],
        settle: stageIndex === input.plan.stages.length - 1 ? source : undefined,
        failFast: input.plan.failFast,
        showsCounts: input.showsCounts,
      },
    ],
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
    staticSummary: `${input.flowName}: part ${position.index + 1} of ${position.of}`,
    memo: workflowInfo().memo,
    searchAttributes: copySharedAttributes(),
  });
}

/**
 * Lets filters by run, flow, project or owner find the batches too. A batch that began with the run's `WaitingFor` or
 * counts would keep them for good.
 */
function copySharedAttributes(): SearchAttributes {
  const { searchAttributes } = workflowInfo();
  const shared: SearchAttribute[] = ['FlowName', 'JobRunId', 'ProjectId', 'Owner'];
  return Object.fromEntries(
    shared.flatMap((name) => (name in searchAttributes ? [[name, searchAttributes[name]]] : [])),
  );
}

/** The id of a batch: that of the run, and its number with as many digits as the last one has. */
function buildBatchId(
  { plan }: RunFlowInput,
  stageIndex: number,
  { index, of }: { index: number; of: number },
): string {
  const stages = plan.stages.filter(({ scope }) => scope === 'row').length;
  const stage = stages > 1 ? [`stage-${stageIndex + 1}`] : [];
  const number = String(index + 1).padStart(Math.max(2, String(of).length), '0');
  return [workflowInfo().workflowId, ...stage, `batch-${number}`].join('/');
}

/** Records the outcome, protected from cancellation. */
async function finish(input: RunFlowInput, progress: RunProgress, state: RunState, message: string) {
  return CancellationScope.nonCancellable(async () => {
    const finished = await runActivities.finish_run({
      runId: input.runId,
      jobId: input.jobId,
      state,
      message,
      totals: progress.totals,
      warnings: progress.warnings,
    });
    progress.totals = finished.totals;
    endAllWaits(progress);
    const { documents, failed } = finished.totals;
    upsertSearchAttributes({ Outcome: [finished.state], Documents: [documents], FailedDocuments: [failed] });
    setCurrentDetails(describeProgress(input.flowName, progress, finished.state, message));
    // The result includes the failed documents too, because the Temporal UI shows it first.
    const { failures, warnings } = progress;
    return { summary: summarize(progress, input.runId), ...finished, failures, warnings };
  });
}

function show(input: RunFlowInput, progress: RunProgress): void {
  setCurrentDetails(describeProgress(input.flowName, progress, 'RUNNING', ''));
  const { documents, failed } = progress.totals;
  const isShown = progress.shown?.documents === documents && progress.shown.failed === failed;
  if (!input.showsCounts || isShown) return;
  progress.shown = { documents, failed };
  upsertSearchAttributes({ Documents: [documents], FailedDocuments: [failed] });
}
