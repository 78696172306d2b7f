import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { createClient } from '../client';
import { type Config, readConfig } from '../model/config';
import { createUnlimitedRights } from '../model/run/rights';
import { buildPartName, type PartReport, type RunState } from '../model/run/run';
import { createLoginStates } from '../services/login/login-states';
import { createFailures } from '../services/run/failures';
import type { RunRecord } from '../services/run/run-record';
import { createRuns } from '../services/run/runs';
import { createRunsStore } from '../services/run/runs-store';
import { connectMongo, type Mongo } from '../services/storage/mongo';
import { createConfiguredSealer } from '../services/storage/sealing/sealer-keys';
import { readTemporalOptions } from '../services/temporal/client';
import { print, runCommand } from './support/command';
import { findChromium } from './support/find-chromium';
import { indexLongDocument, type LongDocument } from './support/long-document';
import { describeMachine } from './support/machine';
import { computeMedian } from './support/measure';
import { openStack } from './support/stack';
import { reportTargets, type Target } from './support/targets';

const usage = `usage: node dist/bench/console-lists.js

Opens the console in Chromium with 1,000 runs, 100,000 failed documents, and a run of 10,000 documents in progress, which it writes
into the database, and with a PDF of 1,000 pages, which a flow indexes; removes all of them at the end. Uses the docloom up of the
data folder (DOCLOOM_DATA), else starts one and stops it. Exits 1 when a screen takes a second or more.`;

const owner = 'bench-console';
const runsMade = 1_000;
const failedOfRun = 1_000;
const failedMade = 100_000;
const documentsOfRun = 10_000;
const documentsOfPart = 100;
const times = 5;
const pagesOfDocument = 1_000;

const operators = ['ingest', 'extract', 'chunk', 'embed', 'index'];
const types = ['ingest_source', 'extract_operator', 'chunker', 'embeddings', 'vectordb'];
const flow = operators.map((name, index) => ({
  type: types[index] ?? '',
  name,
  ...(index === 0 ? {} : { depends_on: [operators[index - 1] ?? ''] }),
}));
const planned = operators.map((name, index) => ({
  name,
  type: types[index] ?? '',
  inputs: index === 0 ? [] : [operators[index - 1] ?? ''],
}));

