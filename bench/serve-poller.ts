import { parentPort, Worker, workerData } from 'node:worker_threads';
import { createServiceClient } from './serve-client';

/** Measurements of a client that polls one task after the other. */
export interface Polled {
  /** Milliseconds of each poll. */
  milliseconds: number[];
  /** How often a position was higher than one that the same task had before. */
  grew: number;
}
/** Polls in a separate thread, so that the other work of the benchmark does not affect the figures. */
export interface Poller {
  know(id: string): void;
  stop(): Promise<Polled>;
}

const pauseMs = 10;

/** Starts polling as soon as it knows a task. */
export function startPoller(url: string): Poller {
  const worker = new Worker(__filename, { workerData: url });
  const failed = new Promise<never>((_, reject) => worker.once('error', reject));
  failed.catch(() => undefined);
  return {
    know: (id) => worker.postMessage(id),
    stop: () => {
      const polled = new Promise<Polled>((resolve) => worker.once('message', resolve));
      worker.postMessage(null);
      return Promise.race([polled, failed]);
    },
  };
}

async function poll(url: string): Promise<void> {
  const client = createServiceClient(url, 1);
  const ids: string[] = [];
  const lowest = new Map<string, number>();
  const polled: Polled = { milliseconds: [], grew: 0 };
  const over = new AbortController();
  parentPort?.on('message', (id: string | null) => (id === null ? over.abort() : ids.push(id)));
  while (!over.signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const id = ids[Math.floor(Math.random() * ids.length)];
    if (id === undefined) continue;
    const started = performance.now();
    const { task_position } = await client.get(id);
    polled.milliseconds.push(performance.now() - started);
    const position = task_position ?? 0;
    if (position > (lowest.get(id) ?? Infinity)) polled.grew += 1;
    lowest.set(id, position);
  }
  client.close();
  parentPort?.postMessage(polled);
  parentPort?.close();
}

if (typeof workerData === 'string') void poll(workerData);
