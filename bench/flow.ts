import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readConfig } from '../model/config';
import { type Corpus, describeSizes, generateCorpus } from './generate';
import { countHistory } from './history';
import { buildChunkFlow, buildIndexFlow } from './support/chunk-flow';
import { print, readNumber, readOption, runCommand } from './support/command';
import { sizeOfFolder } from './support/files';
import { describeMachine } from './support/machine';
import { type Measured, measureRun, computeMedian } from './support/measure';
import { type BenchStack, benchFolder, openStack } from './support/stack';
import { reportTargets, type Target } from './support/targets';

const usage = `usage: node dist/bench/flow.js [--index | --scale [--documents SMALL,LARGE]] [--runs N]

  (none)    84 documents (60 DOCX, 24 Markdown) through ingest, extract and chunk
  --index   the same with embeddings and an OpenSearch index
  --scale   200 and 2,000 Markdown documents (or SMALL and LARGE): time per document, history events, bytes, memory
  --runs N  measured runs of each, default 3; one more before them warms the worker up

Uses the docloom up of the data folder (DOCLOOM_DATA), else starts one and stops it. Exits 1 when a target is missed.`;

interface Bench {
  stack: BenchStack;
  folder: string;
  runs: number;
  say: (line: string) => void;
}

async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) return print(usage);
  const folder = path.resolve(readConfig(process.env).DOCLOOM_DATA);
  const runs = readNumber(argv, '--runs', 3);
  if (!Number.isInteger(runs) || runs < 1) throw new Error(`--runs takes a whole number of at least 1.\n\n${usage}`);
  const stack = await openStack(folder);
  try {
    const bench: Bench = { stack, folder: benchFolder(folder), runs, say: print };
    for (const line of await describeMachine(stack.info.env)) print(line);
    const targets = argv.includes('--scale')
      ? await measureScale(bench, readSizes(argv))
      : await measureOffice(bench, argv.includes('--index'));
    print('');
    return reportTargets(targets, print);
  } finally {
    await stack.close();
  }
}

/** 84 office documents. The figures of the targets are medians over the measured runs. */
async function measureOffice(bench: Bench, index: boolean): Promise<Target[]> {
  const name = index ? 'bench-index' : 'bench-flow';
  const measured = await measureSeries(bench, name, { docx: 60, markdown: 24, seed: 84 }, index);
  const of = (figure: (item: Measured) => number) => computeMedian(measured.map(figure));
  const run = { name: 'seconds in the run', value: of(({ report }) => report.seconds), unit: ' s' };
  const memory = {
    name: 'worker memory, highest',
    value: Math.max(...measured.map(({ workerPeakMb }) => workerPeakMb)),
    atMost: 600,
    unit: ' MB',
  };
  if (index) return [{ ...run, atMost: 6 }, memory];
  return [
    { ...run, atMost: 4 },
    {
      name: 'seconds of the whole docloom run process',
      value: of(({ processSeconds }) => processSeconds),
      atMost: 6,
      unit: ' s',
    },
    memory,
  ];
}

function readSizes(argv: readonly string[]): [number, number] {
  if (!argv.includes('--documents')) return [200, 2_000];
  const [small = 0, large = 0] = (readOption(argv, '--documents') ?? '').split(',').map(Number);
  if (!(small > 0 && large > small)) throw new Error(`--documents takes two numbers, as in 200,2000.\n\n${usage}`);
  return [small, large];
}

/** The cost of a run per document. */
interface Cost {
  ms: number;
  events: number;
  longest: number;
  historyBytes: number;
  /** Tables between operators, which retention removes. */
  tableBytes: number;
  workerPeakMb: number;
}

