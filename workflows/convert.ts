import {
  ActivityCancellationType,
  CancellationScope,
  CancelledFailure,
  ChildWorkflowCancellationType,
  executeChild,
  isCancellation,
  patched,
  log,
  proxyActivities,
  proxyLocalActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { ConvertActivities } from '../model/conversion/task/activities';
import type { TaskFailure } from '../model/conversion/task/task';
import type {
  ConvertEnd,
  ConvertInput,
  ConvertPartInput,
  ConvertPlan,
  ConvertProgress,
  ConvertReport,
  DocumentOutcome,
} from '../model/conversion/task/work';
import { repeatLostWork } from './activities';
import { createCallbackNotifier, type CallbackNotifier } from './callback-notifier';
import { ConversionView } from './conversion-view';
import { toFailure, createRunFailure } from './failures';

/** Number of documents of a task that are converted at the same time. */
const maxConcurrentDocuments = 32;
/** Larger tasks are split into child workflows, so that no history grows without limit. */
const maxInOneHistory = 500;
const partSize = 200;
const maxConcurrentParts = 4;
/** Maximum failures in the message of a task. */
const maxNamedFailures = 5;

const localActivities = proxyLocalActivities<ConvertActivities>({
  startToCloseTimeout: '1h',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s', maximumAttempts: 50 },
});
/**
 * Local activities are short and never cancelled: one that ends while it is being cancelled would break its workflow task.
 * Activities of a task that has ended notice that themselves.
 */
const runLocally = <T>(work: (activities: typeof localActivities) => Promise<T>): Promise<T> =>
  CancellationScope.nonCancellable(() => work(localActivities));
const createRemote = (maximumAttempts = 5) =>
  proxyActivities<ConvertActivities>({
    startToCloseTimeout: '8d',
    heartbeatTimeout: '10s',
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s', maximumAttempts },
  });
const remote = createRemote();
/** Calls an activity that is repeated if its worker hangs. */
const runRemotely = <T>(work: (activities: typeof remote) => Promise<T>): Promise<T> =>
  repeatLostWork((maximumAttempts) => work(maximumAttempts === undefined ? remote : createRemote(maximumAttempts)));

/**
 * Runs one conversion task; the workflow has the task's id. Converts the documents in a sliding window, sends the result to its
 * targets and records the outcome whatever happens. Small documents are converted in local activities, so a small task is a
 * single workflow task.
 */
export async function convert({ taskId, showsCounts = false }: ConvertInput): Promise<ConvertReport | undefined> {
  const view = new ConversionView(showsCounts);
  const notifier = createCallbackNotifier((events) =>
    // Receivers of the start event also get the end event, even after a cancellation.
    CancellationScope.nonCancellable(() => remote.tell_callbacks({ taskId, events })),
  );
  let end: ConvertEnd;
  try {
    const plan = await runLocally((activities) => activities.begin_conversion({ taskId }));
    if (plan.over)
      return plan.counts && view.end('success', '', { counts: plan.counts, failures: plan.failures ?? [] });
    const done = await run({ taskId, begun: plan, showsCounts }, notifier, view);
    await runLocally((activities) => activities.finish_conversion(done));
    end = done;
    notifier.finish();
    await notifier.done();
  } catch (error) {
    const { message } = toFailure(error);
    const isCancelled = isCancellation(error);
    if (!isCancelled) log.error('The task failed', { message });
    await CancellationScope.nonCancellable(async () => {
      await localActivities.finish_conversion({
        taskId,
        state: 'failure',
        message: isCancelled ? cancelledMessage : message,
      });
      notifier.finish();
      await notifier.done();
    });
    view.end(isCancelled ? 'cancelled' : 'failure', isCancelled ? cancelledMessage : message);
    throw isCancelled ? error : createRunFailure('CONVERSION_FAILED', message);
  }
  const report = view.end(end.state, end.message);
  if (end.state === 'failure') throw createRunFailure('CONVERSION_FAILED', end.message ?? '');
  return report;
}

const cancelledMessage = 'The task was cancelled by request.';

async function run(
  { taskId, begun, showsCounts }: { taskId: string; begun: ConvertPlan; showsCounts: boolean },
  notifier: CallbackNotifier,
  view: ConversionView,
): Promise<ConvertEnd> {
  let plan = begun;
  if (begun.listing) {
    try {
      plan = await runRemotely((activities) => activities.list_conversion_sources({ taskId }));
    } catch (error) {
      if (isCancellation(error)) throw error;
      const cause = { category: 'source_unavailable', phase: 'source_enumeration' } as const;
      return createFailure({ taskId, plan: begun, progress: createEmptyProgress(0) }, toFailure(error).message, cause);
    }
  }
  if (plan.callbacks) notifier.open(plan.documents);
  if (plan.impossible !== undefined)
    return createFailure({ taskId, plan, progress: createEmptyProgress(plan.documents) }, plan.impossible);
  const progress = createEmptyProgress(plan.documents);
  view.follow(progress);
  const onDone = (index: number) => {
    notifier.document(index);
    view.note(index);
  };
  const whole = { taskId, plan, from: 0, to: plan.documents, showsCounts };
  const stopped = await (plan.documents > maxInOneHistory
    ? convertInParts(whole, progress, onDone)
    : convertRange(whole, progress, onDone));
  if (stopped) return createFailure({ taskId, plan, progress }, `abort_on_error: ${joinReasons([stopped])}`, stopped);
  const { num_succeeded, num_partially_succeeded } = progress.counts;
  if (plan.needsOutput && plan.documents > 0 && num_succeeded + num_partially_succeeded === 0) {
    const message = `No document could be converted: ${joinReasons(progress.failures)}`;
    return createFailure({ taskId, plan, progress }, message, progress.failures[0]);
  }
  if (plan.deliver) {
    try {
      await runRemotely((activities) => activities.deliver_conversion({ taskId }));
    } catch (error) {
      if (isCancellation(error)) throw error;
      const { message } = toFailure(error);
      return createFailure({ taskId, plan, progress }, message, { category: 'target_unavailable' });
    }
  }
  return { taskId, state: 'success', counts: progress.counts };
}

/** A part of a large task, as a child workflow. `stopped` is the document that ended it, with `abort_on_error`. */
export async function convertPart(input: ConvertPartInput): Promise<ConvertProgress & { stopped?: DocumentOutcome }> {
  const view = new ConversionView(input.showsCounts ?? false);
  const progress = createEmptyProgress(input.to - input.from);
  view.follow(progress);
  const stopped = await convertRange(input, progress, (index) => view.note(index)).catch((error: unknown) => {
    view.stop();
    throw error;
  });
  view.end('success');
  return { ...progress, ...(stopped ? { stopped } : {}) };
}

/** Converts documents in order, up to `maxConcurrentDocuments` at a time. Returns the document that ended the task, if any. */
async function convertRange(
  { taskId, plan, from, to }: ConvertPartInput,
  progress: ConvertProgress,
  onDone: (index: number) => void,
): Promise<DocumentOutcome | undefined> {
  let next = from;
  let stopped: DocumentOutcome | undefined;
  const scope = new CancellationScope({ cancellable: true });
  const work = async () => {
    while (next < to && !stopped) {
      const index = next;
      next += 1;
      if (scope.consideredCancelled) throw new CancelledFailure(cancelledMessage);
      const outcome = await convertOne(taskId, plan, index, from);
      addOutcome(progress, outcome);
      onDone(outcome.index);
      if (plan.abortOnError && isFailure(outcome)) {
        stopped ??= outcome;
        scope.cancel();
      }
    }
  };
  try {
    await scope.run(() => Promise.all(Array.from({ length: Math.min(maxConcurrentDocuments, to - from) }, work)));
  } catch (error) {
    if (!stopped || !isCancellation(error)) throw error;
  }
  return stopped;
}

async function convertOne(
  taskId: string,
  { light, freshFor }: ConvertPlan,
  index: number,
  from: number,
): Promise<DocumentOutcome> {
  const call = { taskId, index, ...(freshFor === undefined ? {} : { freshFor }) };
  try {
    const isLight = light[index - from] === '1';
    return await (isLight
      ? runLocally((activities) => activities.convert_document(call))
      : runRemotely((activities) => activities.convert_document(call)));
  } catch (error) {
    const { code, message } = toFailure(error);
    if (isCancellation(error) || code === 'CONVERSION_TASK_NOT_FOUND') throw error;
    return runLocally((activities) => activities.give_up_document({ taskId, index, message }));
  }
}

async function convertInParts(
  { taskId, plan, showsCounts }: ConvertPartInput,
  progress: ConvertProgress,
  onDone: (index: number) => void,
): Promise<DocumentOutcome | undefined> {
  const parts = Math.ceil(plan.documents / partSize);
  let next = 0;
  let stopped: DocumentOutcome | undefined;
  const scope = new CancellationScope({ cancellable: true });
  const work = async () => {
    while (next < parts && !stopped) {
      const part = next;
      next += 1;
      const from = part * partSize;
      const to = Math.min(from + partSize, plan.documents);
      const report = await executeChild(convertPart, {
        workflowId: [workflowInfo().workflowId, showsCounts ? buildPartName(part, parts) : part].join('/'),
        args: [{ taskId, plan: { ...plan, light: plan.light.slice(from, to) }, from, to, showsCounts }],
        staticSummary: showsCounts ? `documents ${from + 1} to ${to}` : undefined,
        cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      });
      addPart(progress, report);
      for (const index of report.done) onDone(index);
      if (!report.stopped) continue;
      stopped ??= report.stopped;
      scope.cancel();
    }
  };
  let running: Promise<void>[] = [];
  try {
    await scope.run(() => Promise.all((running = Array.from({ length: Math.min(maxConcurrentParts, parts) }, work))));
  } catch (error) {
    // The first part that is cancelled ends the waiting. The others would be terminated, and their attributes stay as they are.
    if (patched('all-parts-end')) await Promise.allSettled(running);
    if (!stopped || !isCancellation(error)) throw error;
  }
  return stopped;
}

/** As in `part-03`, with as many digits as the last part has. */
function buildPartName(part: number, parts: number): string {
  return `part-${String(part + 1).padStart(Math.max(2, String(parts).length), '0')}`;
}

function createEmptyProgress(documents: number): ConvertProgress {
  return {
    counts: {
      num_docs: documents,
      num_processed: 0,
      num_succeeded: 0,
      num_partially_succeeded: 0,
      num_failed: 0,
    },
    failures: [],
    done: [],
  };
}

function isFailure({ status }: DocumentOutcome): boolean {
  return status === 'failure' || status === 'skipped';
}

function addOutcome(progress: ConvertProgress, outcome: DocumentOutcome): void {
  const { counts, failures, done } = progress;
  counts.num_processed += 1;
  if (outcome.status === 'success') counts.num_succeeded += 1;
  else if (outcome.status === 'partial_success') counts.num_partially_succeeded += 1;
  else counts.num_failed += 1;
  if (isFailure(outcome) && failures.length < maxNamedFailures) failures.push(outcome);
  done.push(outcome.index);
}

function addPart(progress: ConvertProgress, part: ConvertProgress): void {
  for (const name of ['num_processed', 'num_succeeded', 'num_partially_succeeded', 'num_failed'] as const)
    progress.counts[name] += part.counts[name];
  progress.failures.push(...part.failures.slice(0, maxNamedFailures - progress.failures.length));
}

function joinReasons(failures: readonly DocumentOutcome[]): string {
  return failures.map(({ index, message }) => message ?? `document ${index}`).join('; ');
}

function createFailure(
  { taskId, plan, progress }: { taskId: string; plan: ConvertPlan; progress: ConvertProgress },
  message: string,
  cause?: Pick<DocumentOutcome, 'category'> & { phase?: TaskFailure['phase'] },
): ConvertEnd {
  const category = cause?.category ?? 'policy';
  const retryable = ['capacity', 'timeout', 'source_unavailable', 'target_unavailable', 'internal'].includes(category);
  const size = plan.documents > maxInOneHistory ? 'large' : 'normal';
  return {
    taskId,
    state: 'failure',
    counts: progress.counts,
    message,
    failure: { category, message, retryable, phase: cause?.phase ?? 'execution', details: { task_size: size } },
  };
}
