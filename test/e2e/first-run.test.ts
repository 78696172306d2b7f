import { readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { readConfig } from '../../model/config';
import { createLoginStates } from '../../services/login/login-states';
import { connectMongo } from '../../services/storage/mongo';
import { type Console, startConsole } from '../support/system/console';
import { waitForEnd } from '../support/system/console-screens';
import { until } from '../support/system/system';

/**
 * The first run of a new user: the login link, ten files, a template, the run, a search, a hit. With
 * DOCLOOM_SCREENSHOTS=<folder> it takes pictures, including those of docs/images.
 */
const root = path.join(__dirname, '..', '..');
let console: Console;
beforeAll(async () => {
  console = await startConsole();
});
afterEach(() => console.closeWindows());
afterAll(() => console?.stop());

/** The address that `docloom up` prints where no directory is configured. */
async function loginLink(username: string, seconds = 60): Promise<string> {
  const mongo = connectMongo(readConfig(console.system.env).MONGODB_URL);
  try {
    const user = { username, email: '', full_name: '', groups: [] };
    return `${console.address}/console/login#code=${await createLoginStates(mongo, () => new Date()).put('code', { user }, seconds)}`;
  } finally {
    await mongo.close();
  }
}

const openLink = async (link: string) => (await console.open(link)).page;

/** Time that the checks took, which a person would not need. */
let lookedMs = 0;

/** Nothing is wrong with the screen at any width in any scheme. */
async function look(page: Page, name: string): Promise<void> {
  const started = Date.now();
  expect(await console.look(page, name)).toEqual([]);
  lookedMs += Date.now() - started;
}

/** Counts what a person clicks on; the console is one page, so the count survives a change of screens. */
async function countClicks(page: Page): Promise<void> {
  await page.evaluate(
    "globalThis.clicks = 0; addEventListener('click', ({ detail }) => (clicks += detail > 0 ? 1 : 0), true)",
  );
}

/** The figures of console/DESIGN.md. */
function keep(name: string, figures: object): void {
  const folder = process.env['DOCLOOM_SCREENSHOTS'];
  if (folder) writeFileSync(path.join(folder, name), `${JSON.stringify(figures)}\n`);
}

/** Ten of the sample documents, of several formats. */
function tenFiles(): string[] {
  const folder = path.join(root, 'samples', 'documents');
  const files = readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, String(name)))
    .filter((file) => statSync(file).isFile() && !/^\.|protected/.test(path.basename(file)))
    .toSorted();
  return files.slice(0, 10);
}

test('the link logs in, ten dropped files become searchable, and a hit opens on its page, all within two minutes', async () => {
  const begun = Date.now();
  lookedMs = 0;
  const page = await openLink(await loginLink('newcomer'));
  await page.getByText('Nothing has run here yet.').waitFor();
  await countClicks(page);
  expect(page.url()).not.toContain('code=');
  await look(page, 'home-empty');
  const files = tenFiles();
  expect(files).toHaveLength(10);
  await page.locator('input[type=file]').setInputFiles(files);
  await page.getByText(/^10 files, /).waitFor();
  await page.getByLabel('Search these documents').check();
  await page.getByLabel('Name of the library (optional)').fill('First papers');
  await look(page, 'add');
  await page.getByRole('button', { name: 'Upload 10 and start' }).click();
  await page.getByRole('heading', { name: 'Run of First papers: Search these documents' }).waitFor();
  await waitForEnd(page);
  await page.getByText('10 / 10').waitFor();
  await look(page, 'run');
  await page.getByRole('link', { name: 'Search these documents' }).click();
  await page.getByLabel('Search the documents that you may read').fill('calibration');
  await page.keyboard.press('Enter');
  await page.waitForURL(/q=calibration/);
  await page.locator('article.hit').first().waitFor();
  await look(page, 'search');
  await page.getByRole('link', { name: 'TG-210 Tide Gauge: Installation Manual' }).first().click();
  await page.locator('.page-view rect.found').first().waitFor();
  await until('the page is drawn', async () =>
    page.evaluate<boolean>("document.querySelector('.page-view img')?.naturalWidth > 1000"),
  );
  const seconds = Math.round((Date.now() - begun - lookedMs) / 1_000);
  const clicks = await page.evaluate<number>('globalThis.clicks');
  keep('first-run.json', { clicks, seconds });
  expect(clicks).toBeLessThanOrEqual(4);
  await look(page, 'document-pages');
  for (const tab of ['Chunks', 'Life', 'Who may read it'] as const) {
    await page.getByRole('tab', { name: tab }).click();
    await page.locator('main .panel').first().waitFor();
    await look(page, `document-${tab.toLowerCase().replaceAll(' ', '-')}`);
  }
  expect(Date.now() - begun - lookedMs).toBeLessThan(120_000);
});

