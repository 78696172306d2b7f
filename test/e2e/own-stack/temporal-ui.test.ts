import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { Client } from '../../../client';
import type { StackInfo } from '../../../embedded/stack-file';
import { startBrowser } from '../../support/system/browser';
import { getClient, createOwnStacks } from '../../support/system/own-stack';
import { createDoor, until } from '../../support/system/system';

/**
 * What an operator sees of a run in the Temporal UI while OpenSearch is unavailable, after a run has failed, and after
 * half of its documents have failed. With DOCLOOM_SCREENSHOTS=<folder>, stores the pictures of docs/operations.md.
 */
const stacks = createOwnStacks('temporal-ui');
const pictures = process.env['DOCLOOM_SCREENSHOTS'];
let door: Awaited<ReturnType<typeof createDoor>>;
let stack: StackInfo;
let browser: Browser;
let client: Client;
const listHeight = 560;

beforeAll(async () => {
  write('reports', 120, (index) => [
    `report-${index}.md`,
    `# Report ${index}\n\n${'Text of the report. '.repeat(100)}`,
  ]);
  write('invoices', 36, (index) =>
    index % 3 === 0 ? [`scan-${index}.docx`, 'no zip'] : [`invoice-${index}.md`, `# Invoice ${index}\n\nTotal: 12`],
  );
  door = await createDoor(process.env['SEARCH_HOST'] ?? '127.0.0.1', Number(process.env['SEARCH_PORT']));
  stack = await stacks.up('one', {
    SEARCH_HOST: '127.0.0.1',
    SEARCH_PORT: String(door.port),
    SEARCH_DEFAULT_INDEX: `ui-${randomUUID().slice(0, 8)}`,
  });
  client = getClient(stack);
  browser = await startBrowser();
}, 400_000);
/** For a test that failed while OpenSearch was unreachable. */
let isShut = false;
afterEach(async () => {
  if (isShut) await door.open();
  isShut = false;
});
afterAll(async () => {
  await browser?.close();
  await stacks.stop();
  door?.close();
});

function write(folder: string, count: number, file: (index: number) => [name: string, text: string]): void {
  mkdirSync(path.join(stacks.folder, folder));
  for (let index = 1; index <= count; index += 1) {
    const [name, text] = file(index);
    writeFileSync(path.join(stacks.folder, folder, name), text);
  }
}

/** Starts a run of a flow over a folder, one of whose operators needs OpenSearch. */
async function start(name: string, folder: string): Promise<string> {
  const after = (type: string, own: string, before: string, config = {}) => ({
    ...{ type, name: own, depends_on: [before], config },
  });
  const { flow_id } = await client.flows.create({
    flow_name: name,
    flow: [
      {
        type: 'ingest_source',
        name: 'ingest',
        config: { connection_params: { paths: [path.join(stacks.folder, folder)] } },
      },
      after('extract_operator', 'extract', 'ingest'),
      after('embeddings', 'embed', 'extract', { type: 'hashing' }),
      after('vectordb', 'index', 'embed', {
        provider: 'opensearch',
        index_name: `${name}-${randomUUID().slice(0, 8)}`,
      }),
    ],
    global_config: { micro_batch_size: 6, max_concurrent_batches: 2 },
  });
  return (await client.jobRuns.create({ flow_id })).job_run_id;
}

async function waitForEnd(runId: string): Promise<string> {
  await until(`${runId} has ended`, async () => Boolean((await client.jobRuns.get(runId)).ended_at), 240_000);
  return (await client.jobRuns.get(runId)).status;
}

/** A window whose list of workflows has the columns that docs/operations.md asks for. */
async function open(height: number): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height } });
  const columns = ['Status', 'Outcome', 'FailedDocuments', 'Documents', 'WaitingFor', 'Workflow ID'];
  const value = JSON.stringify({ default: columns.map((label) => ({ label })) });
  await page.addInitScript(`localStorage.setItem('namespace-workflow-table-columns', ${JSON.stringify(value)})`);
  return page;
}

async function list(page: Page, query: string): Promise<void> {
  await page.goto(`${stack.temporalUiAddress}/namespaces/default/workflows?query=${encodeURIComponent(query)}`);
}

/** The first workflow of the list whose id begins with this name. */
function linkTo(page: Page, name: string) {
  return page.getByRole('link', { name: new RegExp(`^${name}/`) }).first();
}

