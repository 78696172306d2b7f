import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { RunReport } from '../cli/run/report';
import { readConfig } from '../model/config';
import type { FlowDefinition } from '../model/flow/flow';
import { createTokens } from '../services/login/tokens';
import { type Answer, askAll, type Mode, readTexts } from './relevance/ask';
import { baselines, rankByBm25 } from './relevance/bm25';
import { type Collection, readCollection } from './relevance/collection';
import { compareRankings, computeRelevance, takeEvery } from './relevance/measures';
import { print, runCommand } from './support/command';
import { quantile } from './support/http-load';
import { describeMachine } from './support/machine';
import { type BenchStack, benchFolder, docloom, openStack } from './support/stack';

const usage = `usage: npm run relevance -- FOLDER [options]

  FOLDER               a collection: Cranfield (cran.all.1400, cran.qry, cranqrel), BEIR (corpus.jsonl, queries.jsonl, qrels),
                       or files of any format with questions.json (samples/relevance is one)
  --documents FOLDER   the documents of a collection that has questions only (bench/relevance/long)
  --modes LIST         of text, vector, hybrid; default all
  --every N            asks each Nth question only, from the first; default 1
  --embedder TYPE[:MODEL]  the embeddings operator, such as hashing or onnx:bge-small-en-v1.5; default: the product's default
  --chunker TYPE|JSON  simple, hybrid, semantic, or a configuration of the chunker; default: the product's defaults
  --size N             chunk_size of the chunker: characters, for hybrid tokens
  --no-chunker         one record for each document
  --context            embeds title and headings in front of each chunk
  --keep               leaves the index, and prints its job
  --job ID             asks what a run with --keep has left, instead of ingesting
  --baseline           also ranks the texts of the documents by plain BM25, with and without a crude English stemmer
  --json FILE          writes the figures

Ingests the collection by a flow, asks each question through POST /api/v1/documents/search, and prints nDCG@10, recall@100, MRR
and the time of an answer. Uses the docloom up of the data folder (DOCLOOM_DATA), else starts one and stops it.`;

const reader = 'relevance';
const allModes: readonly Mode[] = ['text', 'vector', 'hybrid'];

interface Options {
  folder: string;
  documents: string | undefined;
  modes: readonly Mode[];
  every: number;
  embedder: Record<string, unknown>;
  chunker: Record<string, unknown> | undefined;
  isKept: boolean;
  job: string | undefined;
  hasBaseline: boolean;
  json: string | undefined;
}

async function main(argv: readonly string[]): Promise<number> {
  const options = readOptions(argv);
  if (!options) return print(usage) || 2;
  const collection = takeEvery(readCollection(options.folder, options.documents), options.every);
  const dataDir = path.resolve(readConfig(process.env).DOCLOOM_DATA);
  process.env['DOCLOOM_SOURCE_ROOTS'] = [process.env['DOCLOOM_SOURCE_ROOTS'], collection.folder]
    .filter(Boolean)
    .join(',');
  const stack = await openStack(dataDir);
  const index = `relevance-${Date.now()}`;
  const env: Record<string, string | undefined> = { ...process.env, ...stack.info.env };
  try {
    for (const line of await describeMachine(stack.info.env)) print(line);
    const jobId = options.job ?? (await ingest(collection, options, { stack, dataDir, index })).job_id;
    const secret = env['JWT_SECRET_KEY'] ?? readFileSync(path.join(dataDir, 'jwt-secret'), 'utf8').trim();
    const user = { username: reader, email: '', full_name: '', groups: [] };
    const token = createTokens({ secret, expireMinutes: 600 }).issue(user);
    const place = { api: stack.info.apiAddress, token, jobId };
    const figures: Record<string, Record<string, number>> = {};
    const texts = options.hasBaseline ? await readTexts(place) : new Map<string, string>();
    for (const [name, baseline] of Object.entries(options.hasBaseline ? baselines : {}))
      figures[name] = tell(name, rankByBm25(texts, collection.questions, baseline));
    for (const mode of options.modes) {
      const answers = await askAll(collection.questions, mode, place);
      figures[mode] = tell(mode, answers);
    }
    for (const line of compareRankings(figures)) print(line);
    if (options.json) await writeFile(options.json, `${JSON.stringify(figures, null, 2)}\n`);
    return 0;
  } finally {
    if (!options.isKept)
      await fetch(`http://${env['SEARCH_HOST']}:${env['SEARCH_PORT']}/${index}`, { method: 'DELETE' });
    await stack.close();
  }
}

/** One line for all questions and, if questions have kinds, one for each kind. */
function tell(mode: string, answers: readonly Answer[]): Record<string, number> {
  const formatLine = (name: string, some: readonly Answer[]) => {
    const { ndcg10, recall100, mrr } = computeRelevance(some);
    const p50 = quantile(
      some.map(({ milliseconds }) => milliseconds),
      0.5,
    );
    print(
      `${name.padEnd(22)} nDCG@10 ${ndcg10.toFixed(3)}  recall@100 ${recall100.toFixed(3)}  MRR ${mrr.toFixed(3)}  p50 ${p50.toFixed(0)} ms  (${some.length})`,
    );
    const reads = some.flatMap(({ read }) => read ?? []);
    if (reads.length > 0) print(`${' '.repeat(22)} ${tellReads(reads)}`);
    return { ndcg10, recall100, mrr, p50 };
  };
  const all = formatLine(mode, answers);
  for (const kind of new Set(answers.flatMap((answer) => answer.kind ?? [])))
    formatLine(
      `  ${kind}`,
      answers.filter((answer) => answer.kind === kind),
    );
  return all;
}

