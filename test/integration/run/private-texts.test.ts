import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { ApplicationFailure } from '@temporalio/activity';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createPrivacy } from '../../../activities/privacy';
import { errorCatalogue } from '../../../model/errors';
import type { GraphActivities } from '../../../model/graph/activities';
import type { GraphOutcome } from '../../../model/graph/graph-build';
import { connectMongo, type Mongo } from '../../../services/storage/mongo';
import { createPrivateTexts, type PrivateTexts } from '../../../services/temporal/private-texts';
import type { buildGraph } from '../../../workflows/build-graph';
import { createDoor, until } from '../../support/system/system';

const reason = 'The invoice of Ms Miller has no total.';
const failed: GraphOutcome = { state: 'FAILED', code: 'GRAPH_EXTRACTION_FAILED', message: reason };
const address = process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233';
const url = new URL(process.env['MONGODB_URL'] ?? 'mongodb://127.0.0.1:27017/docloom');

let door: Awaited<ReturnType<typeof createDoor>>;
let mongo: Mongo;
let connection: Connection;
let native: NativeConnection;
let bundle: Awaited<ReturnType<typeof bundleWorkflowCode>>;
beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  door = await createDoor(decodeURIComponent(url.hostname), Number(url.port || 27017));
  mongo = connectMongo(`mongodb://127.0.0.1:${door.port}/test_${randomUUID().replaceAll('-', '')}`);
  [connection, native] = await Promise.all([Connection.connect({ address }), NativeConnection.connect({ address })]);
  const workflowsPath = path.join(__dirname, '..', '..', '..', 'workflows', 'index.ts');
  bundle = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
});
afterAll(async () => {
  await mongo
    .collection('private_texts')
    .drop()
    .catch(() => undefined);
  await Promise.allSettled([mongo.close(), connection.close(), native.close()]);
  door.close();
});

interface Graph {
  id: string;
  handle: ReturnType<Client['workflow']['getHandle']>;
  ends: GraphOutcome[];
}

/** Runs workers with the given `build_graph` and one graph, while `use` observes it. */
async function withGraph(
  {
    build,
    waitMs = 60_000,
    texts = createPrivateTexts(mongo),
  }: { build: () => Promise<GraphOutcome>; waitMs?: number; texts?: PrivateTexts },
  use: (graph: Graph) => Promise<void>,
) {
  const ends: GraphOutcome[] = [];
  const activities: Pick<GraphActivities, 'build_graph' | 'finish_graph'> = {
    build_graph: build,
    finish_graph: async ({ outcome }) => void ends.push(outcome),
  };
  const queue = `test-${randomUUID()}`;
  const interceptors = { activity: [createPrivacy(texts, { waitMs })] };
  const common = { connection: native, interceptors, maxHeartbeatThrottleInterval: '500ms' } as const;
  const workers = await Promise.all([
    Worker.create({ ...common, taskQueue: `${queue}-flow`, workflowBundle: bundle }),
    Worker.create({ ...common, taskQueue: `${queue}-graph`, activities }),
    Worker.create({ ...common, taskQueue: `${queue}-io`, activities }),
  ]);
  const running = Promise.all(workers.map((worker) => worker.run()));
  try {
    const id = randomUUID();
    const handle = await new Client({ connection }).workflow.start<typeof buildGraph>('buildGraph', {
      workflowId: id,
      taskQueue: `${queue}-flow`,
      args: [{ graphId: id }],
    });
    await use({ id, handle, ends });
  } finally {
    for (const worker of workers) worker.shutdown();
    await running;
  }
}

async function isWaiting({ handle }: Graph): Promise<boolean> {
  const { raw } = await handle.describe();
  const beats = (raw.pendingActivities ?? []).flatMap((activity) => activity.heartbeatDetails?.payloads ?? []);
  return beats.some(({ data }) => Buffer.from(data ?? []).includes('"waitingFor":"DATABASE_UNAVAILABLE'));
}

async function listWaits({ handle }: Graph): Promise<unknown[]> {
  const { searchAttributes } = await handle.describe();
  return (searchAttributes as Record<string, unknown[] | undefined>)['WaitingFor'] ?? [];
}

async function readHistory({ handle }: Graph): Promise<string> {
  const { events } = await handle.fetchHistory();
  return JSON.stringify(events, (_key, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString() : value,
  );
}

test.each<[string, () => Promise<GraphOutcome>]>([
  ['returned', async () => failed],
  [
    'thrown',
    async () => {
      throw ApplicationFailure.create({ type: failed.code, message: reason, nonRetryable: true });
    },
  ],
])('a reason that is %s while the database is unavailable is complete once it is back', async (_how, end) => {
  let attempts = 0;
  const build = () => {
    attempts += 1;
    door.shut();
    return end();
  };
  await withGraph({ build }, async (graph) => {
    await until('the activity waits for the database', () => isWaiting(graph));
    expect(graph.ends).toEqual([]);
    await until('the workflow shows it', async () => (await listWaits(graph)).includes('DATABASE_UNAVAILABLE'));
    await door.open();
    await expect(graph.handle.result()).rejects.toMatchObject({ cause: { type: failed.code } });
    expect(await listWaits(graph)).toEqual([]);
    expect(graph.ends).toEqual([failed]);
    expect(attempts).toBe(1);
    expect(await readHistory(graph)).not.toContain('Miller');
  });
});

test('a reason that must be read while the database is unavailable arrives once it is back', async () => {
  const store = createPrivateTexts(mongo);
  let isFirst = true;
  const reveal: PrivateTexts['reveal'] = async (value) => {
    // The outcome of `build_graph` is the first argument that refers to a text.
    if (JSON.stringify(value).includes('private:') && isFirst) {
      isFirst = false;
      door.shut();
    }
    return store.reveal(value);
  };
  const texts = { ...store, reveal };
  await withGraph({ build: async () => failed, texts }, async (graph) => {
    await until('the activity waits for the database', () => isWaiting(graph));
    expect(graph.ends).toEqual([]);
    await door.open();
    await expect(graph.handle.result()).rejects.toMatchObject({ cause: { type: failed.code } });
    expect(graph.ends).toEqual([failed]);
  });
});

test('after the longest wait, the text of the code replaces the reason', async () => {
  const build = async () => {
    door.shut();
    return failed;
  };
  await withGraph({ build, waitMs: 1 }, async (graph) => {
    await expect(graph.handle.result()).rejects.toMatchObject({ cause: { type: failed.code } });
    expect(graph.ends).toEqual([{ ...failed, message: errorCatalogue.GRAPH_EXTRACTION_FAILED.text }]);
    await door.open();
  });
});

test('a cancellation ends the wait', async () => {
  const build = async () => {
    door.shut();
    return failed;
  };
  await withGraph({ build }, async (graph) => {
    await until('the activity waits for the database', () => isWaiting(graph));
    await graph.handle.cancel();
    await expect(graph.handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    expect(graph.ends).toEqual([{ state: 'CANCELED' }]);
    await door.open();
  });
});
