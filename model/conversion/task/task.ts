import { type Static, Type } from '@sinclair/typebox';
import { oneOf, orNull } from '../request/schema-parts';

/** What a task does. */
const taskTypes = ['convert', 'chunk'] as const;
export type TaskType = (typeof taskTypes)[number];

/** The states of a task in their order; the last two are final. */
export const taskStates = ['pending', 'started', 'success', 'failure'] as const;
export type TaskState = (typeof taskStates)[number];

/** True when the task will not change any more. */
export function isFinalTask(state: TaskState): boolean {
  return state === 'success' || state === 'failure';
}

/** What kind of trouble made a document or a task fail. */
export const errorCategories = [
  'policy',
  'capacity',
  'source_unavailable',
  'target_unavailable',
  'timeout',
  'internal',
  'backend_failure',
  'inference_failure',
  'unknown',
] as const;
export type ErrorCategory = (typeof errorCategories)[number];

/** Counts of documents of a task, while it runs and after. */
export const TaskMeta = Type.Object(
  {
    num_docs: Type.Integer(),
    num_processed: Type.Integer(),
    num_succeeded: Type.Integer(),
    num_partially_succeeded: Type.Integer(),
    num_failed: Type.Integer(),
  },
  { $id: 'TaskProcessingMeta' },
);
export type TaskMeta = Static<typeof TaskMeta>;

/** Why a task failed. */
export const TaskFailure = Type.Object(
  {
    category: oneOf(errorCategories),
    message: Type.String(),
    retryable: Type.Boolean(),
    phase: oneOf(['admission', 'source_enumeration', 'execution', 'orchestration']),
    details: Type.Record(Type.String(), Type.String()),
  },
  { $id: 'TaskFailure' },
);
export type TaskFailure = Static<typeof TaskFailure>;

/** A task as submission, polling, listing and the socket show it: all seven members, always. */
export const TaskDescriptor = Type.Object(
  {
    task_id: Type.String({ format: 'uuid' }),
    task_type: oneOf(taskTypes),
    task_status: oneOf(taskStates),
    task_position: orNull(Type.Integer({ minimum: 1 }), {
      description: 'One more than the tasks that wait before it; null once it has started.',
    }),
    task_meta: orNull(TaskMeta),
    error_message: orNull(Type.String()),
    failure: orNull(TaskFailure),
  },
  { $id: 'TaskStatusResponse' },
);
export type TaskDescriptor = Static<typeof TaskDescriptor>;

/** Tasks of a tenant, newest first. */
export const TaskPage = Type.Object(
  { tasks: Type.Array(TaskDescriptor), total: Type.Integer(), limit: Type.Integer(), offset: Type.Integer() },
  { $id: 'TaskPage' },
);
export type TaskPage = Static<typeof TaskPage>;
