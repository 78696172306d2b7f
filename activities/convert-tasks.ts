import type { ConvertEnd, ConvertInput, ConvertPlan } from '../model/conversion/work';
import { AppError } from '../model/errors';
import { taskFailure } from '../services/conversion-problems';
import type { TaskRecord } from '../services/conversion-record';
import { conduct } from './conduct';
import type { ConvertActivities } from './convert-activities';
import { createTaskCancels } from './convert-cancels';
import { type ConvertDeps, processId } from './convert-deps';
import { convertDocument, giveUp } from './convert-document';
import { createTaskProgress } from './convert-progress';
import { createOpenTasks, lightOf, type OpenTask, type OpenTasks } from './convert-sources';

/** Formats that there is a writer for. */
const writable = new Set(['md', 'json', 'html', 'text', 'doctags', 'chunks']);

/** The activities of conversion tasks. */
export function createConvertActivities(deps: ConvertDeps): ConvertActivities {
  const tasks = createOpenTasks(deps);
  const cancels = createTaskCancels(deps.events);
  const progress = createTaskProgress(deps);
  const open = async (taskId: string): Promise<OpenTask> => {
    const task = await tasks.get(taskId);
    // The task was ended from outside: there is nothing left to do.
    if (!task) throw new AppError('CONVERSION_TASK_NOT_FOUND', `The task ${taskId} has ended.`);
    return task;
  };
  return {
    begin_conversion: (input) => conduct(() => begin(deps, tasks, input)),
    list_conversion_sources: () => Promise.reject(new Error('not yet')),
    convert_document: (call) =>
      conduct(async (signal) => {
        const task = await open(call.taskId);
        const outcome = await cancels.during(call.taskId, signal, (both) => convertDocument(deps, task, call, both));
        if (task.sources.length > 1) progress.note(task.id, task.tenant);
        return outcome;
      }),
    give_up_document: ({ taskId, index, message }) =>
      conduct(async () => giveUp(deps, await open(taskId), index, message)),
    deliver_conversion: () => Promise.reject(new Error('not yet')),
    tell_callbacks: () => Promise.reject(new Error('not yet')),
    finish_conversion: (end) => conduct(() => finish(deps, tasks, end)),
  };
}

async function begin(deps: ConvertDeps, tasks: OpenTasks, { taskId }: ConvertInput): Promise<ConvertPlan> {
  const { task, fresh } = await deps.store.begin(taskId);
  if (!task?.request) return over;
  if (fresh) deps.events.publish({ task: taskId, tenant: task.tenant, kind: 'begun' });
  const listing = task.expandable && task.documents === null;
  if (listing) return { ...planOf(task, undefined), listing: true };
  const plan = planOf(task, await tasks.keep(task));
  return fresh ? { ...plan, freshFor: processId } : plan;
}

const over: ConvertPlan = {
  over: true,
  documents: 0,
  light: '',
  abortOnError: false,
  callbacks: false,
  deliver: false,
  needsOutput: false,
};

/** What the workflow does with the task; `open` is absent while the documents are not known. */
export function planOf({ request, packaging }: TaskRecord, open: OpenTask | undefined): ConvertPlan {
  if (!request) return over;
  const { kind } = request.target;
  const formats: readonly string[] = request.task_type === 'chunk' ? ['chunks'] : request.options.to_formats;
  return {
    documents: open?.sources.length ?? 0,
    light: open ? lightOf(open.sources) : '',
    abortOnError: request.options.abort_on_error,
    callbacks: request.callbacks.length > 0,
    deliver: kind === 'put' || kind === 's3' || kind === 'presigned_url',
    needsOutput: packaging !== 'inbody',
    ...(packaging !== 'inbody' && !formats.some((format) => writable.has(format))
      ? { impossible: `None of the formats ${formats.join(', ')} can be written.` }
      : {}),
  };
}

async function finish(deps: ConvertDeps, tasks: OpenTasks, end: ConvertEnd): Promise<void> {
  const { taskId, state, counts, message, failure } = end;
  const { task } = await deps.store.end(taskId, {
    state,
    ...(counts ? { counts } : {}),
    ...(message === undefined ? {} : { error_message: message, failure: failure ?? taskFailure('internal', message) }),
  });
  tasks.forget(taskId);
  if (!task) return;
  for (const prefix of task.uploads) await deps.files.removePrefix(prefix);
}