/** Whether cost grows in step with the number of documents. */
async function measureScale(bench: Bench, [small, large]: [number, number]): Promise<Target[]> {
  const few = await measureCost(bench, small);
  const many = await measureCost(bench, large);
  const compareCost = (name: string, figure: (cost: Cost) => number, atMost = 1.1): Target => ({
    name: `${name}, ${large} to ${small}`,
    value: figure(many) / figure(few),
    atMost,
    unit: ' times',
  });
  return [
    compareCost('time per document', ({ ms }) => ms),
    compareCost('history events per document', ({ events }) => events),
    compareCost('history bytes per document', ({ historyBytes }) => historyBytes),
    compareCost('table bytes per document', ({ tableBytes }) => tableBytes),
    { name: 'history events per document', value: many.events, atMost: 2.5, unit: '' },
    compareCost('worker memory', ({ workerPeakMb }) => workerPeakMb, 1.15),
  ];
}

async function measureCost(bench: Bench, documents: number): Promise<Cost> {
  const corpus: Corpus = { docx: 0, markdown: documents, seed: documents, markdownBytes: [2_000, 20_000] };
  const measured = await measureSeries(bench, `bench-scale-${documents}`, corpus, false);
  const { info } = bench.stack;
  const runId = measured.at(-1)?.report.job_run_id ?? '';
  const history = await countHistory(
    info.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233',
    info.env['TEMPORAL_NAMESPACE'] ?? 'default',
    runId,
  );
  if (history.events === 0) throw new Error(`Temporal lists no workflow of the run ${runId}.`);
  const cost = {
    ms: computeMedian(measured.map(({ report }) => report.seconds / documents)) * 1_000,
    events: history.events / documents,
    longest: history.longest,
    historyBytes: history.bytes / documents,
    tableBytes: (await sizeOfFolder(path.join(info.dataDir, 'store', 'run', runId))) / documents,
    workerPeakMb: Math.max(...measured.map(({ workerPeakMb }) => workerPeakMb)),
  };
  const { ms, events, longest, historyBytes, tableBytes, workerPeakMb } = cost;
  bench.say(
    `${documents} documents, for each: ${ms.toFixed(2)} ms, ${events.toFixed(2)} history events (${history.workflows} workflows, the longest with ${longest}) of ${historyBytes.toFixed(0)} bytes, ${tableBytes.toFixed(0)} bytes of tables; worker up to ${workerPeakMb.toFixed(0)} MB`,
  );
  return cost;
}

/** Generates the corpus, runs it once to warm up and then the requested number of times. */
async function measureSeries(bench: Bench, name: string, corpus: Corpus, index: boolean): Promise<Measured[]> {
  const { say, stack, runs } = bench;
  const documents = path.join(bench.folder, name);
  say('');
  for (const line of describeSizes(await generateCorpus(documents, corpus))) say(line);
  await mkdir(bench.folder, { recursive: true });
  const file = path.join(bench.folder, `${name}.json`);
  const env = { ...process.env, ...stack.info.env };
  const all: Measured[] = [];
  for (let run = 0; run <= runs; run++) {
    // A new job and index each time, because writing the same records again is slower than indexing.
    const job = index ? `${name}-${Date.now()}` : name;
    await writeFile(file, JSON.stringify((index ? buildIndexFlow : buildChunkFlow)(job, documents), null, 2));
    const item = await measureRun(file, stack.workerPid, env);
    if (index) await fetch(`http://${env['SEARCH_HOST']}:${env['SEARCH_PORT']}/${job}`, { method: 'DELETE' });
    const { report } = item;
    if (report.totals.completed !== corpus.docx + corpus.markdown)
      throw new Error(
        `${report.totals.completed} of ${corpus.docx + corpus.markdown} documents completed: ${JSON.stringify(report.totals)}`,
      );
    all.push(item);
    const operators = report.operators
      .map((operator) => `${operator.name} ${operator.out} (${operator.seconds.toFixed(1)} s)`)
      .join(', ');
    say(
      `${run === 0 ? 'warm-up' : `run ${run}  `}  ${report.seconds.toFixed(2)} s in the run, ${item.processSeconds.toFixed(2)} s in the process, worker up to ${item.workerPeakMb.toFixed(0)} MB; rows (and work, summed over batches): ${operators}`,
    );
  }
  return all.slice(1);
}

runCommand(main);
