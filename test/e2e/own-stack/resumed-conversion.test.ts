import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createConversionClient, type ConversionClient } from '../../../client';
import type { StackInfo } from '../../../embedded/stack-file';
import { createOwnStacks, getPid } from '../../support/system/own-stack';
import { samplePdf } from '../../support/system/sample-pdf';
import { until } from '../../support/system/system';

const stacks = createOwnStacks('resumed');
let info: StackInfo;
let client: ConversionClient;
beforeAll(async () => {
  info = await stacks.up('one');
  client = createConversionClient({ baseUrl: info.apiAddress });
}, 400_000);
afterAll(() => stacks.stop(), 120_000);

/** The last pages of the ranges that are in the store. */
function listKept(): number[] {
  const folder = path.join(info.dataDir, 'store', 'conversions');
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files.flatMap((file) => {
    const [, last] = /pages[/\\]0[/\\]\d+-(\d+)$/.exec(file) ?? [];
    return last ? [Number(last)] : [];
  });
}

/** The page counts of the task that the WebSocket sends until its end. */
async function collectPages(taskId: string) {
  const pages: { done: number; total: number }[] = [];
  for await (const { task_meta: meta } of client.watch(taskId))
    if (meta?.num_pages !== undefined)
      pages.push({ done: meta.num_pages_processed ?? Number.NaN, total: meta.num_pages });
  return pages;
}

async function untilEnded(taskId: string) {
  await until(
    'the task has ended',
    async () => {
      const { task_status: status } = await client.poll(taskId).catch(() => ({ task_status: 'pending' }));
      return status === 'success' || status === 'failure';
    },
    400_000,
  );
  const answer = await client.result(taskId);
  if (answer.type === 'archive' || !('document' in answer.value)) throw new Error('the result is not a document');
  const { document, status, errors } = answer.value;
  return { status, errors, markdown: document.md_content, json: JSON.stringify(document.json_content) };
}

test('a PDF of 1,000 pages whose worker is killed while it reads them continues there, with the same result', async () => {
  const paragraph = 'The harbour office keeps a daily record of the water level at the northern pier. '.repeat(8);
  const pages = Array.from({ length: 1_000 }, (_none, index) =>
    [`Chapter ${index + 1}`, ...Array.from({ length: 4 }, (_, part) => `${index}.${part} ${paragraph}`)].join('\n\n'),
  );
  const content = await samplePdf(pages);
  const request = { files: [{ name: 'long.pdf', content }], options: { to_formats: ['md' as const, 'json' as const] } };
  const undisturbed = await untilEnded((await client.submit(request)).task_id);
  expect(undisturbed).toMatchObject({ status: 'success', errors: [] });
  await until('the pages are removed', () => listKept().length === 0);

  const { task_id: taskId } = await client.submit(request);
  const reply = collectPages(taskId);
  // A range is kept after two seconds of reading. How many pages it has depends on the machine.
  await until('pages are kept', () => listKept().length > 0, 400_000);
  const before = getPid(info, 'worker');
  process.kill(before, 'SIGKILL');
  const kept = Math.max(...listKept());
  const resumed = await untilEnded(taskId);
  const progress = await reply;
  expect(progress.length).toBeGreaterThan(1);
  for (const { done, total } of progress) expect([total, done <= 1_000]).toEqual([1_000, true]);
  expect(Math.max(...progress.map(({ done }) => done))).toBeGreaterThanOrEqual(kept);
  expect(resumed).toEqual(undisturbed);
  expect(getPid(info, 'worker')).not.toBe(before);
  const lines = readFileSync(path.join(info.dataDir, 'logs', 'worker.log'), 'utf8').split('\n');
  const continued = lines.filter((line) => line.includes('The conversion continues after pages'));
  expect(continued.map((line) => (JSON.parse(line) as { pages: number }).pages)).toContain(kept);
  await until('the pages are removed', () => listKept().length === 0);
}, 900_000);