/** Records of different sizes are compared by the number of characters that a reader or a model has to read. */
function tellReads(reads: readonly { records: number; characters: number }[]): string {
  const share = (holds: (read: (typeof reads)[number]) => boolean) =>
    `${((100 * reads.filter(holds).length) / reads.length).toFixed(0)} %`;
  const mrr = reads.reduce((sum, { records }) => sum + 1 / records, 0) / reads.length;
  return (
    `answer: MRR of records ${mrr.toFixed(3)}, first record ${share(({ records }) => records === 1)}, ` +
    [1_000, 2_000, 4_000, 8_000]
      .map((most) => `${most} characters ${share(({ characters }) => characters <= most)}`)
      .join(', ')
  );
}

async function ingest(
  collection: Collection,
  { embedder, chunker, isKept }: Options,
  { stack, dataDir, index }: { stack: BenchStack; dataDir: string; index: string },
): Promise<RunReport> {
  const work = path.join(benchFolder(dataDir), index);
  const documents = collection.folder ?? path.join(work, 'documents');
  await mkdir(path.join(work, 'documents'), { recursive: true });
  for (const { file, text: content } of collection.documents) await writeFile(path.join(documents, file), content);
  const flow: FlowDefinition['flow'] = [
    {
      type: 'ingest_source',
      name: 'ingest',
      config: { provider: 'filesystem', connection_params: { paths: [documents], allowed_users: [reader] } },
    },
    { type: 'extract_operator', name: 'extract', depends_on: ['ingest'], config: {} },
    ...(chunker ? [{ type: 'chunker', name: 'chunk', depends_on: ['extract'], config: chunker }] : []),
    { type: 'embeddings', name: 'embed', depends_on: [chunker ? 'chunk' : 'extract'], config: embedder },
    { type: 'vectordb', name: 'index', depends_on: ['embed'], config: { provider: 'opensearch', index_name: index } },
  ];
  const file = path.join(work, 'flow.json');
  await writeFile(file, JSON.stringify({ flow_name: index, flow }, null, 2));
  const report = await runFlow(file, { ...process.env, ...stack.info.env });
  await rm(work, { recursive: true, force: true });
  print(
    `${collection.name}: ${report.totals.completed} documents in ${report.seconds.toFixed(1)} s, ${collection.questions.length} questions${isKept ? `, job ${report.job_id}, index ${index}` : ''}`,
  );
  return report;
}

/** A sample that cannot be read fails alone (exit code 3). */
async function runFlow(file: string, env: Record<string, string | undefined>): Promise<RunReport> {
  const child = spawn(process.execPath, [docloom, 'run', file, '--json', '--user', reader], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<number | null>((resolve, reject) => child.on('exit', resolve).on('error', reject));
  const [output, code] = await Promise.all([text(child.stdout), exited]);
  if (code !== 0 && code !== 3) throw new Error(`docloom run ended with exit code ${code}: ${output.slice(0, 2_000)}`);
  const report = JSON.parse(output) as RunReport;
  for (const { name, message } of report.failures) process.stderr.write(`failed: ${name}: ${message}\n`);
  for (const warning of report.warnings) process.stderr.write(`warning: ${warning}\n`);
  return report;
}

function readOptions(argv: readonly string[]): Options | undefined {
  const getValue = (name: string) => (argv.includes(name) ? argv[argv.indexOf(name) + 1] : undefined);
  const [folder] = argv;
  if (!folder || folder.startsWith('--')) return undefined;
  const modes = (getValue('--modes')?.split(',') ?? allModes) as Mode[];
  const wrong = modes.find((mode) => !allModes.includes(mode));
  if (wrong !== undefined) throw new Error(`--modes names '${wrong}'; modes are ${allModes.join(', ')}.`);
  const [type, model] = getValue('--embedder')?.split(':') ?? [];
  return {
    folder,
    documents: getValue('--documents'),
    modes,
    every: Math.max(1, Number(getValue('--every') ?? 1)),
    embedder: {
      ...(type ? { type } : {}),
      ...(model ? { provider_config: { model_id: model } } : {}),
      ...(argv.includes('--context') ? { context: true } : {}),
    },
    chunker: argv.includes('--no-chunker') ? undefined : buildChunker(getValue('--chunker'), getValue('--size')),
    isKept: argv.includes('--keep'),
    job: getValue('--job'),
    hasBaseline: argv.includes('--baseline'),
    json: getValue('--json'),
  };
}

function buildChunker(value = '{}', size: string | undefined): Record<string, unknown> {
  const own = value.startsWith('{')
    ? (JSON.parse(value) as Record<string, unknown>)
    : { chunk_type: value, ...(value === 'semantic' ? { embeddings: {} } : {}) };
  return { ...own, ...(size === undefined ? {} : { chunk_size: Number(size) }) };
}

runCommand(main);
