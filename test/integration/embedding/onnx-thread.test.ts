import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import workerThreads from 'node:worker_threads';
import { createThreadedOnnxEmbedder, type EmbedAnswer, type EmbedTask } from '../../../services/embedding/onnx-thread';
import { createWorkerThread } from '../../../services/process/worker-thread';
import { getThreadFile } from '../../../threads/entries';
import { writeTinyModel } from '../../support/servers/onnx-model';

/** Questions of searches are embedded in a thread of their own. */
const threadFile = getThreadFile('embed', path.join(__dirname, '..', '..', '..', 'dist'));
const never = new AbortController().signal;
const settings = { model_id: 'tiny' };
let folder: string;
let embedder: ReturnType<typeof createThreadedOnnxEmbedder>;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'onnx-thread-'));
  writeTinyModel(path.join(folder, 'tiny'), { vocabulary: ['red', 'green', 'blue'], dimension: 4 });
  embedder = createThreadedOnnxEmbedder(threadFile, { modelsFolder: folder, threads: 1 });
});
afterAll(async () => {
  await embedder.close();
  rmSync(folder, { recursive: true, force: true });
});

test('each text gets its vector, and the caller learns that all are done', async () => {
  const done: number[] = [];
  const [red = [], blue = [], both = []] = await embedder.embed(['red', 'blue', 'red blue'], settings, never, (count) =>
    done.push(count),
  );
  const compare = (other: number[]) => red.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
  expect([red, blue, both].map((vector) => Math.hypot(...vector))).toEqual([1, 1, expect.closeTo(1, 5)]);
  expect(compare(both)).toBeGreaterThan(compare(blue));
  expect(done).toEqual([3]);
  expect(await embedder.embed([], settings, never)).toEqual([]);
});

test('the caller can do other work in the meantime', async () => {
  const before = performance.eventLoopUtilization();
  await embedder.embed(
    Array.from({ length: 300 }, (_, at) => `${'red green blue '.repeat(100)}${at}`),
    settings,
    never,
  );
  expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5);
});

test('an error keeps its code and message', async () => {
  const missing = { model_id: 'absent' };
  await expect(embedder.embed(['red'], missing, never)).rejects.toMatchObject({
    code: 'LOCALMODEL_MODEL_NOT_FOUND',
    message: expect.stringContaining("no model 'absent'") as string,
  });
});

test('a caller who leaves waits no longer, and those after them get their vectors', async () => {
  const leaving = new AbortController();
  const long = embedder.embed(
    Array.from({ length: 200 }, () => 'red '.repeat(100)),
    settings,
    leaving.signal,
  );
  const waiting = embedder.embed(['green'], settings, leaving.signal);
  const next = embedder.embed(['blue'], settings, never);
  leaving.abort(new Error('gone'));
  await expect(long).rejects.toThrow('gone');
  await expect(waiting).rejects.toThrow('gone');
  expect(await next).toHaveLength(1);
  await expect(embedder.embed(['red'], settings, leaving.signal)).rejects.toThrow('gone');
});

test('people take turns', async () => {
  const leaving = new AbortController();
  const done: string[] = [];
  const ask = async (fairnessKey: string, text: string, signal: AbortSignal) => {
    await embedder.embed([text], { ...settings, fairnessKey }, signal).catch(() => undefined);
    done.push(fairnessKey);
  };
  const questions = [ask('anna', 'red '.repeat(2_000), leaving.signal), ask('anna', 'red', never)];
  questions.push(ask('anna', 'green', never), ask('bob', 'blue', never));
  leaving.abort(new Error('gone'));
  await Promise.all(questions);
  expect(done).toEqual(['anna', 'anna', 'bob', 'anna']);
});

test('the thread stops after the current batch if the caller has left', async () => {
  const thread = createWorkerThread<EmbedTask, EmbedAnswer>({ filename: threadFile, run: 'embedTexts', memoryMb: 512 });
  const ended = new Int32Array(new SharedArrayBuffer(4));
  const task = { modelsFolder: folder, threads: 1, settings, ended };
  expect((await thread.run({ ...task, texts: ['red'] })).vectors).toHaveLength(1);
  const running = thread.run({ ...task, texts: Array.from({ length: 200 }, () => 'red '.repeat(100)) });
  setTimeout(() => Atomics.store(ended, 0, 1), 20);
  expect(await running).toEqual({});
  await thread.close();
});

test('of a long question, only the beginning is embedded', async () => {
  const query = { ...settings, purpose: 'query' } as const;
  const beginning = 'red '.repeat(1_500);
  const [alone, longer] = await Promise.all([
    embedder.embed([beginning], query, never),
    embedder.embed([beginning + 'blue '.repeat(1_000)], query, never),
  ]);
  expect(longer).toEqual(alone);
  const [passage] = await embedder.embed([beginning + 'blue '.repeat(1_000)], settings, never);
  expect(passage).not.toEqual(alone[0]);
});

test('a failure of the model does not show messages of the runtime', async () => {
  const wrong = [null] as unknown as string[];
  await expect(embedder.embed(wrong, settings, never)).rejects.toMatchObject({
    code: 'LOCALMODEL_CONNECTION_FAILED',
    message: "The model 'tiny' failed.",
    cause: expect.objectContaining({ message: expect.stringContaining('null') as string }) as Error,
  });
  expect(await embedder.embed(['red'], settings, never)).toHaveLength(1);
});

describe('after the thread was lost', () => {
  const lost = { code: 'LOCALMODEL_CONNECTION_FAILED', message: 'The thread of the embedding model ended.' };
  const answering = 'exports.embedTexts = ({ texts }) => ({ vectors: texts.map(() => [1]) });';
  const start = (source: string | undefined) => {
    const file = path.join(mkdtempSync(path.join(folder, 'thread-')), 'entry.js');
    if (source !== undefined) writeFileSync(file, source);
    return { file, onnx: createThreadedOnnxEmbedder(file, { modelsFolder: folder, threads: 1 }) };
  };

  test.each([
    ['its file was missing', undefined],
    ['it ended while it started', 'process.exit(0);'],
    ['it ended with a question', 'exports.embedTexts = () => process.exit(1);'],
    ['its function failed', "exports.embedTexts = () => { throw new Error('no memory'); };"],
  ])('because %s, the next call starts another one', async (_reason, source) => {
    const { file, onnx } = start(source);
    await expect(onnx.embed(['red'], settings, never)).rejects.toMatchObject(lost);
    writeFileSync(file, answering);
    expect(await onnx.embed(['red'], settings, never)).toEqual([[1]]);
    await onnx.close();
  });

  test('because the machine had none left, the next call starts another one', async () => {
    const { onnx } = start(answering);
    const { Worker } = workerThreads;
    workerThreads.Worker = function fail() {
      throw new Error('EAGAIN');
    } as unknown as typeof Worker;
    try {
      await expect(onnx.embed(['red'], settings, never)).rejects.toMatchObject({ ...lost, cause: new Error('EAGAIN') });
    } finally {
      workerThreads.Worker = Worker;
    }
    expect(await onnx.embed(['red'], settings, never)).toEqual([[1]]);
    await onnx.close();
  });

  test('when the process ends, waiting callers get an error, and no new thread starts', async () => {
    const { onnx } = start('exports.embedTexts = () => new Promise(() => setInterval(() => {}, 1_000));');
    const callers = ['red', 'blue'].map((text) => onnx.embed([text], settings, never).catch((error: unknown) => error));
    await onnx.close();
    expect(await Promise.all(callers)).toEqual([expect.objectContaining(lost), expect.objectContaining(lost)]);
  });
});
