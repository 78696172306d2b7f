import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { createThreadedOnnxEmbedder } from '../../../services/embedding/onnx-thread';
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
}, 60_000);

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
}, 60_000);

test('if the thread fails, callers get the reason', async () => {
  const failing = path.join(folder, 'failing.js');
  writeFileSync(failing, "exports.embedTexts = () => { throw new Error('no memory'); };");
  const broken = createThreadedOnnxEmbedder(failing, { modelsFolder: folder, threads: 1 });
  await expect(broken.embed(['red'], settings, never)).rejects.toMatchObject({
    code: 'LOCALMODEL_CONNECTION_FAILED',
    message: expect.stringMatching(/^The thread of the embedding model ended: .*no memory$/) as string,
  });
  await broken.close();
});
