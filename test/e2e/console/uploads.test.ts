import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import type { Console } from '../../support/system/console';
import { setUpConsole, waitForEnd } from '../../support/system/console-screens';
import { loggedIn } from '../../support/system/over-http';

/** Uploads in a browser when something goes wrong: the connection, names, folders, other windows. */
let console: Console;
setUpConsole({}, (started) => {
  console = started;
});

const makeFiles = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    name: `note-${index}.md`,
    mimeType: 'text/markdown',
    buffer: Buffer.from(`# Note ${index}\n\nFerry ${index} leaves.`),
  }));

const choose = (page: Page, files: ReturnType<typeof makeFiles>) =>
  page.locator('input[type=file]').setInputFiles(files);

/** Drops a folder without files; tests cannot make a real one. */
const dropEmptyFolder = `(() => {
  const reader = { readEntries: (done) => done([]) };
  const entry = { isFile: false, isDirectory: true, name: 'empty', createReader: () => reader };
  const event = new Event('drop', { bubbles: true, cancelable: true });
  Object.defineProperty(event, 'dataTransfer', { value: { items: [{ webkitGetAsEntry: () => entry }], files: [] } });
  document.querySelector('.drop').dispatchEvent(event);
})()`;

/** Whether the browser would leave the page to open a file that is dropped beside the area. */
const opensFilesDroppedBeside = `['dragover', 'drop'].some((type) => {
  const event = new Event(type, { bubbles: true, cancelable: true });
  Object.defineProperty(event, 'dataTransfer', { value: { items: [], files: [], types: ['Files'] } });
  document.querySelector('nav').dispatchEvent(event);
  return !event.defaultPrevented;
})`;

test('an upload waits for a lost connection, says so, and then sends every file', async () => {
  const { page, problems } = await console.openAs('alice', '/add');
  await page.getByText('No files chosen yet.').waitFor();
  await choose(page, makeFiles(12));
  let isLost = false;
  let seen = 0;
  // The connection breaks after the second part of a file was sent.
  await page.route(/\/api\//, async (route) => {
    if (/\/parts\//.test(route.request().url()) && (seen += 1) > 2 && !isLost && seen < 100) isLost = true;
    return isLost ? route.abort('connectionreset') : route.continue();
  });
  await page.getByRole('button', { name: 'Upload 12 and start' }).click();
  await page
    .getByText(
      'Docloom does not answer. Check your connection, and whether the server is running. The upload continues as soon as it can.',
    )
    .waitFor();
  seen = 100;
  isLost = false;
  await waitForEnd(page);
  await page.getByText('12 / 12').waitFor();
  expect(problems).toEqual([]);
});

test('two windows start at the same time without names, and both run', async () => {
  const windows = await Promise.all([0, 1].map(() => console.openAs('alice', '/add')));
  for (const { page } of windows) {
    await page.getByText('No files chosen yet.').waitFor();
    await choose(page, makeFiles(1));
  }
  await Promise.all(windows.map(({ page }) => page.getByRole('button', { name: 'Upload 1 and start' }).click()));
  for (const { page } of windows) await page.getByRole('heading', { name: /^Run of Documents / }).waitFor();
  expect(new Set(windows.map(({ page }) => page.url())).size).toBe(2);
});

test('a start that failed after the flow was created succeeds the second time', async () => {
  const { page } = await console.openAs('alice', '/add');
  await page.getByText('No files chosen yet.').waitFor();
  await choose(page, makeFiles(1));
  await page.route(/\/job_runs$/, (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()));
  await page.getByRole('button', { name: 'Upload 1 and start' }).click();
  await page.getByText('Docloom does not answer. Check your connection, and whether the server is running.').waitFor();
  await page.unroute(/\/job_runs$/);
  await page.getByRole('button', { name: 'Upload 1 and start' }).click();
  await page.getByRole('heading', { name: /^Run of Documents .* 2$/ }).waitFor();
  expect(await page.getByText('Docloom does not answer').count()).toBe(0);
});

test('a folder without files is reported, and a file dropped beside the area does not replace the page', async () => {
  const { page } = await console.openAs('alice', '/add');
  await page.getByText('No files chosen yet.').waitFor();
  await page.evaluate(dropEmptyFolder);
  await page.getByText('There are no files in what was dropped.').waitFor();
  expect(await page.evaluate(opensFilesDroppedBeside)).toBe(false);
  await choose(page, makeFiles(1));
  await page.getByText('There are no files in what was dropped.').waitFor({ state: 'detached' });
});

test('a file that is gone says what to do and can be chosen again, and a name that cannot be used is said before the upload', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'docloom-uploads-'));
  try {
    const file = path.join(folder, 'ferry.md');
    writeFileSync(file, '# Ferry');
    const { page } = await console.openAs('alice', '/add');
    await page.getByText('No files chosen yet.').waitFor();
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByLabel('Name of the library (optional)').fill('Fähren/2026');
    await page.getByText(/^Begin with a letter/).waitFor();
    expect(await page.getByRole('button', { name: 'Upload 1 and start' }).isEnabled()).toBe(false);
    await page.getByLabel('Name of the library (optional)').fill('');
    rmSync(file);
    await page.getByRole('button', { name: 'Upload 1 and start' }).click();
    await page.getByText('The file was changed, moved or removed after you chose it. Choose it again.').waitFor();
    writeFileSync(file, '# Ferry of the evening');
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('button', { name: 'Upload 1 and start' }).click();
    await page.getByRole('heading', { name: /^Run of Documents / }).waitFor();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a library takes files with forbidden names, leaves out empty ones, and keeps the rest when one is refused', async () => {
  const { client } = await loggedIn(console.address, 'alice');
  const { library_id: id } = await client.documentLibraries.create({ name: `uploads ${console.address.slice(-5)}` });
  const { page, problems } = await console.openAs('alice', `/libraries/${id}`);
  await page.getByText('The library has no files.').waitFor();
  const [first] = makeFiles(1);
  if (!first) throw new Error('There is no file.');
  await choose(page, [
    { ...first, name: 'con.txt' },
    { ...first, name: 'fine <b>?.md' },
    { ...first, name: 'empty.md', buffer: Buffer.alloc(0) },
  ]);
  await page.getByText('The file is empty and will be left out.').waitFor();
  await page.getByText('Stored as fine _b__.md').waitFor();
  await page.getByRole('button', { name: 'Upload 2 files' }).click();
  await page.getByText(/device on Windows/).waitFor();
  await page.getByText('1 file was uploaded.').waitFor();
  await page.getByRole('link', { name: 'fine _b__.md' }).waitFor();
  expect(await console.look(page, 'library-refused')).toEqual([]);
  await page.getByRole('button', { name: 'Remove con.txt' }).click();
  await page.getByText('con.txt').waitFor({ state: 'detached' });
  expect(problems).toEqual([]);
});
