import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createConversionClient } from '../../client';
import { buildChunkFlow } from '../support/chunk-flow';
import { sizeOfFolder } from '../support/files';
import { computeMedian, readResidentMb } from '../support/measure';
import type { Target } from '../support/targets';
import { countHandles, createUserClient, type ScaleBench, writeSmallFile, writeSmallFiles } from './scale-bench';

const documents = 200;
const conversionsOfRound = 20;
const searchesOfRound = 50;

/** The state of a process, or of the data folder, after a round. */
interface Sample {
  memoryMb: Record<string, number>;
  handles: Record<string, number>;
  diskMb: number;
}

/** Repeats runs, conversions and searches, and compares the last third of the rounds with the second. */
export async function measureSoak(bench: ScaleBench): Promise<Target[]> {
  const { stack, say, dataDir } = bench;
  const until = performance.now() + bench.size('minutes') * 60_000;
  const folder = await writeSmallFiles(bench, 'scale-soak', documents);
  const client = createUserClient(bench, 'scale-soak');
  const conversions = createConversionClient({ baseUrl: stack.info.apiAddress });
  const flow = await client.flows.create(buildChunkFlow(`scale-soak-${Date.now()}`, folder));
  const samples: Sample[] = [];
  say('');
  while (performance.now() < until || samples.length < 6) {
    const round = samples.length;
    for (let index = round % 10; index < documents; index += 10) await writeSmallFile(folder, index, round + 1);
    const { job_run_id } = await client.jobRuns.create({ flow_id: flow.flow_id });
    const { status } = await client.jobRuns.waitFor(job_run_id);
    if (status !== 'COMPLETED') throw new Error(`The run of round ${round} ended as ${status}.`);
    const content = await readFile(path.join(folder, '0000', '0.md'));
    for (let index = 0; index < conversionsOfRound; index++)
      await conversions.convert({ files: [{ name: `${index}.md`, content }], options: { to_formats: ['md', 'json'] } });
    for (let index = 0; index < searchesOfRound; index++) await client.documents.search({ query: `report ${index}` });
    const processes = await readProcesses(bench);
    samples.push({
      memoryMb: Object.fromEntries(processes.map(([name, pid]) => [name, readResidentMb(pid)])),
      handles: Object.fromEntries(processes.map(([name, pid]) => [name, countHandles(pid)])),
      diskMb: (await sizeOfFolder(dataDir)) / 1e6,
    });
  }
  return compare(samples, say);
}

/** Api, worker and the servers that docloom up started, with their process ids. */
async function readProcesses({ stack, dataDir }: ScaleBench): Promise<(readonly [string, number])[]> {
  const own = stack.info.processes.map(({ name, mark }) => [name, mark.pid] as const);
  const folder = path.join(dataDir, 'servers');
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json'));
  const servers = files.map(async (file) => {
    const { pid } = JSON.parse(await readFile(path.join(folder, file), 'utf8')) as { pid: number };
    return [path.basename(file, '.json'), pid] as const;
  });
  return [...own, ...(await Promise.all(servers))];
}

function compare(samples: readonly Sample[], say: (line: string) => void): Target[] {
  const third = Math.floor(samples.length / 3);
  const [earlier, later] = [samples.slice(third, 2 * third), samples.slice(2 * third)];
  const growth = (figure: (sample: Sample) => number) => {
    const [from, to] = [computeMedian(earlier.map(figure)), computeMedian(later.map(figure))];
    return { from, to, ratio: to / from };
  };
  const names = Object.keys(samples[0]?.memoryMb ?? {});
  const targets = names.flatMap((name): Target[] => {
    const memory = growth(({ memoryMb }) => memoryMb[name] ?? 0);
    const handles = growth((sample) => sample.handles[name] ?? 0);
    say(
      `soak: ${name}: memory ${memory.from.toFixed(0)} to ${memory.to.toFixed(0)} MB, handles ${handles.from} to ${handles.to}`,
    );
    return [
      {
        name: `memory of ${name}, last third of the rounds to the second`,
        value: memory.ratio,
        atMost: 1.1,
        unit: ' times',
      },
      { name: `handles of ${name}`, value: handles.ratio, atMost: 1.1, unit: ' times' },
    ];
  });
  const disk = growth(({ diskMb }) => diskMb);
  say(
    `soak: ${samples.length} rounds of a run with ${documents} files, ${conversionsOfRound} conversions and ${searchesOfRound} searches; data folder ${disk.from.toFixed(0)} to ${disk.to.toFixed(0)} MB, ${(((disk.to - disk.from) / third) * 1_000).toFixed(0)} kB a round`,
  );
  return targets;
}
