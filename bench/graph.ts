import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import os, { tmpdir } from 'node:os';
import path from 'node:path';
import { writePieces } from '../cli/graph/files';
import {
  addEdge,
  addNode,
  createGraph,
  graphFromJson,
  type KnowledgeGraph,
  writeCypher,
  writeEdgesCsv,
  writeJson,
  writeNodesCsv,
} from '../graph';
import { benchModel } from './graph-model';
import { readNumber } from './support/command';
import { createRandom } from './support/random';

const nodeCount = 100_000;
const edgeCount = 300_000;
const targetSeconds = 3;
const targetMb = 1024;

/** People, companies and their relations, as extracted from documents. They depend on the seed only. */
function generateGraph(seed: number): KnowledgeGraph {
  const random = createRandom(seed);
  const graph = createGraph();
  const key = (index: number) => `${index % 3 === 0 ? 'Company' : 'Person'}_${index.toString(16).padStart(16, '0')}`;
  for (let index = 0; index < nodeCount; index++) {
    const label = index % 3 === 0 ? 'Company' : 'Person';
    addNode(graph, key(index), {
      id: key(index),
      label,
      type: 'entity',
      __class__: label,
      name: `${label} ${index}, "${random.integer(0, 1_000_000)}"`,
      city: random.chance(0.3) ? null : `City ${random.integer(0, 500)}`,
      size: random.integer(0, 100_000),
      rating: random.next() * 5,
      tags: ['a', `tag ${random.integer(0, 50)}`],
      address: { street: `Street ${random.integer(1, 300)}`, zip: '01234' },
    });
  }
  while (graph.edges.size < edgeCount) {
    const [source, target] = [key(random.integer(0, nodeCount - 1)), key(random.integer(0, nodeCount - 1))];
    addEdge(graph, {
      source,
      target,
      attributes: { label: `REL_${random.integer(0, 9)}`, since: random.integer(1990, 2025) },
    });
  }
  graph.attributes = { format: 'v2', template_name: 'Generated' };
  return graph;
}

interface Took {
  seconds: number;
  /** Processor time, which does not depend on other programs on the machine. */
  cpuSeconds: number;
}

async function measureTime(work: () => Promise<unknown>): Promise<Took> {
  const [started, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { seconds: (performance.now() - started) / 1000, cpuSeconds: (user + system) / 1_000_000 };
}

async function main(): Promise<number> {
  const [load = 0] = os.loadavg();
  const cpu = os.cpus()[0]?.model.trim() ?? 'unknown processor';
  process.stdout.write(
    `machine: ${os.cpus().length} × ${cpu}, load ${load.toFixed(1)}, Node ${process.versions.node}\n`,
  );
  if (process.argv.includes('--model')) {
    const delay = readNumber(process.argv, '--delay', 0);
    return (await benchModel(delay > 0 ? delay : undefined)) ? 0 : 1;
  }
  const runs = readNumber(process.argv, '--runs', 3);
  const folder = await mkdtemp(path.join(tmpdir(), 'docloom-bench-'));
  let peakMb = 0;
  const sampler = setInterval(() => (peakMb = Math.max(peakMb, process.memoryUsage().rss / 2 ** 20)), 20);
  try {
    const graph = generateGraph(11);
    const file = (name: string) => path.join(folder, name);
    const works: [string, () => Promise<unknown>][] = [
      ['JSON written', () => writePieces(file('graph.json'), writeJson(graph))],
      [
        'CSV written',
        async () => {
          await writePieces(file('nodes.csv'), writeNodesCsv(graph));
          await writePieces(file('edges.csv'), writeEdgesCsv(graph));
        },
      ],
      ['Cypher written', () => writePieces(file('graph.cypher'), writeCypher(graph))],
      ['JSON read', async () => checkCounts(graphFromJson(await readFile(file('graph.json')), 'graph.json'))],
    ];
    let isMissed = false;
    for (const [name, work] of works) {
      await work();
      const took: Took[] = [];
      for (let run = 0; run < runs; run++) took.push(await measureTime(work));
      const { seconds = 0, cpuSeconds = 0 } =
        took.sort((left, right) => left.seconds - right.seconds)[Math.floor(runs / 2)] ?? {};
      isMissed ||= seconds >= targetSeconds;
      process.stdout.write(
        `${name}: ${seconds.toFixed(2)} s, ${cpuSeconds.toFixed(2)} s of processor (target ${targetSeconds} s, ${seconds < targetSeconds ? 'met' : 'MISSED'})\n`,
      );
    }
    const megabytes = (await stat(file('graph.json'))).size / 2 ** 20;
    isMissed ||= peakMb >= targetMb;
    process.stdout.write(
      `highest memory: ${peakMb.toFixed(0)} MB, two graphs and ${megabytes.toFixed(0)} MB of JSON in it (target ${targetMb} MB, ${peakMb < targetMb ? 'met' : 'MISSED'})\n`,
    );
    return isMissed ? 1 : 0;
  } finally {
    clearInterval(sampler);
    await rm(folder, { recursive: true, force: true });
  }
}

function checkCounts(graph: KnowledgeGraph): void {
  if (graph.nodes.size !== nodeCount || graph.edges.size !== edgeCount)
    throw new Error('The graph that was read back has other numbers of nodes or edges.');
}

void main().then((code) => (process.exitCode = code));
