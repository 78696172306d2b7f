import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { readConfig } from '../model/config';
import { generateCorpus } from './generate';
import { describeMachine } from './machine';
import { medianOf, residentMb } from './measure';
import { openStack } from './stack';

const usage = `usage: node dist/bench/serve.js [--url ADDRESS] [--memory]

  (none)         synchronous calls alone and from 16 callers, one task of 200 documents, 1,000 tasks at once
  --url ADDRESS  a conversion service that runs already, ours or another that speaks /v1
  --memory       5,000 conversions: resident memory of api and worker after 500 and after all

Without --url it uses the docloom up of the data folder (DOCLOOM_DATA), else starts one and stops it; one that ran before must
take 200 sources a request (CONVERT_SERVE_MAX_SOURCES_PER_REQUEST). Exits 1 when a target is missed.`;

const aloneCalls = 40;
const callers = 16;
const callsPerCaller = 12;
const largeTask = 200;
const smallTasks = 1_000;
const submitters = 32;

interface Target {
  name: string;
  value: number;
  limit: number;
  unit: string;
  /** The value must not exceed the limit, else it must not fall below it. */
  most: boolean;
}
interface Descriptor {
  task_id: string;
  task_status: string;
  task_position: number | null;
}
interface File {
  name: string;
  bytes: Uint8Array;
}

async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) return print(usage);
  const url = argv.includes('--url') ? argv[argv.indexOf('--url') + 1] : undefined;
  if (url !== undefined) return report(await measure(url.replace(/\/+$/, ''), await corpus()));
  process.env['CONVERT_SERVE_MAX_SOURCES_PER_REQUEST'] ??= String(largeTask);
  const stack = await openStack(path.resolve(readConfig(process.env).DOCLOOM_DATA));
  try {
    const { env } = stack.info;
    for (const line of await describeMachine(env)) print(line);
    const address = `http://127.0.0.1:${env['DOCLOOM_PORT'] ?? '8080'}`;
    const api = stack.info.processes.find(({ name }) => name === 'api')?.mark.pid;
    if (argv.includes('--memory')) {
      const processes = { worker: stack.workerPid, ...(api === undefined ? {} : { api }) };
      return report(await measureMemory(address, await corpus(), processes));
    }
    return report(await measure(address, await corpus()));
  } finally {
    await stack.close();
  }
}

/** Word documents as offices write them, of about 30 KB. */
async function corpus(): Promise<File[]> {
  const folder = path.join(path.resolve(readConfig(process.env).DOCLOOM_DATA), 'bench', 'serve');
  await generateCorpus(folder, { docx: 20, markdown: 0, seed: 6 });
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.docx')).toSorted();
  return Promise.all(
    names.map(async (name) => ({ name: path.basename(name), bytes: await readFile(path.join(folder, name)) })),
  );
}

async function measure(url: string, files: readonly File[]): Promise<Target[]> {
  for (const file of files.slice(0, 8)) await convert(url, file);
  const alone: number[] = [];
  for (let call = 0; call < aloneCalls; call += 1) alone.push(await timed(() => convert(url, pick(files, call))));
  print(`alone: ${aloneCalls} calls, p50 ${medianOf(alone).toFixed(0)} ms, p99 ${percentile(alone, 99).toFixed(0)} ms`);

  const together: number[] = [];
  const seconds = await timed(() =>
    inParallel(callers, callers * callsPerCaller, async (call) => {
      together.push(await timed(() => convert(url, pick(files, call))));
    }),
  );
  const rate = (callers * callsPerCaller) / (seconds / 1_000);
  print(
    `${callers} callers: ${rate.toFixed(1)} documents a second, p50 ${medianOf(together).toFixed(0)} ms, p99 ${percentile(together, 99).toFixed(0)} ms`,
  );

  const large = await measureLarge(url, files);
  const polls = await measureMany(url);
  return [
    { name: 'synchronous DOCX alone, p50', value: medianOf(alone), limit: 150, unit: ' ms', most: true },
    { name: `documents a second with ${callers} callers`, value: rate, limit: 20, unit: '', most: false },
    { name: `documents a second of one task of ${largeTask}`, value: large, limit: 60, unit: '', most: false },
    ...polls,
  ];
}

/** One task, from its submission to its end. */
async function measureLarge(url: string, files: readonly File[]): Promise<number> {
  const many = Array.from({ length: largeTask }, (_, index) => ({ ...pick(files, index), name: `${index}.docx` }));
  const ms = await timed(async () => {
    const { task_id } = await submit(url, many);
    const task = await untilEnd(url, task_id);
    if (task.task_status !== 'success') throw new Error(`The task of ${largeTask} ended as ${task.task_status}.`);
  });
  const rate = largeTask / (ms / 1_000);
  print(`one task of ${largeTask}: ${(ms / 1_000).toFixed(2)} s, ${rate.toFixed(1)} documents a second`);
  return rate;
}