/** Goes from the list to the page of the first workflow whose id begins with this name. */
async function openRun(page: Page, name: string): Promise<void> {
  await list(page, '`WorkflowType`="runFlow"');
  await linkTo(page, name).click();
  await page.getByText('Event History').first().waitFor();
}

function isVisible(page: Page, text: string): Promise<boolean> {
  const found = page.getByText(text).locator('visible=true').first().waitFor({ timeout: 10_000 });
  return found.then(
    () => true,
    () => false,
  );
}

/** The texts of all frames: the page shows Markdown in frames of their own. */
async function readFrames(page: Page): Promise<string> {
  const texts = page.frames().map((frame) =>
    frame
      .locator('body')
      .innerText({ timeout: 5_000 })
      .catch(() => ''),
  );
  return (await Promise.all(texts)).join('\n');
}

async function expectText(page: Page, ...texts: (string | RegExp)[]): Promise<void> {
  for (const text of texts) await page.getByText(text).locator('visible=true').first().waitFor({ timeout: 60_000 });
}

async function keepPicture(page: Page, name: string): Promise<void> {
  if (pictures) await page.screenshot({ path: path.join(pictures, `${name}.png`) });
}

test('a stuck run is in the list of waiting workflows, and its details show what it waits for and since when', async () => {
  const runId = await start('reports', 'reports');
  await until('documents are indexed', async () => (await client.jobRuns.get(runId)).totals.completed > 0, 180_000);
  door.shut();
  isShut = true;
  const page = await open(listHeight);
  const waits = async () => {
    await list(page, '`WaitingFor` IS NOT NULL');
    return isVisible(page, 'SEARCH_CONNECTION_FAILED');
  };
  await until('the run waits', waits, 120_000);
  await linkTo(page, 'reports').waitFor();
  await keepPicture(page, 'temporal-stuck-list');
  const address = await linkTo(page, 'reports').getAttribute('href');
  await page.setViewportSize({ width: 1440, height: 1000 });
  await linkTo(page, 'reports').click();
  const waiting = /Waiting since \d{4}-.* UTC: The search index cannot be reached\./;
  await expectText(page, waiting);
  await keepPicture(page, 'temporal-stuck');
  const metadata = (address ?? '').replace(/(\/(timeline|history))?(\?.*)?$/, '/user-metadata');
  await page.goto(`${stack.temporalUiAddress}${metadata}`);
  // A busy worker answers late, and the page asks once.
  const hasDetails = async () => {
    await page.reload();
    const details =
      /Waiting for servers that are unreachable.*SEARCH_CONNECTION_FAILED.* since \d{4}-.*The search index cannot be reached\./s;
    const isThere = async () => details.test(await readFrames(page));
    return until('the details are there', isThere, 10_000).then(
      () => true,
      () => false,
    );
  };
  await until(`the worker has answered at ${metadata}`, hasDetails, 120_000);
  await door.open();
  isShut = false;
  expect(await waitForEnd(runId)).toBe('COMPLETED');
  const isEmpty = async () => {
    await list(page, '`WaitingFor` IS NOT NULL');
    return isVisible(page, '0 Workflows');
  };
  await until('no run waits', isEmpty);
  await page.close();
}, 600_000);

test('a failed run is red, with code and reason on its page', async () => {
  expect(await waitForEnd(await start('contracts', 'contracts-2027'))).toBe('FAILED');
  const page = await open(900);
  await openRun(page, 'contracts');
  await expectText(page, /The source path .*contracts-2027.* does not exist on the worker/, /SOURCE_NOT_FOUND/);
  await keepPicture(page, 'temporal-failed');
  await page.close();
});

test('a partly failed run is found by its failed documents, and its result shows how many failed, where and why', async () => {
  expect(await waitForEnd(await start('invoices', 'invoices'))).toBe('COMPLETED_WITH_ERRORS');
  const page = await open(listHeight);
  await list(page, '`FailedDocuments` > 0');
  await expectText(page, 'COMPLETED_WITH_ERRORS');
  await linkTo(page, 'invoices').waitFor();
  await keepPicture(page, 'temporal-half-failed-list');
  await page.setViewportSize({ width: 1280, height: 900 });
  await openRun(page, 'invoices');
  await expectText(page, /24 of 36 documents completed, 12 failed/, /extract: 12 failed/, /DOCUMENT_CORRUPT: 12/);
  await keepPicture(page, 'temporal-half-failed');
  await page.close();
});
