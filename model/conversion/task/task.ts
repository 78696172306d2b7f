import { type Static, Type } from '@sinclair/typebox';
import { oneOf, nullable } from '../request/schema-parts';

/** The kinds of tasks. */
const taskTypes = ['convert', 'chunk'] as const;
export type TaskType = (typeof taskTypes)[number];

/** The states of a task, in order; the last two are final. */
export const taskStates = ['pending', 'started', 'success', 'failure'] as const;
export type TaskState = (typeof taskStates)[number];

/** True when the state can no longer change. */
export function isFinalTask(state: TaskState): boolean {
  return state === 'success' || state === 'failure';
}

/** Categories of errors that make a document or task fail. */
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

/** What each category means, for readers who may not see the message of a document. */
export const categoryTexts: Readonly<Record<ErrorCategory, string>> = {
  policy: 'The settings of this server, or the options of the request, do not allow it.',
  capacity: 'The server has no capacity for it at the moment.',
  source_unavailable: 'The document could not be fetched from its source.',
  target_unavailable: 'The result could not be delivered to its target.',
  timeout: 'The time limit was reached.',
  internal: 'An unexpected error occurred.',
  backend_failure: 'The document is damaged, protected, too large, or of a kind that cannot be read.',
  inference_failure: 'A model failed, or could not be reached.',
  unknown: 'The cause is unknown.',
};

export function isErrorCategory(value: unknown): value is ErrorCategory {
  return errorCategories.some((category) => category === value);
}

/** Document counts of a task, during and after its run. */
export const TaskMeta = Type.Object(
  {
    num_docs: Type.Integer(),
    num_processed: Type.Integer(),
    num_succeeded: Type.Integer(),
    num_partially_succeeded: Type.Integer(),
    num_failed: Type.Integer(),
    num_pages: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Pages of the documents that are being read. Only while a document with pages takes longer than a second.',
      }),
    ),
    num_pages_processed: Type.Optional(
      Type.Integer({ minimum: 0, description: 'How many of these pages are done. At most one change a second.' }),
    ),
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

/** A task in replies to submission, polling, listing and on the socket. All seven members are always present. */
export const TaskDescriptor = Type.Object(
  {
    task_id: Type.String({ format: 'uuid' }),
    task_type: oneOf(taskTypes),
    task_status: oneOf(taskStates),
    task_position: nullable(Type.Integer({ minimum: 1 }), {
      description: 'Position in the queue, from 1; null once the task has started.',
    }),
    task_meta: nullable(TaskMeta),
    error_message: nullable(Type.String()),
    failure: nullable(TaskFailure),
  },
  { $id: 'TaskStatusResponse' },
);
export type TaskDescriptor = Static<typeof TaskDescriptor>;

/** A task in a list: its descriptor, and the members that distinguish tasks. */
export const ListedTask = Type.Composite(
  [
    TaskDescriptor,
    Type.Object({
      document_name: Type.Optional(
        Type.String({ description: 'The first file, or the host or bucket of the first source.' }),
      ),
      created_at: Type.String({ format: 'date-time' }),
    }),
  ],
  { $id: 'ListedTask' },
);
export type ListedTask = Static<typeof ListedTask>;

/** Tasks of a tenant, newest first. */
export const TaskPage = Type.Object(
  { tasks: Type.Array(ListedTask), total: Type.Integer(), limit: Type.Integer(), offset: Type.Integer() },
  { $id: 'TaskPage' },
);
export type TaskPage = Static<typeof TaskPage>;
