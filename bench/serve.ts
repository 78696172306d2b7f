import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { readConfig } from '../model/config';
import { generateCorpus } from './generate';
import { createServiceClient, type File, type ServiceClient } from './serve-client';
import { startPoller } from './serve-poller';
import { print, readOption, runCommand } from './support/command';
import { describeMachine } from './support/machine';
import { computeMedian, measureMs, readResidentMb } from './support/measure';
import { withProcessorSeconds } from './support/processor-seconds';
import { benchFolder, openStack } from './support/stack';
import { reportTargets, type Target } from './support/targets';

const usage = `usage: node dist/bench/serve.js [--url ADDRESS] [--only PART,…] [--memory]

  (none)         synchronous calls alone and from 16 callers, one task of 200 documents, 1,000 tasks at once
  --only PART,…  some of alone, callers, large, many
  --url ADDRESS  a conversion service that runs already, ours or another that speaks /v1
  --memory       5,000 conversions: resident memory of the api and the worker after 500 and at the end

Without --url it uses the docloom up of the data folder (DOCLOOM_DATA), else starts one and stops it; one that ran before must
take 200 sources a request (CONVERT_SERVE_MAX_SOURCES_PER_REQUEST). Exits 1 when a target is missed.`;

const aloneCalls = 40;
const callers = 16;
const callsPerCaller = 12;
const largeTask = 200;
const largeTasks = 3;
const smallTasks = 1_000;
const submitters = 32;
const sampleEveryMs = 250;

async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) return print(usage);
  const url = readOption(argv, '--url');
  const only = readOption(argv, '--only');
  const wanted = only === undefined ? Object.keys(parts) : only.split(',');
  if (url !== undefined) return report(await measure(url.replace(/\/+$/, ''), wanted, {}));
  process.env['CONVERT_SERVE_MAX_SOURCES_PER_REQUEST'] ??= String(largeTask);
  const stack = await openStack(path.resolve(readConfig(process.env).DOCLOOM_DATA));
  try {
    const { env } = stack.info;
    for (const line of await describeMachine(env)) print(line);
    const address = `http://127.0.0.1:${env['DOCLOOM_PORT'] ?? '8080'}`;
    const own = Object.fromEntries(stack.info.processes.map(({ name, mark }) => [name, mark.pid]));
    if (argv.includes('--memory')) return report(await measureMemory(address, own));
    const servers = stack.info.servers.flatMap(({ name, pid }) => (pid === undefined ? [] : [[name, pid] as const]));
    return report(await measure(address, wanted, { ...own, ...Object.fromEntries(servers) }));
  } finally {
    await stack.close();
  }
}

/** Typical Word documents of about 30 KB. */
async function readCorpus(): Promise<File[]> {
  const folder = path.join(benchFolder(readConfig(process.env).DOCLOOM_DATA), 'serve');
  await generateCorpus(folder, { docx: 20, markdown: 0, seed: 6 });
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.docx')).toSorted();
  return Promise.all(
    names.map(async (name) => ({ name: path.basename(name), bytes: await readFile(path.join(folder, name)) })),
  );
}

/** A part of the measurement: prints its figures and returns its targets. */
type Part = (client: ServiceClient, files: readonly File[], url: string) => Promise<Target[]>;

const parts: Readonly<Record<string, Part>> = {
  alone: measureAlone,
  callers: measureCallers,
  large: measureLarge,
  many: measureMany,
};

async function measure(url: string, wanted: readonly string[], processes: Record<string, number>): Promise<Target[]> {
  const files = await readCorpus();
  const client = createServiceClient(url, submitters);
  const targets: Target[] = [];
  try {
    for (const file of files.slice(0, 8)) await client.convert(file);
    for (const name of wanted) {
      const part = parts[name];
      if (!part) throw new Error(`There is no part '${name}'; there are ${Object.keys(parts).join(', ')}.`);
      const { result, seconds } = await withProcessorSeconds(processes, () => part(client, files, url));
      targets.push(...result);
      const spent = Object.entries(seconds).map(([process, value]) => `${process} ${value.toFixed(1)}`);
      print(`  processor seconds: ${spent.join(', ')}`);
    }
    return targets;
  } finally {
    client.close();
  }
}

async function measureAlone(client: ServiceClient, files: readonly File[]): Promise<Target[]> {
  const times: number[] = [];
  for (let call = 0; call < aloneCalls; call += 1) times.push(await measureMs(() => client.convert(pick(files, call))));
  print(
    `alone: ${aloneCalls} calls, p50 ${computeMedian(times).toFixed(0)} ms, p99 ${percentile(times, 99).toFixed(0)} ms`,
  );
  return [{ name: 'synchronous DOCX alone, p50', value: computeMedian(times), atMost: 150, unit: ' ms' }];
}

