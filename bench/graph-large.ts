import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { writePieces } from '../cli/graph/files';
import {
  describeStream,
  type GraphStream,
  mostShown,
  sampleHtml,
  sampleStream,
  streamCypher,
  streamEdgesCsv,
  streamJson,
  streamNodesCsv,
  streamOfFile,
} from '../graph';
import { print, readNumber, readOption, runCommand } from './support/command';
import { createRandom } from './support/random';

const usage = `usage: node dist/bench/graph-large.js [--nodes N] [--edges N] [--folder FOLDER]

Writes a generated graph (default 1,000,000 nodes and 3,000,000 edges) as graph.json, reads it back, and writes CSV, Cypher and a sample as
HTML from the file. Each step is a process of its own, so that its memory can be measured. The files stay in FOLDER (default
graph-large below the temporary folder), for scripts/graph-neo4j.js. Exits 1 if a step fails, counts differ or a step needs more than 1 GB.`;

const targetMb = 1_024;

interface Size {
  nodes: number;
  edges: number;
  folder: string;
}

/** People, companies and their relations, generated again whenever they are read. */
function generateStream({ nodes, edges }: Size): GraphStream {
  const label = (index: number) => (index % 3 === 0 ? 'Company' : 'Person');
  const key = (index: number) => `${label(index)}_${index.toString(16).padStart(16, '0')}`;
  return {
    *nodes() {
      const random = createRandom(11);
      for (let index = 0; index < nodes; index++) {
        const name = `${label(index)} ${index}, "${random.integer(0, 1_000_000)}"`;
        const address = { street: `Street ${random.integer(1, 300)}`, zip: '01234' };
        const attributes = { id: key(index), label: label(index), type: 'entity', __class__: label(index), name };
        yield [key(index), { ...attributes, size: random.integer(0, 100_000), rating: random.next() * 5, address }];
      }
    },
    *edges() {
      const random = createRandom(12);
      // The source and the step from it differ for each edge, so that no edge occurs twice.
      for (let index = 0; index < edges; index++) {
        const source = index % nodes;
        const target = (source + 1 + Math.floor(index / nodes) * 7919 + random.integer(0, 7_918)) % nodes;
        const attributes = { label: `REL_${random.integer(0, 9)}`, since: random.integer(1990, 2025) };
        yield { source: key(source), target: key(target), attributes };
      }
    },
    attributes: async () => ({ format: 'v2', template_name: 'Generated' }),
  };
}

const steps = ['JSON written', 'JSON read', 'CSV written', 'Cypher written', 'HTML of a sample written'] as const;
type Step = (typeof steps)[number];

async function work(step: Step, size: Size): Promise<string> {
  const file = (name: string) => path.join(size.folder, name);
  const stored = streamOfFile(() => createReadStream(file('graph.json'), { highWaterMark: 2 ** 20 }), 'graph.json');
  switch (step) {
    case 'JSON written':
      await writePieces(file('graph.json'), streamJson(generateStream(size)));
      return formatFileSize(file('graph.json'));
    case 'JSON read': {
      const { node_count, edge_count, problems } = await describeStream(stored);
      if (node_count !== size.nodes || edge_count !== size.edges || problems.length > 0)
        throw new Error(`read back ${node_count} nodes, ${edge_count} edges, ${problems.length} problems`);
      return `${node_count} nodes, ${edge_count} edges`;
    }
    case 'CSV written':
      await writePieces(file('nodes.csv'), streamNodesCsv(stored));
      await writePieces(file('edges.csv'), streamEdgesCsv(stored));
      return `${await formatFileSize(file('nodes.csv'))} and ${await formatFileSize(file('edges.csv'))}`;
    case 'Cypher written':
      await writePieces(file('graph.cypher'), streamCypher(stored));
      return formatFileSize(file('graph.cypher'));
    case 'HTML of a sample written': {
      const sample = await sampleStream(stored, mostShown);
      await writePieces(file('graph.html'), [sampleHtml(sample)]);
      return `${sample.graph.nodes.size} nodes, ${await formatFileSize(file('graph.html'))}`;
    }
  }
}

const formatFileSize = async (file: string) => `${((await stat(file)).size / 2 ** 20).toFixed(1)} MB`;

interface Done {
  seconds: number;
  /** Processor time, which does not depend on other programs on the machine. */
  cpuSeconds: number;
  mb: number;
  found: string;
}

async function runStep(step: Step, size: Size): Promise<Done> {
  // With more memory, the garbage collector would run later and hide the difference.
  const execArgv = ['--max-old-space-size=768'];
  const env = { ...process.env, BENCH_GRAPH: JSON.stringify(size) };
  const child = fork(__filename, ['--step', step], { env, execArgv });
  const done = once(child, 'message');
  const ended = once(child, 'exit').then(([code]) => {
    if (code !== 0) throw new Error(`the step '${step}' ended with ${String(code)}`);
    return done;
  });
  return (await ended)[0] as Done;
}

async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) return print(usage);
  const step = steps.find((step) => step === readOption(argv, '--step'));
  if (step) {
    const began = performance.now();
    const found = await work(step, JSON.parse(process.env['BENCH_GRAPH'] ?? '{}') as Size);
    const mb = process.resourceUsage().maxRSS / 1_024;
    const { user, system } = process.cpuUsage();
    const cpuSeconds = (user + system) / 1_000_000;
    process.send?.({ seconds: (performance.now() - began) / 1_000, cpuSeconds, mb, found } satisfies Done);
    process.disconnect();
    return 0;
  }
  const size = {
    nodes: readNumber(argv, '--nodes', 1_000_000),
    edges: readNumber(argv, '--edges', 3_000_000),
    folder: path.resolve(readOption(argv, '--folder') ?? path.join(os.tmpdir(), 'graph-large')),
  };
  await mkdir(size.folder, { recursive: true });
  print(`${size.nodes} nodes, ${size.edges} edges in ${size.folder}; load ${(os.loadavg()[0] ?? 0).toFixed(1)}`);
  let isMissed = false;
  for (const step of steps) {
    const { seconds, cpuSeconds, mb, found } = await runStep(step, size);
    isMissed ||= mb >= targetMb;
    print(
      `${step}: ${seconds.toFixed(1)} s (${cpuSeconds.toFixed(1)} s of processor), at most ${mb.toFixed(0)} MB (target ${targetMb} MB): ${found}`,
    );
  }
  return isMissed ? 1 : 0;
}

runCommand(main);
