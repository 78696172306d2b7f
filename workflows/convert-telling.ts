import type { CallbackEvent } from '../model/conversion/task/work';

/** Tells callbacks of a task what happens, in order, without holding up the work. */
export interface Telling {
  /** From now on there is somebody to tell. */
  open(documents: number): void;
  document(index: number): void;
  /** The last two events. */
  finish(): void;
  /** Resolves when everything was told. */
  done(): Promise<void>;
}

/** Indexes that one event may hold, so that it stays small. */
const mostDocuments = 100;

/** Events gather while earlier ones are under way. Trouble of `tell` ends nothing: a callback is a courtesy. */
export function createTelling(tell: ((events: CallbackEvent[]) => Promise<void>) | undefined): Telling {
  const queue: CallbackEvent[] = [];
  let documents: number | undefined;
  let told = 0;
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
      if (last?.kind === 'document_completed' && last.indexes.length < mostDocuments) last.indexes.push(index);
      else push({ kind: 'document_completed', indexes: [index], before: told, total: documents });
      told += 1;
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