async function measureCallers(client: ServiceClient, files: readonly File[]): Promise<Target[]> {
  const times: number[] = [];
  const ms = await measureMs(() =>
    runParallel(callers, callers * callsPerCaller, async (call) => {
      times.push(await measureMs(() => client.convert(pick(files, call))));
    }),
  );
  const rate = (callers * callsPerCaller) / (ms / 1_000);
  print(
    `${callers} callers: ${rate.toFixed(1)} documents a second, p50 ${computeMedian(times).toFixed(0)} ms, p99 ${percentile(times, 99).toFixed(0)} ms`,
  );
  return [{ name: `documents a second with ${callers} callers`, value: rate, atLeast: 20, unit: '' }];
}

/** The median time of sequential tasks, each from its submission to its end. */
async function measureLarge(client: ServiceClient, files: readonly File[]): Promise<Target[]> {
  const many = Array.from({ length: largeTask }, (_, index) => ({ ...pick(files, index), name: `${index}.docx` }));
  const times: number[] = [];
  for (let turn = 0; turn < largeTasks; turn += 1) {
    const ms = await measureMs(async () => {
      const { task_id } = await client.submit(many);
      const task = await client.untilEnd(task_id);
      if (task.task_status !== 'success') throw new Error(`The task of ${largeTask} ended as ${task.task_status}.`);
    });
    times.push(ms);
  }
  const rate = largeTask / (computeMedian(times) / 1_000);
  const shown = times.map((ms) => (ms / 1_000).toFixed(2)).join(', ');
  print(`a task of ${largeTask}, ${largeTasks} times: ${shown} s, ${rate.toFixed(1)} documents a second by the median`);
  return [{ name: `documents a second of one task of ${largeTask}`, value: rate, atLeast: 60, unit: '' }];
}

/** Many concurrent tasks that an impatient client polls without a pause. */
async function measureMany(client: ServiceClient, _files: readonly File[], url: string): Promise<Target[]> {
  const file: File = { name: 'small.md', bytes: Buffer.from('# Title\n\nA short text.') };
  const poller = startPoller(url);
  const ids: string[] = [];
  const ended: string[] = [];
  let submittedMs = 0;
  const ms = await measureMs(async () => {
    submittedMs = await measureMs(() =>
      runParallel(submitters, smallTasks, async () => {
        const { task_id } = await client.submit([file]);
        ids.push(task_id);
        poller.know(task_id);
      }),
    );
    await runParallel(submitters, smallTasks, async (index) => {
      const id = ids[index] as string;
      if ((await client.untilEnd(id)).task_status === 'success') ended.push(id);
    });
  });
  const { milliseconds: polls, grew } = await poller.stop();
  print(
    `${smallTasks} tasks at once: submitted in ${(submittedMs / 1_000).toFixed(1)} s, done in ${(ms / 1_000).toFixed(1)} s, ${ended.length} succeeded; ${polls.length} polls meanwhile, p50 ${computeMedian(polls).toFixed(0)} ms, p99 ${percentile(polls, 99).toFixed(0)} ms`,
  );
  return [
    { name: 'tasks lost', value: smallTasks - new Set(ended).size, atMost: 0, unit: '' },
    { name: 'positions that grew', value: grew, atMost: 0, unit: '' },
    { name: 'poll p99 meanwhile', value: percentile(polls, 99), atMost: 100, unit: ' ms' },
  ];
}

/**
 * Resident memory grows until the garbage of some hundred conversions is collected. The figure is the median of the samples
 * over 1,000 conversions, after the first 500 and at the end.
 */
async function measureMemory(url: string, processes: Record<string, number>): Promise<Target[]> {
  const files = await readCorpus();
  const client = createServiceClient(url, 8);
  const run = async (count: number) => {
    const samples: Record<string, number[]> = {};
    const sample = () => {
      for (const [name, pid] of Object.entries(processes)) (samples[name] ??= []).push(readResidentMb(pid));
    };
    const timer = setInterval(sample, sampleEveryMs);
    await runParallel(8, count, (call) => client.convert(pick(files, call)));
    clearInterval(timer);
    sample();
    return samples;
  };
  await run(500);
  const early = await run(1_000);
  await run(2_500);
  const late = await run(1_000);
  client.close();
  return Object.keys(processes).map((name) => {
    const [before, after] = [early[name] ?? [], late[name] ?? []];
    const shown = (samples: number[]) =>
      `${computeMedian(samples).toFixed(0)} MB (${Math.min(...samples).toFixed(0)} to ${Math.max(...samples).toFixed(0)})`;
    print(`${name}: ${shown(before)} after 500 conversions, ${shown(after)} at 5,000`);
    const value = computeMedian(after) / computeMedian(before);
    return { name: `memory of the ${name}, 5,000 to 500`, value, atMost: 1.15, unit: ' times' };
  });
}

/** Calls `work` with 0, 1, 2 … for `count` times, several calls at a time. */
async function runParallel(width: number, count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, worker));
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
  return reportTargets(targets, print);
}

runCommand(main);
