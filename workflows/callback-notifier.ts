import type { CallbackEvent } from '../model/conversion/task/work';

/** Notifies the callbacks of a task of its events, in order, without delaying the work. */
export interface CallbackNotifier {
  /** Starts the notifications. */
  open(documents: number): void;
  document(index: number): void;
  /** Sends the last two events. */
  finish(): void;
  /** Resolves when everything was sent. */
  done(): Promise<void>;
}

/** Maximum indexes per event, so that events stay small. */
const maxDocuments = 100;

/** Events are collected while earlier ones are being sent. Failures of `tell` are ignored: callbacks are best effort. */
export function createCallbackNotifier(
  tell: ((events: CallbackEvent[]) => Promise<void>) | undefined,
): CallbackNotifier {
  const queue: CallbackEvent[] = [];
  let documents: number | undefined;
  let reportedCount = 0;
  let isFinished = false;
  let running: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (queue.length > 0) await tell?.(queue.splice(0)).catch(() => undefined);
    running = undefined;
  }
  function push(event: CallbackEvent): void {
    queue.push(event);
    running ??= drain();
  }
  return {
    open(count) {
      documents = count;
      push({ kind: 'set_num_docs', total: count });
    },
    document(index) {
      if (documents === undefined) return;
      const last = queue.at(-1);
      if (last?.kind === 'document_completed' && last.indexes.length < maxDocuments) last.indexes.push(index);
      else push({ kind: 'document_completed', indexes: [index], before: reportedCount, total: documents });
      reportedCount += 1;
    },
    finish() {
      if (documents === undefined || isFinished) return;
      isFinished = true;
      push({ kind: 'update_processed' });
      push({ kind: 'task_completed' });
    },
    done: async () => running,
  };
}