async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) return print(usage);
  const dataDir = path.resolve(readConfig(process.env).DOCLOOM_DATA);
  // First, since it needs no stack and may be missing.
  const browser = await chromium.launch({
    ...findChromium(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
  const stack = await openStack(dataDir);
  const config = readConfig({ ...process.env, ...stack.info.env });
  const mongo = connectMongo(config.MONGODB_URL, createConfiguredSealer(config));
  let long: LongDocument | undefined;
  try {
    for (const line of await describeMachine(stack.info.env)) print(line);
    await removeRecords(mongo);
    const live = await writeRecords(mongo, config);
    const server = `http://127.0.0.1:${stack.info.env['DOCLOOM_PORT'] ?? '8080'}`;
    const { access_token: token } = await createClient({ baseUrl: server }).oauth2.exchange(
      await createLoginCode(mongo),
    );
    long = await indexLongDocument(createClient({ baseUrl: server, token }), pagesOfDocument);
    print(`a document of ${pagesOfDocument} pages`);
    const address = `${server}/console`;
    const link = `${address}/login#code=${await createLoginCode(mongo)}`;
    return reportTargets(await measure(browser, link, { address, live, documentId: long.documentId }), print);
  } finally {
    // A failure here must neither hide the earlier error nor leave a stack behind.
    const ends = [
      () => browser.close(),
      () => long?.remove(),
      () => removeRecords(mongo),
      () => mongo.close(),
      () => stack.close(),
    ];
    for (const end of ends) await Promise.resolve(end()).catch((error: unknown) => print(`clean-up: ${String(error)}`));
  }
}

function buildRun(index: number, status: RunState): RunRecord {
  const time = new Date(Date.now() - index * 60_000).toISOString();
  const isLive = status === 'RUNNING';
  return {
    job_run_id: randomUUID(),
    job_id: `bench-${index % 20}`,
    flow_id: `bench-${index % 20}`,
    flow_name: `Bench flow ${index % 20}`,
    project_id: null,
    owner,
    acting: createUnlimitedRights(owner),
    status,
    message: '',
    warnings: [],
    created_at: time,
    started_at: time,
    ended_at: isLive ? null : time,
    totals: { documents: 100, completed: 98, failed: 2, skipped: 0, deleted: 0, pages: 300 },
    metadata: {},
    snapshot: {
      flow: { flow_name: `Bench flow ${index % 20}`, flow },
      plan: {
        sources: planned.slice(0, 1),
        stages: [{ scope: 'row', operators: planned.slice(1) }],
        batchSize: documentsOfPart,
        maxConcurrentBatches: 4,
        failFast: false,
      } as never,
      plan_hash: 'bench',
    },
  };
}

/** Writes everything through the stores, in the form in which runs write it. Returns the run that is in progress. */
async function writeRecords(mongo: Mongo, config: Config): Promise<string> {
  const store = createRunsStore(mongo);
  for (let index = 1; index < runsMade; index += 1)
    await store.create(buildRun(index, index % 9 === 0 ? 'FAILED' : 'COMPLETED_WITH_ERRORS'));
  const failures = createFailures(mongo);
  for (let from = 0; from < failedMade; from += failedOfRun) {
    const documents = Array.from({ length: failedOfRun }, (_, index) => ({
      id: `bench-document-${from + index}`,
      name: `quarterly report ${from + index}.pdf`,
      code: ['DOCUMENT_CORRUPT', 'DOCUMENT_ENCRYPTED', 'CONVERSION_TIMEOUT'][index % 3] ?? '',
      message: `'quarterly report ${from + index}.pdf' is damaged: it ends before its last table.`,
      operator: 'extract',
      outcome: 'failed' as const,
    }));
    await failures.record(buildRun(from / failedOfRun, 'COMPLETED_WITH_ERRORS'), documents, []);
  }
  // No worker polls this queue, so the run stays in progress.
  const runs = createRuns(
    readTemporalOptions({ ...config, DOCLOOM_TASK_QUEUE: 'bench-console-without-worker' }, mongo),
  );
  const live = await store.create(buildRun(0, 'RUNNING'));
  await runs.start(live);
  await runs.close();
  for (const [place, name] of operators.entries()) await writeParts(store, live.job_run_id, { place, name });
  print(`${runsMade} runs, ${failedMade} failed documents, a run of ${documentsOfRun} documents in progress`);
  return live.job_run_id;
}

/** Each operator is a few batches behind the one before it. */
async function writeParts(
  store: ReturnType<typeof createRunsStore>,
  runId: string,
  { place, name }: { place: number; name: string },
): Promise<void> {
  const parts = documentsOfRun / documentsOfPart - place * 8;
  const now = new Date().toISOString();
  for (let part = 0; part < parts; part += 1) {
    const failed = name === 'extract' ? 2 : 0;
    const failures = Array.from({ length: failed }, (_, index) => ({
      id: `${part}-${index}`,
      name: `report ${part}-${index}.pdf`,
      code: 'DOCUMENT_CORRUPT',
      message: 'The file is damaged.',
    }));
    const report: PartReport = {
      in: documentsOfPart,
      out: documentsOfPart - failed,
      documents: documentsOfPart,
      failed,
      skipped: 0,
      seconds: 3,
      failures,
      warnings: [],
      metrics: {},
      pages: 0,
    };
    const documents = failures.map((failure) => ({ ...failure, operator: name, outcome: 'failed' as const }));
    const operator = { name, type: types[place] ?? '' };
    await store.recordPart(runId, operator, buildPartName(part, ''), {
      report,
      documents,
      times: { started: now, ended: now },
    });
  }
}

async function createLoginCode(mongo: Mongo): Promise<string> {
  const user = { username: owner, email: '', full_name: '', groups: [] };
  return createLoginStates(mongo, () => new Date()).put('code', { user }, 60);
}

async function measure(
  browser: Browser,
  link: string,
  { address, live, documentId }: { address: string; live: string; documentId: string },
): Promise<Target[]> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole('region', { name: 'Active runs' }).waitFor();
  // The long document fails once more in a run that a busy machine lets time out.
  const screens: [string, string, (page: Page) => Promise<unknown>][] = [
    ['Home', '/', (page) => page.getByText(/^100,00\d failed documents$/).waitFor()],
    ['Runs, of 1,000', '/runs', (page) => page.getByText(/^1–50 of 1,00\d/).waitFor()],
    ['Runs, the last page', '/runs?offset=950', (page) => page.getByText(/^951–1,000 of 1,00\d/).waitFor()],
    ['Failed documents, of 100,000', '/failed', (page) => page.getByText(/^1–50 of 100,00\d/).waitFor()],
    [
      'Failed documents, of one code',
      '/failed?group=DOCUMENT_CORRUPT',
      (page) => page.getByText(/^1–50 of 33/).waitFor(),
    ],
    ['Failed documents, page 1,900', '/failed?offset=95000', (page) => page.getByText('95,001–95,050 of').waitFor()],
    ['A run of 10,000 documents in progress', `/runs/${live}`, (page) => page.locator('svg.graph').first().waitFor()],
    [
      `A document of ${pagesOfDocument} pages`,
      `/documents/${documentId}`,
      (page) => page.locator('.page-view img').first().waitFor(),
    ],
  ];
  const targets: Target[] = [];
  for (const [name, place, shows] of screens) {
    const taken: number[] = [];
    for (let turn = 0; turn <= times; turn += 1) {
      const started = performance.now();
      await page.goto(`${address}${place}`);
      await shows(page).catch(async (error: unknown) => {
        process.stderr.write(`${name} shows:\n${(await page.locator('main').innerText()).slice(0, 1_000)}\n`);
        throw error;
      });
      // The first visit fills the code caches of browser and server.
      if (turn > 0) taken.push(performance.now() - started);
    }
    targets.push({ name, value: computeMedian(taken) / 1_000, unit: ' s', atMost: 1 });
    process.stderr.write(`${name}: ${taken.map((ms) => Math.round(ms)).join(', ')} ms\n`);
  }
  return targets;
}

async function removeRecords(mongo: Mongo): Promise<void> {
  const runs = mongo.collection<{ _id: string; owner: string }>('job_runs');
  const ids = (await runs.find({ owner }, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id);
  const store = createRunsStore(mongo);
  for (const id of ids) await store.remove(id);
  const failed = mongo.collection<{ _id: string; owner: string }>('failed_documents');
  for (;;) {
    // All at once would take the embedded database longer than the connection timeout.
    const some = await failed
      .find({ owner }, { projection: { _id: 1 } })
      .limit(failedOfRun)
      .toArray();
    if (some.length === 0) return;
    await failed.deleteMany({ _id: { $in: some.map(({ _id }) => _id) } });
  }
}

runCommand(main);
