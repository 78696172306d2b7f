import { isFinalGraph } from '../../model/graph/graph-build';
import type { GraphStore } from '../../services/graph/store';

/** How often a running build checks for cancellation. It polls the record because Temporal may be down at that time. */
const pollIntervalMs = 500;

/**
 * Returns the outcome of the work, or CANCELED if the record has become final or was deleted during the work. `given` is the
 * signal of the activity: if it is aborted, the work is aborted too, and its reason is thrown.
 */
export async function untilCancelled<T>(
  { store, id, given }: { store: Pick<GraphStore, 'get'>; id: string; given: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | { state: 'CANCELED' }> {
  const cancelled = watchCancel(store, id);
  try {
    return await work(AbortSignal.any([given, cancelled.signal]));
  } catch (error) {
    given.throwIfAborted();
    if (cancelled.signal.aborted) return { state: 'CANCELED' };
    throw error;
  } finally {
    cancelled.stop();
  }
}

/** Aborts when the record is final or deleted. */
function watchCancel(store: Pick<GraphStore, 'get'>, id: string): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const checkRecord = async () => {
    const graph = await store.get(id);
    if (!graph || isFinalGraph(graph.state)) controller.abort(new Error('The graph was cancelled.'));
  };
  const checkLater = () => {
    timer = setTimeout(() => {
      // Errors are ignored: the next poll tries again.
      void checkRecord()
        .catch(() => undefined)
        .then(() => {
          if (timer && !controller.signal.aborted) checkLater();
        });
    }, pollIntervalMs).unref();
  };
  checkLater();
  return {
    signal: controller.signal,
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
