import { getServiceName } from '../../formats/format';
import { findFormat } from '../../formats/list';
import type { CallbackEvent } from '../../model/conversion/task/work';
import { listIndexes } from '../../services/conversion/documents';
import type { DocumentRecord, TaskSummary } from '../../services/conversion/record';
import { getClientTaskId } from '../../services/conversion/task-ids';
import type { ConvertDeps } from './deps';

/**
 * Sends the events of a task to each of its callbacks, in order. Callbacks do not wait for each other. A callback that cannot be reached
 * misses these events. After the last event the callbacks are deleted.
 */
export async function notifyCallbacks(
  deps: Pick<ConvertDeps, 'store' | 'callbacks'>,
  taskId: string,
  events: readonly CallbackEvent[],
  signal: AbortSignal,
): Promise<void> {
  const task = await deps.store.get(taskId);
  if (!task || task.callbacks.length === 0) return;
  const messages: unknown[] = [];
  for (const event of events)
    for (const progress of await readProgress(deps.store, task, event))
      messages.push({ task_id: getClientTaskId(task), progress });
  await Promise.all(
    task.callbacks.map(async (callback) => {
      for (const message of messages) if (!(await deps.callbacks.send(callback, message, signal))) return;
    }),
  );
  if (events.some(({ kind }) => kind === 'task_completed')) await deps.store.forgetCallbacks(taskId);
}

async function readProgress(
  store: ConvertDeps['store'],
  task: TaskSummary,
  event: CallbackEvent,
): Promise<Record<string, unknown>[]> {
  const { num_processed, num_succeeded, num_partially_succeeded, num_failed } = task.counts;
  const counts = { num_processed, num_succeeded, num_partially_succeeded, num_failed };
  switch (event.kind) {
    case 'set_num_docs':
      return [{ kind: event.kind, num_docs: event.total }];
    case 'document_completed': {
      const records = new Map(
        (await store.listDocuments(task._id, event.indexes)).map((record) => [record.index, record]),
      );
      return event.indexes.flatMap((index, place) => {
        const record = records.get(index);
        if (!record) return [];
        const total_processed = event.before + place + 1;
        return [{ kind: event.kind, document: buildDocument(record), total_processed, total_docs: event.total }];
      });
    }
    case 'update_processed': {
      const docs = (await store.listDocuments(task._id, listIndexes(task.documents ?? 0))).map((record) => ({
        source: record.source_uri,
        status: record.status,
        error: getError(record),
      }));
      return [{ kind: event.kind, ...counts, docs }];
    }
    case 'task_completed':
      return [
        {
          kind: event.kind,
          task_status: task.state,
          error_message: task.error_message,
          failure: task.failure,
          num_docs: task.counts.num_docs,
          ...counts,
        },
      ];
  }
}

function buildDocument(record: DocumentRecord): Record<string, unknown> {
  return {
    source: record.source_uri,
    status: record.status,
    document_type: getServiceNameOfFormat(record.format),
    num_pages: record.pages,
    num_characters: record.characters,
    num_tables: record.tables,
    num_pictures: record.pictures,
    processing_time: record.processing_time,
    doc_hash: record.hash,
    error: getError(record),
  };
}

/** Receivers accept only the format names of the service. */
function getServiceNameOfFormat(name: string | null): string | null {
  const format = name === null ? undefined : findFormat(name);
  return format ? getServiceName(format) : null;
}

function getError({ errors }: DocumentRecord): string | null {
  return errors[0]?.error_message ?? null;
}