/** Many tasks at once, polled all the while by somebody in a hurry. */
async function measureMany(url: string): Promise<Target[]> {
  const file: File = { name: 'small.md', bytes: Buffer.from('# Title\n\nA short text.') };
  const ids: string[] = [];
  const lowest = new Map<string, number>();
  const polls: number[] = [];
  let grew = 0;
  const stop = new AbortController();
  const poll = async () => {
    while (!stop.signal.aborted) {
      const id = ids[Math.floor(Math.random() * ids.length)];
      if (id === undefined) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        continue;
      }
      let task: Descriptor | undefined;
      polls.push(await timed(async () => (task = await get(url, id))));
      const position = task?.task_position ?? 0;
      if (position > (lowest.get(id) ?? Infinity)) grew += 1;
      lowest.set(id, position);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const poller = poll();
  const ended: string[] = [];
  const ms = await timed(async () => {
    await inParallel(submitters, smallTasks, async () => {
      ids.push((await submit(url, [file])).task_id);
    });
    await inParallel(submitters, smallTasks, async (index) => {
      const id = ids[index] as string;
      if ((await untilEnd(url, id)).task_status === 'success') ended.push(id);
    });
  });
  stop.abort();
  await poller;
  print(
    `${smallTasks} tasks at once: ${(ms / 1_000).toFixed(1)} s, ${ended.length} succeeded; ${polls.length} polls meanwhile, p50 ${medianOf(polls).toFixed(0)} ms, p99 ${percentile(polls, 99).toFixed(0)} ms`,
  );
  return [
    { name: 'tasks lost', value: smallTasks - new Set(ended).size, limit: 0, unit: '', most: true },
    { name: 'positions that grew', value: grew, limit: 0, unit: '', most: true },
    { name: 'poll p99 meanwhile', value: percentile(polls, 99), limit: 100, unit: ' ms', most: true },
  ];
}

async function measureMemory(
  url: string,
  files: readonly File[],
  processes: Record<string, number>,
): Promise<Target[]> {
  const sample = () => Object.fromEntries(Object.entries(processes).map(([name, pid]) => [name, residentMb(pid)]));
  const run = async (count: number) => inParallel(8, count, (call) => convert(url, pick(files, call)));
  await run(500);
  const early = sample();
  await run(4_500);
  const late = sample();
  return Object.keys(processes).map((name) => {
    print(`${name}: ${early[name]?.toFixed(0)} MB after 500 conversions, ${late[name]?.toFixed(0)} MB after 5,000`);
    const value = (late[name] ?? 0) / (early[name] ?? 1);
    return { name: `memory of the ${name}, 5,000 to 500`, value, limit: 1.15, unit: ' times', most: true };
  });
}

async function convert(url: string, file: File): Promise<void> {
  const answer = await fetch(`${url}/v1/convert/file`, { method: 'POST', body: formOf([file]) });
  const body = (await answer.json()) as { status?: string; detail?: unknown };
  if (body.status !== 'success')
    throw new Error(`${file.name}: ${answer.status} ${JSON.stringify(body).slice(0, 500)}`);
}

async function submit(url: string, files: readonly File[]): Promise<Descriptor> {
  const answer = await fetch(`${url}/v1/convert/file/async`, { method: 'POST', body: formOf(files) });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Descriptor;
}

async function get(url: string, id: string, wait = 0): Promise<Descriptor> {
  const answer = await fetch(`${url}/v1/status/poll/${id}?wait=${wait}`);
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Descriptor;
}

async function untilEnd(url: string, id: string): Promise<Descriptor> {
  for (;;) {
    const task = await get(url, id, 20);
    if (task.task_status === 'success' || task.task_status === 'failure') return task;
  }
}

function formOf(files: readonly File[]): FormData {
  const form = new FormData();
  for (const { name, bytes } of files) form.append('files', new Blob([new Uint8Array(bytes)]), name);
  for (const format of ['md', 'json']) form.append('to_formats', format);
  return form;
}

/** Calls `work` with 0, 1, 2 … `count` times, some at a time. */
async function inParallel(width: number, count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, one));
}

/** Milliseconds. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function pick(files: readonly File[], index: number): File {
  const file = files[index % files.length];
  if (!file) throw new Error('There are no documents.');
  return file;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * share) / 100))] ?? Number.NaN;
}

function report(targets: readonly Target[]): number {
  print('');
  const isMet = ({ value, limit, most }: Target) => (most ? value <= limit : value >= limit);
  for (const target of targets) {
    const bound = `at ${target.most ? 'most' : 'least'} ${target.limit}${target.unit}`;
    print(`${isMet(target) ? 'met   ' : 'MISSED'} ${target.name}: ${target.value.toFixed(1)}${target.unit}, ${bound}`);
  }
  return targets.every(isMet) ? 0 : 1;
}

function print(line: string): number {
  process.stdout.write(`${line}\n`);
  return 0;
}

main(process.argv.slice(2)).then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  },
);
