import { Context } from '@temporalio/activity';
import type { ConvertActivities, DocumentCall } from '../../model/conversion/task/activities';
import type { ConvertEnd, ConvertInput, ConvertPlan, DocumentOutcome } from '../../model/conversion/task/work';
import { AppError } from '../../model/errors';
import type { PageCount } from '../../model/page/page-count';
import { buildPagesPrefix } from '../../services/conversion/files';
import { createTaskFailure } from '../../services/conversion/problems';
import { type Pulse, runActivityWork } from '../conduct';
import { createOutageReport } from '../waits';
import { notifyCallbacks } from './callbacks';
import { createTaskCancels } from './cancels';
import { type ConvertDeps, processId } from './deps';
import { convertDocument, recordFailure } from './document';
import { buildMembersPrefix } from './member-sources';
import { createSingleDocumentEnd, isSingleStep, nothingToDo, buildPlan } from './plan';
import { createTaskProgress } from './progress';
import { createOpenTasks, type OpenTask, type OpenTasks } from './sources';
import { deliver, listSources } from './targets';

const reportOutageOf = (index: number) => createOutageReport(String(index));

/** The activities of conversion tasks. */
export function createConvertActivities(deps: ConvertDeps): ConvertActivities {
  const tasks = createOpenTasks(deps);
  const cancels = createTaskCancels(deps.store);
  const progress = createTaskProgress(deps.store, processId);
  const open = async (taskId: string): Promise<OpenTask> => {
    const task = await tasks.get(taskId);
    // The task was ended from outside, so nothing is left to do.
    if (!task) throw new AppError('CONVERSION_TASK_NOT_FOUND', `The task ${taskId} has ended.`);
    return task;
  };
  const convert = async (call: DocumentCall, signal: AbortSignal, pulse: Pulse): Promise<DocumentOutcome> => {
    const task = await open(call.taskId);
    const done = (outcome: DocumentOutcome) => {
      if (task.sources.length > 1) progress.note(task.id, outcome);
    };
    const { log } = Context.current();
    const continued = (pages: number) =>
      log.warn('The conversion continues after pages that an earlier attempt has read', { pages, index: call.index });
    const pages = (count: PageCount | undefined) => {
      pulse.pages = count;
      progress.notePages(task.id, call.index, count);
    };
    return cancels.during(call.taskId, signal, (both) =>
      convertDocument(deps, task, call, { signal: both, done, continued, pages }),
    );
  };
  return {
    begin_conversion: (input) =>
      runActivityWork(async (signal, pulse) => {
        const plan = await beginTask(deps, tasks, input);
        if (!isSingleStep(plan)) return plan;
        const { freshFor } = plan;
        const call = { taskId: input.taskId, index: 0, ...(freshFor === undefined ? {} : { freshFor }) };
        const outcome = await convert(call, signal, pulse);
        const end = createSingleDocumentEnd(call.taskId, outcome);
        await finish(deps, tasks, end);
        const failures = end.counts.num_failed > 0 ? [outcome] : [];
        return { ...plan, over: true, counts: end.counts, failures };
      }, createOutageReport()),
    list_conversion_sources: ({ taskId }) =>
      runActivityWork((signal) => listSources(deps, tasks, taskId, signal), createOutageReport()),
    convert_document: (call) =>
      runActivityWork((signal, pulse) => convert(call, signal, pulse), reportOutageOf(call.index)),
    give_up_document: ({ taskId, index, message }) =>
      runActivityWork(async () => recordFailure(deps, await open(taskId), index, message), reportOutageOf(index)),
    deliver_conversion: ({ taskId }) =>
      runActivityWork(async (signal) => {
        const task = await open(taskId);
        return cancels.during(taskId, signal, (both) => deliver(deps, task, both));
      }, createOutageReport()),
    tell_callbacks: ({ taskId, events }) => runActivityWork((signal) => notifyCallbacks(deps, taskId, events, signal)),
    finish_conversion: (end) =>
      runActivityWork(async () => {
        progress.forget(end.taskId);
        await finish(deps, tasks, end);
      }, createOutageReport()),
  };
}

async function beginTask(deps: ConvertDeps, tasks: OpenTasks, { taskId }: ConvertInput): Promise<ConvertPlan> {
  const { task, fresh } = await deps.store.begin(taskId);
  if (!task?.request)
    // An earlier attempt may have ended the task, without its workflow knowing.
    return task?.state === 'success' ? { ...nothingToDo, counts: task.counts } : nothingToDo;
  const listing = task.expandable && task.documents === null;
  if (listing) return { ...buildPlan(task, undefined), listing: true };
  const plan = buildPlan(task, await tasks.keep(task));
  return fresh ? { ...plan, freshFor: processId } : plan;
}

async function finish(deps: ConvertDeps, tasks: OpenTasks, end: ConvertEnd): Promise<void> {
  const { taskId, state, counts, message, failure } = end;
  const { task } = await deps.store.end(taskId, {
    state,
    ...(counts ? { counts } : {}),
    ...(message === undefined
      ? {}
      : { error_message: message, failure: failure ?? createTaskFailure('internal', message) }),
  });
  tasks.forget(taskId);
  if (!task) return;
  // A document removes its own pages when it gets its result.
  if (state === 'failure' || counts?.num_failed !== 0) await deps.files.removePrefix(buildPagesPrefix(taskId));
  if (task.expandable) await deps.files.removePrefix(buildMembersPrefix(taskId));
  for (const prefix of task.uploads) await deps.files.removePrefix(prefix);
}
