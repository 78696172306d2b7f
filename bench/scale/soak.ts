import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createConversionClient } from '../../client';
import { readStack } from '../../embedded/stack';
import { retryWhileAway } from '../chaos/persist';
import { countHistory } from '../history';
import { buildIndexFlow } from '../support/chunk-flow';
import { sizeOfFolder } from '../support/files';
import { computeMedian, readResidentMb } from '../support/measure';
import type { Target } from '../support/targets';
import { countHandles, createUserClient, type ScaleBench, writeSmallFile, writeSmallFiles } from './scale-bench';

const documents = 200;
const conversionsOfRound = 20;
const searchesOfRound = 50;
/** Each third of the rounds needs a few, since the figures of single rounds vary. */
const minRounds = 6;
const minutesBetweenLines = 5;
/** Of the last third of the rounds relative to the second. */
const maxGrowth = 1.1;

/** The state of the processes and of the data folder after a round. */
interface Sample {
  memoryMb: Record<string, number>;
  handles: Record<string, number>;
  /** History events of all workflows of the round's run. */
  events: number;
  diskMb: number;
}

/** Repeats runs, conversions and searches, and compares the last third of the rounds with the second. */
export async function measureSoak(bench: ScaleBench): Promise<Target[]> {
  const { say } = bench;
  const startedAt = performance.now();
  const readMinutes = () => (performance.now() - startedAt) / 60_000;
  const perform = await prepareRound(bench);
  const samples: Sample[] = [];
  let printedAt = -Infinity;
  say('');
  while (readMinutes() < bench.size('minutes') || samples.length < minRounds) {
    const runId = await perform(samples.length);
    samples.push(await takeSample(bench, runId));
    await setTimeout(1_000 * bench.size('pause'));
    if (readMinutes() - printedAt < minutesBetweenLines) continue;
    printedAt = readMinutes();
    say(`soak: ${printedAt.toFixed(0)} min, ${samples.length} rounds: ${describeSample(samples.at(-1) as Sample)}`);
  }
  const restarts = Object.entries((await readStack(bench.dataDir))?.restarts ?? {});
  if (restarts.length > 0)
    say(`soak: started again: ${restarts.map(([name, count]) => `${name} ${count} times`).join(', ')}`);
  return compare(samples, readMinutes(), say);
}

/** Creates the files and the flow. Returns a function that performs a round and returns the id of its run. */
async function prepareRound(bench: ScaleBench): Promise<(round: number) => Promise<string>> {
  const name = `scale-soak-${Date.now()}`;
  const folder = await writeSmallFiles(bench, 'scale-soak', documents);
  const client = createUserClient(bench, 'scale-soak');
  const conversions = createConversionClient({ baseUrl: bench.stack.info.apiAddress });
  const flow = await client.flows.create(buildIndexFlow(name, folder));
  return async (round) => {
    for (let index = round % 10; index < documents; index += 10) await writeSmallFile(folder, index, round + 1);
    const idempotencyKey = randomUUID();
    const { job_run_id: runId } = await retryWhileAway(() =>
      client.jobRuns.create({ flow_id: flow.flow_id }, { idempotencyKey }),
    );
    const { status } = await retryWhileAway(() => client.jobRuns.waitFor(runId));
    if (status !== 'COMPLETED') throw new Error(`The run of round ${round} ended as ${status}.`);
    const content = await readFile(path.join(folder, '0000', '0.md'));
    for (let index = 0; index < conversionsOfRound; index++)
      await retryWhileAway(() =>
        conversions.convert({ files: [{ name: `${index}.md`, content }], options: { to_formats: ['md', 'json'] } }),
      );
    for (let index = 0; index < searchesOfRound; index++)
      await retryWhileAway(() => client.documents.search({ query: `report ${index}` }));
    return runId;
  };
}

async function takeSample(bench: ScaleBench, runId: string): Promise<Sample> {
  const processes = await readProcesses(bench);
  const { events } = await countHistory(bench.stack.info.env['TEMPORAL_ADDRESS'] ?? '', 'default', runId);
  return {
    memoryMb: Object.fromEntries(processes.map(([name, pid]) => [name, readResidentMb(pid)])),
    handles: Object.fromEntries(processes.map(([name, pid]) => [name, countHandles(pid)])),
    events,
    diskMb: (await sizeOfFolder(bench.dataDir)) / 1e6,
  };
}

/** Api, worker and the servers that docloom up started, with their process ids. */
async function readProcesses({ stack, dataDir }: ScaleBench): Promise<(readonly [string, number])[]> {
  // A process that was started again has another id.
  const { processes } = (await readStack(dataDir)) ?? stack.info;
  const own = processes.map(({ name, mark }) => [name, mark.pid] as const);
  const folder = path.join(dataDir, 'servers');
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json'));
  const servers = files.map(async (file) => {
    const { pid } = JSON.parse(await readFile(path.join(folder, file), 'utf8')) as { pid: number };
    return [path.basename(file, '.json'), pid] as const;
  });
  return [...own, ...(await Promise.all(servers))];
}

function describeSample({ memoryMb, handles, events, diskMb }: Sample): string {
  const processes = Object.entries(memoryMb).map(
    ([name, memory]) => `${name} ${memory.toFixed(0)} MB and ${handles[name]} handles`,
  );
  return `${processes.join(', ')}; ${events} events in the histories of the run; data folder ${diskMb.toFixed(0)} MB`;
}

function compare(samples: readonly Sample[], minutes: number, say: (line: string) => void): Target[] {
  const third = Math.floor(samples.length / 3);
  const [earlier, later] = [samples.slice(third, 2 * third), samples.slice(2 * third)];
  const measure = (name: string, read: (sample: Sample) => number): Target & { from: number; to: number } => {
    const [from, to] = [computeMedian(earlier.map(read)), computeMedian(later.map(read))];
    return { name, value: to / from, atMost: maxGrowth, unit: ' times', from, to };
  };
  const targets = Object.keys(samples[0]?.memoryMb ?? {}).flatMap((name): Target[] => {
    const memory = measure(`growth of the memory of ${name}`, ({ memoryMb }) => memoryMb[name] ?? 0);
    const handles = measure(`growth of the handles of ${name}`, (sample) => sample.handles[name] ?? 0);
    say(
      `soak: ${name}: memory ${memory.from.toFixed(0)} to ${memory.to.toFixed(0)} MB, handles ${handles.from} to ${handles.to}`,
    );
    return [memory, handles];
  });
  const events = measure('growth of the histories of a run', (sample) => sample.events);
  const disk = measure('growth of the data folder', ({ diskMb }) => diskMb);
  say(
    `soak: ${samples.length} rounds in ${minutes.toFixed(0)} min, each a run over ${documents} files of which a tenth changed, ${conversionsOfRound} conversions and ${searchesOfRound} searches; events ${events.from} to ${events.to}; data folder ${disk.from.toFixed(0)} to ${disk.to.toFixed(0)} MB, ${(((disk.to - disk.from) / third) * 1_000).toFixed(0)} kB a round`,
  );
  return [...targets, events];
}
