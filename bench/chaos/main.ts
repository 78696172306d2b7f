import { appendFileSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { print, runCommand } from '../support/command';
import { createRandom } from '../support/random';
import { packageRoot } from '../support/stack';
import { injectFault, describeFault, drawFault, faultKinds } from './faults';
import { type Outcome, retryWhileAway } from './persist';
import { type ChaosStack, startChaosStack } from './stack';
import { findOrphans } from './state';
import { createConvertWorkload, createGraphWorkload, createRunWorkload, type Workload } from './workloads';

const usage = `npm run chaos -- [--workload run|convert|graph]… [--fault kill|stop|cut|slow|disk]… [--seeds N] [--first-seed N]
                 [--documents N] [--corpus DIR] [--data DIR] [--minutes N] [--patience SECONDS]

Starts an installation and disturbs it while it works: SIGKILL, SIGSTOP, cut and slow connections, and, if --data is on a separate disk of
at most 4 GB, a full disk. Each seed draws a process, a fault and a moment. The results are compared with those of an undisturbed run.
A run, task or graph that takes longer than --patience (300) counts as lost. Prints one row for each seed, and appends it to
DIR/chaos.jsonl. Exits with 1 when anything differs.`;

/** One row of the table. */
interface Row {
  seed: number;
  workload: Workload['name'];
  fault: string;
  /** From the end of the fault until the api and the worker report that they are ready. */
  recoverySeconds: number;
  seconds: number;
  undisturbedSeconds: number;
  /** Empty if everything is the same as after an undisturbed run. */
  differences: string[];
}

interface Options {
  workloads: string[];
  faults: string[];
  seeds: number;
  firstSeed: number;
  documents: number;
  corpus: string;
  dataDir: string;
  minutes: number;
  patienceMs: number;
}

runCommand(async (argv) => {
  const options = readOptions(argv);
  if (!options) return print(usage);
  const files = copyDocuments(options);
  const { dataDir, patienceMs } = options;
  const stack = await startChaosStack({ dataDir, patienceMs, log: (line) => process.stderr.write(`${line}\n`) });
  // Otherwise the supervisor would restart the servers that the signal ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void stack.stop().finally(() => process.exit(1)));
  try {
    return await disturb(stack, files, options);
  } finally {
    await stack.stop();
  }
});

function readOptions(argv: string[]): Options | undefined {
  const { values } = parseArgs({
    args: argv,
    options: {
      workload: { type: 'string', multiple: true, default: ['run', 'convert', 'graph'] },
      fault: { type: 'string', multiple: true, default: [...faultKinds] },
      seeds: { type: 'string', default: '20' },
      'first-seed': { type: 'string', default: '1' },
      documents: { type: 'string', default: '60' },
      corpus: { type: 'string', default: path.join(packageRoot, 'samples', 'documents') },
      data: { type: 'string', default: '.docloom-chaos' },
      minutes: { type: 'string', default: '600' },
      patience: { type: 'string', default: '300' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  return {
    workloads: values.workload,
    faults: values.fault,
    seeds: Number(values.seeds),
    firstSeed: Number(values['first-seed']),
    documents: Number(values.documents),
    corpus: path.resolve(values.corpus),
    dataDir: path.resolve(values.data),
    minutes: Number(values.minutes),
    patienceMs: Number(values.patience) * 1_000,
  };
}

/** Copies documents from all parts of the corpus to the folder that flows may read. */
function copyDocuments({ corpus, documents, dataDir }: Options): string[] {
  const folder = `${dataDir}-documents`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const all = readdirSync(corpus, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(pdf|docx|xlsx|pptx|doc|xls|ppt|msg|md|html|csv|txt)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !existsSync(file.replace(/(\.words)?\.txt$/, '')) || !file.endsWith('.txt'))
    .toSorted();
  const step = Math.max(1, all.length / documents);
  return Array.from({ length: Math.min(documents, all.length) }, (_none, index) => {
    const from = all[Math.floor(index * step)] as string;
    const to = path.join(folder, `${String(index).padStart(4, '0')}-${path.basename(from)}`);
    copyFileSync(from, to);
    return to;
  });
}

async function disturb(stack: ChaosStack, files: readonly string[], options: Options): Promise<number> {
  const deadline = Date.now() + options.minutes * 60_000;
  let differing = 0;
  let done = 0;
  for (const workload of await createWorkloads(stack, files, options)) {
    // The first run warms up the worker.
    const first = await workload.perform(stack);
    const began = Date.now();
    const expected = await workload.perform(stack);
    const usualMs = Date.now() - began;
    const unstable = findDifferences(first, expected);
    if (unstable.length > 0) throw new Error(`Two undisturbed runs differ: ${unstable.join('; ')}`);
    print(`${workload.name}: ${(usualMs / 1000).toFixed(1)} s undisturbed; ${JSON.stringify(expected).slice(0, 300)}`);
    for (let seed = options.firstSeed; seed < options.firstSeed + options.seeds && Date.now() < deadline; seed += 1) {
      const row = await disturbOnce(stack, workload, { seed, expected, usualMs, faults: options.faults });
      appendFileSync(path.join(options.dataDir, 'chaos.jsonl'), `${JSON.stringify(row)}\n`);
      print(describeRow(row));
      done += 1;
      if (row.differences.length > 0) differing += 1;
    }
  }
  print(`${done} seeds, ${differing} with differences.`);
  return differing === 0 ? 0 : 1;
}

async function createWorkloads(
  stack: ChaosStack,
  files: readonly string[],
  { workloads }: Options,
): Promise<Workload[]> {
  const made: Workload[] = [];
  if (workloads.includes('run')) made.push(createRunWorkload(path.dirname(files[0] as string)));
  if (workloads.includes('convert')) made.push(createConvertWorkload(files));
  if (workloads.includes('graph')) {
    await createRunWorkload(path.dirname(files[0] as string)).perform(stack);
    const { documents } = await retryWhileAway(() => stack.client.documents.search({ limit: 100 }));
    const ids = [...new Set(documents.map(({ metadata }) => String(metadata['document_id'])))];
    const [set] = (await retryWhileAway(() => stack.client.documentSets.list({ limit: 1 }))).items;
    made.push(createGraphWorkload(ids.toSorted().slice(0, 30), set?.id ?? ''));
  }
  return made;
}

async function disturbOnce(
  stack: ChaosStack,
  workload: Workload,
  { seed, expected, usualMs, faults }: { seed: number; expected: Outcome; usualMs: number; faults: readonly string[] },
): Promise<Row> {
  const fault = drawFault(createRandom(seed * 7_919 + workload.name.length), stack, faults);
  const began = Date.now();
  const working = workload.perform(stack).then(
    (outcome) => ({ outcome, seconds: (Date.now() - began) / 1000 }),
    (error: unknown) => ({ outcome: { broke: String(error) } as Outcome, seconds: (Date.now() - began) / 1000 }),
  );
  await delay(fault.moment * usualMs);
  const broke = await injectFault(stack, fault).then(
    () => [],
    (error: unknown) => [`the fault could not be injected: ${String(error)}`],
  );
  const recoverySeconds = await waitUntilReady(stack);
  const { outcome, seconds } = await working;
  const left = (await findOrphans(stack)).map((orphan) => `still running: ${orphan}`);
  return {
    seed,
    workload: workload.name,
    fault: describeFault(fault),
    recoverySeconds,
    seconds,
    undisturbedSeconds: usualMs / 1000,
    differences: [...broke, ...findDifferences(expected, outcome), ...left],
  };
}

/** The time until two responses in a row report that everything is ready; the first may precede the detection of a kill. */
async function waitUntilReady(stack: ChaosStack): Promise<number> {
  const began = Date.now();
  await delay(200);
  for (let inRow = 0; inRow < 2; await delay(100)) {
    inRow = (await stack.isReady()) ? inRow + 1 : 0;
    if (Date.now() - began > 300_000) return Infinity;
  }
  return (Date.now() - began) / 1000;
}

function findDifferences(expected: Outcome, outcome: Outcome): string[] {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(outcome)])];
  return names
    .filter((name) => !isDeepStrictEqual(expected[name], outcome[name]))
    .map((name) => {
      const [own, wanted] = omitEqual(outcome[name], expected[name]);
      return `${name}: ${shorten(own)} instead of ${shorten(wanted)}`;
    });
}

function shorten(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 600);
}

/** The members in which two lists of the same length differ. */
function omitEqual(found: unknown, expected: unknown): [unknown, unknown] {
  if (!Array.isArray(found) || !Array.isArray(expected) || found.length !== expected.length) return [found, expected];
  const differs = (_: unknown, index: number) => JSON.stringify(found[index]) !== JSON.stringify(expected[index]);
  return [found.filter(differs), expected.filter(differs)];
}

function describeRow({
  seed,
  workload,
  fault,
  recoverySeconds,
  seconds,
  undisturbedSeconds,
  differences,
}: Row): string {
  const result = differences.length === 0 ? 'same' : `DIFFERENT: ${differences.join('; ')}`;
  const times = `${recoverySeconds.toFixed(1)} | ${seconds.toFixed(1)} (${undisturbedSeconds.toFixed(1)})`;
  return `| ${seed} | ${workload} | ${fault} | ${times} | ${result} |`;
}