test('facts are extracted into a table without a model, over documents that were uploaded', async () => {
  const page = await openLink(await loginLink('accountant'));
  const folder = path.join(root, 'samples', 'paperwork');
  const files = readdirSync(folder).filter((name) => /^(invoice|rechnung|factura|purchase)/.test(name));
  await page.getByText('Nothing has run here yet.').waitFor();
  await page.locator('input[type=file]').setInputFiles(files.map((name) => path.join(folder, name)));
  await page.getByLabel('Extract facts').check();
  await page.getByRole('button', { name: `Upload ${files.length} and start` }).click();
  await waitForEnd(page);
  await page.getByRole('link', { name: /^Show the results/ }).click();
  await page.getByRole('heading', { name: 'invoice-bw-2025-014.md' }).waitFor();
  expect(await page.getByText('BW-2025-014').count()).toBeGreaterThan(0);
  await look(page, 'facts');
});

test('a graph is built of uploaded purchase orders', async () => {
  const page = await openLink(await loginLink('buyer'));
  await page.getByText('Nothing has run here yet.').waitFor();
  await page
    .locator('input[type=file]')
    .setInputFiles([path.join(root, 'samples', 'paperwork', 'purchase-order-po-7719.txt')]);
  await page.getByLabel('Build a graph').check();
  await page.getByRole('button', { name: 'Upload 1 and start' }).click();
  await waitForEnd(page);
  await page.getByRole('link', { name: /^Show the results/ }).click();
  await page.getByRole('heading', { name: 'purchase-order-po-7719.txt' }).waitFor();
  expect(await page.locator('article.hit').count()).toBe(1);
});

test('a rejected file has its reason next to its name, and a second start leaves it out', async () => {
  const page = await openLink(await loginLink('unlucky'));
  await page.getByText('Nothing has run here yet.').waitFor();
  await page.locator('input[type=file]').setInputFiles([
    { name: 'con.txt', mimeType: 'text/plain', buffer: Buffer.from('a device') },
    { name: 'fine <b>?.txt', mimeType: 'text/plain', buffer: Buffer.from('A fine text.') },
    { name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) },
  ]);
  await page.getByText('The file is empty and will be left out.').waitFor();
  await page.getByText('Stored as fine _b__.txt').waitFor();
  await page.getByRole('button', { name: 'Upload 2 and start' }).click();
  await page.getByText(/device on Windows/).waitFor();
  await page.getByText('A file was refused').waitFor();
  await look(page, 'refused');
  await page.getByRole('button', { name: 'Upload 1 and start' }).click();
  await waitForEnd(page);
  expect(await page.getByText('1 / 1').count()).toBe(1);
});

test('a login link works once, and not after it has expired', async () => {
  const link = await loginLink('visitor');
  const first = await openLink(link);
  await first.getByText('Logged in as visitor').waitFor();
  const second = await openLink(link);
  await second.getByText('This login link has expired or was already used').waitFor();
  expect(await second.getByText('Logged in as').count()).toBe(0);
  const old = await openLink(await loginLink('visitor', -1));
  await old.getByText('This login link has expired or was already used').waitFor();
});
