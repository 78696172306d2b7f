import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createConverter } from './converter';
import type { Converter } from './converter';

// A thread that is controlled by the document's name, so that each way of ending can be tested.
const thread = `
let served = 0;
exports.convert = async ({ bytes, name, mimetype, pageClock }) => {
  served += 1;
  const page = (number) => { const view = new Int32Array(pageClock); view[1] = number; Atomics.add(view, 0, 1); };
  if (name === 'stuck page') { page(1); page(7); for (;;); }
  if (name === 'many pages' || name === 'whole') for (let number = 1; number <= 8; number += 1) {
    page(name === 'whole' ? 0 : number);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  if (name === 'endless') for (;;);
  if (name === 'hungry') { const kept = []; for (;;) kept.push(new Array(1000).fill(kept.length)); }
  if (name === 'exit') process.exit(3);
  if (name === 'throws') throw new TypeError('bad luck');
  if (name === 'encrypted') return { failure: { code: 'DOCUMENT_ENCRYPTED', message: 'It has a password.' } };
  if (name.startsWith('slow')) await new Promise((resolve) => setTimeout(resolve, 300));
  return { converted: { markdown: Buffer.from(bytes).toString(), documentJson: JSON.stringify({ served, mimetype }), pages: bytes.length, format: 'test' } };
};`;

const folder = mkdtempSync(path.join(tmpdir(), 'converter-'));
const threadFile = path.join(folder, 'thread.js');
writeFileSync(threadFile, thread);
let converter: Converter;
beforeEach(() => {
  converter = createConverter({ threadFile, threads: 1, memoryMb: 64 });
});
afterEach(() => converter.close());
afterAll(() => rmSync(folder, { recursive: true }));

const never = new AbortController().signal;
const convert = (name: string, options: { timeoutMs?: number; signal?: AbortSignal; text?: string } = {}) =>
  converter.convert({
    bytes: new TextEncoder().encode(options.text ?? 'abc'),
    name,
    mimetype: 'text/test',
    timeoutMs: options.timeoutMs ?? 20_000,
    signal: options.signal ?? never,
  });

test('bytes, name and media type reach the thread, and its answer returns', async () => {
  expect(await convert('a.txt')).toEqual({
    markdown: 'abc',
    documentJson: '{"served":1,"mimetype":"text/test"}',
    pages: 3,
    format: 'test',
  });
});

test('a limit beyond what a timer can wait does not end the conversion', async () => {
  expect(await convert('a.txt', { timeoutMs: 1e12 })).toMatchObject({ markdown: 'abc' });
});

test('bytes that fill their buffer are transferred, those in a shared buffer are copied', async () => {
  const own = new Uint8Array(1000);
  const pooled = Buffer.from('pooled');
  await converter.convert({ bytes: own, name: 'own', timeoutMs: 20_000, signal: never });
  const { markdown } = await converter.convert({ bytes: pooled, name: 'pooled', timeoutMs: 20_000, signal: never });
  expect(own.byteLength).toBe(0);
  expect(markdown).toBe('pooled');
  expect(pooled.toString()).toBe('pooled');
});

test('a page over its time limit ends its conversion; many pages and work on the whole document may take longer', async () => {
  const paged = createConverter({ threadFile, threads: 1, memoryMb: 64, pageTimeoutMs: 500 });
  const run = (name: string, timeoutMs = 20_000) =>
    paged.convert({ bytes: new Uint8Array(1), name, timeoutMs, signal: never });
  await expect(run('stuck page')).rejects.toMatchObject({
    code: 'CONVERSION_TIMEOUT',
    message:
      "Page 7 of 'stuck page' took longer than the limit of 0.5 seconds for a page, and the conversion was ended.",
  });
  expect((await run('many pages')).pages).toBe(1);
  expect((await run('whole')).pages).toBe(1);
  await paged.close();
});

test('an endless conversion is ended at its limit, with the limit in the message, and the next one runs', async () => {
  await convert('warm');
  const began = performance.now();
  await expect(convert('endless', { timeoutMs: 400 })).rejects.toMatchObject({
    code: 'CONVERSION_TIMEOUT',
    message: expect.stringContaining('0.4 seconds'),
  });
  expect(performance.now() - began).toBeLessThan(3000);
  expect(await convert('after')).toMatchObject({ documentJson: expect.stringContaining('"served":1') });
});

test('time spent in the queue does not count towards the limit', async () => {
  await convert('warm');
  const results = await Promise.allSettled([0, 1, 2, 3].map((index) => convert(`slow${index}`, { timeoutMs: 800 })));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'fulfilled']);
});

test('an abort ends the running conversion and those in the queue, with the reason of the signal', async () => {
  const abort = new AbortController();
  const running = convert('endless', { signal: abort.signal });
  const queued = convert('queued', { signal: abort.signal });
  const other = convert('other');
  setTimeout(() => abort.abort(new Error('cancelled by the user')), 100);
  await expect(running).rejects.toThrow('cancelled by the user');
  await expect(queued).rejects.toThrow('cancelled by the user');
  expect(await other).toMatchObject({ markdown: 'abc' });
  await expect(convert('late', { signal: abort.signal })).rejects.toThrow('cancelled by the user');
});

test('a thread that runs out of memory fails its document only', async () => {
  const hungry = convert('hungry');
  const next = convert('next');
  await expect(hungry).rejects.toMatchObject({ code: 'DOCUMENT_TOO_LARGE', message: expect.stringContaining('64 MB') });
  expect(await next).toMatchObject({ markdown: 'abc' });
});

test('a thread that throws or exits fails its document with CONVERSION_FAILED and the reason', async () => {
  await expect(convert('throws')).rejects.toMatchObject({
    code: 'CONVERSION_FAILED',
    message: expect.stringContaining('bad luck'),
  });
  await expect(convert('exit')).rejects.toMatchObject({ code: 'CONVERSION_FAILED' });
  expect(await convert('next')).toMatchObject({ markdown: 'abc' });
});

test('code and message of a failure survive the thread boundary', async () => {
  await expect(convert('encrypted')).rejects.toMatchObject({
    name: 'AppError',
    code: 'DOCUMENT_ENCRYPTED',
    message: 'It has a password.',
  });
});

test('closing ends running and waiting conversions', async () => {
  const results = Promise.allSettled([convert('endless'), convert('queued')]);
  await converter.close();
  expect(await results).toEqual([
    { status: 'rejected', reason: expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' }) },
    { status: 'rejected', reason: expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' }) },
  ]);
});
