import type { Page } from 'playwright-core';
import { unreadablePdf } from '../../attack/unreadable-pdf';
import { type Console, getFindings } from '../../support/system/console';
import {
  type Screens,
  prepareFlow,
  setUpConsole,
  testScreens,
  waitForEnd,
  withAdministrators,
} from '../../support/system/console-screens';
import { indexing, loggedIn, runToEnd } from '../../support/system/over-http';
import type { System } from '../../support/system/system';

/** Every screen for people who use no mouse or a large magnification, or whose documents were read wrongly. */
const hostileName = `<img src=x onerror=window.hacked=1>${'very-long-name-'.repeat(8)}.pdf`;

let console: Console;
let system: System;
let address: string;
let flowId: string;
let runId: string;
let documentId: string;
setUpConsole(withAdministrators, async (started) => {
  console = started;
  ({ system, address } = console);
  const prepared = await prepareFlow(console, 'screens', {
    files: {
      'walrus.md': '# Walrus\n\nA walrus for everybody.',
      'seal.md': '# Seal\n\nA seal rests.',
      'copies/seal.md': '# Seal\n\nA seal rests.',
      'broken.pdf': 'no pdf',
      [hostileName]: Buffer.from(unreadablePdf('A walrus swims far out.', 'A narwhal of the north sea sings.')),
    },
    access: { allowed_users: ['alice', 'bob'] },
    steps: [
      ...indexing(system, 'screens'),
      {
        type: 'document_set',
        name: 'set',
        depends_on: ['extract'],
        config: { document_set_name: 'screens', on_conflict: 'append' },
      },
    ],
  });
  ({ flowId, runId } = prepared);
  const { documents: found } = await prepared.client.documents.search({ query: 'everybody' });
  documentId = found[0]?.id ?? '';
});

/** The focused element, as a screen reader announces it. */
const focused = (page: Page) =>
  page.evaluate<string>(
    "(({ activeElement: one }) => one ? (one.getAttribute('aria-label') ?? (one.labels?.[0] ?? one).innerText ?? '').trim() : '')(document)",
  );

/** Presses Tab until this element has the focus, like a keyboard user. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const passed: string[] = [];
  for (let count = 0; count < 80; count += 1) {
    await page.keyboard.press('Tab');
    const here = await focused(page);
    if (name.test(here)) return;
    passed.push(here.slice(0, 40));
  }
  throw new Error(`Tab never reaches ${name}; it passed ${passed.join(' | ')}.`);
}

/** The same backwards. */
async function shiftTabTo(page: Page, name: RegExp): Promise<void> {
  for (let count = 0; count < 40; count += 1) {
    await page.keyboard.press('Shift+Tab');
    if (name.test(await focused(page))) return;
  }
  throw new Error(`Shift+Tab never reaches ${name}.`);
}

async function activate(page: Page, name: RegExp): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}

test('a doubtful document is looked at, corrected, and found by its new text only; others see no trace', async () => {
  const { page, problems } = await console.openAs('alice');
  await page.getByRole('link', { name: '1 document to review' }).click();
  await page.getByRole('link', { name: hostileName }).waitFor();
  expect(await console.look(page, 'review')).toEqual([]);
  await page.getByRole('link', { name: hostileName }).click();
  await page.getByText(/1 page with a confidence below 70 %/).waitFor();
  await page.getByLabel('Page', { exact: true }).selectOption('2');
  const field = page.getByLabel('Markdown of the document');
  expect(await field.inputValue()).toContain('A walrus swims far out.');
  await page.locator('.page-view img').waitFor();
  expect(await console.look(page, 'review-one')).toEqual([]);
  const own = page.url();
  await field.fill('# Narwhal\n\nA narwhal of the north sea sings. <script>window.hacked=1</script>');
  await page.getByRole('button', { name: 'Save the correction and continue' }).click();
  await page.getByText('No other document waits for a review.').waitFor();
  await page.getByRole('link', { name: 'Open the run' }).click();
  await waitForEnd(page);
  expect(await page.evaluate('"hacked" in globalThis')).toBe(false);
  const { client } = await loggedIn(address, 'alice');
  const search = async (query: string) =>
    (await client.documents.search({ query })).documents.map(({ title }) => title);
  expect(await search('narwhal sings')).toContain('Narwhal');
  expect(await search('swims')).toEqual([]);
  // A run of everything takes the correction, too.
  await runToEnd(client, flowId, { force_ingest: true });
  expect(await search('narwhal sings')).toContain('Narwhal');
  await page.goto(own);
  await page.getByRole('button', { name: 'Discard the correction' }).waitFor();
  expect(problems).toEqual([]);
  const { page: other } = await console.openAs('bob', '/review');
  await other.getByText('No document waits for a review.').waitFor();
  await other.goto(own);
  await other.getByText('This does not exist, or you do not have access to it.').waitFor();
  expect(await other.locator('main').innerText()).not.toMatch(/onerror|narwhal/i);
});

/** All screens, with something to show and with nothing. */
const screens: Screens = {
  home: { to: () => '/', shows: 'Needs attention' },
  add: { to: () => '/add', shows: 'No files chosen yet.' },
  runs: { to: () => '/runs', shows: /^1–\d+ of/ },
  run: { to: () => `/runs/${runId}`, shows: 'What to do next' },
  flows: { to: () => '/flows', shows: /^screens-/ },
  flow: { to: () => `/flows/${flowId}`, shows: 'The flow as JSON' },
  failed: { to: () => '/failed', shows: 'broken.pdf' },
  'failed-empty': { to: () => '/failed?state=left_out', shows: 'No failed document matches.' },
  'review-empty': { to: () => '/review?state=accepted', shows: 'No document matches.' },
  document: { to: () => `/documents/${documentId}`, shows: 'A walrus for everybody.' },
  'document-life': { to: () => `/documents/${documentId}?tab=life`, shows: 'Searchable in' },
  'document-missing': {
    to: () => '/documents/nothing',
    shows: 'This does not exist, or you do not have access to it.',
  },
  'document-access': { to: () => `/documents/${documentId}?tab=access`, shows: 'Everybody who may read it' },
  'flow-new': { to: () => '/flows/new', shows: /No path is given/ },
  'graph-new': { to: () => '/graphs/new', shows: 'What to look for' },
  'search-compare': { to: () => '/search?q=walrus&mode=compare', shows: /^Rank 1/ },
  'search-copies': { to: () => '/search?q=seal', shows: 'The same passage is in 1 more record:' },
  'admin-refused': { to: () => '/admin', shows: 'This page is for administrators.' },
  'search-start': { to: () => '/search', shows: /Type some words/ },
  'search-empty': { to: () => '/search?q=zzzz', shows: 'Nothing that you may read matches.' },
  set: { to: () => '/sets/screens', shows: 'walrus.md' },
  'set-missing': { to: () => '/sets/nothing', shows: /There is no document set/ },
  convert: { to: () => '/convert', shows: 'Options' },
  'run-missing': {
    to: () => '/runs/00000000-0000-4000-8000-000000000000',
    shows: 'This does not exist, or you do not have access to it.',
  },
  nowhere: { to: () => '/nowhere', shows: 'This page does not exist.' },
};

testScreens(() => console, screens, 'screen-');

test('the first screen of a user asks for nothing that is refused', async () => {
  const { page } = await console.openAs('alice');
  const refused: string[] = [];
  page.on('response', (response) => void (response.status() >= 400 && refused.push(response.url())));
  await page.reload();
  await page.getByText('Last 24 hours').waitFor();
  // The next reading of the overview comes after all requests of the first one.
  await page.waitForResponse((response) => response.url().endsWith('/api/v1/overview'));
  expect(refused).toEqual([]);
});

test('without a mouse: log in, open the failed run, retry what failed, search, open a hit on its page', async () => {
  const { page, problems } = await console.open(`${address}/console/`);
  await page.getByLabel('User name').waitFor();
  await tabTo(page, /^User name/);
  await page.keyboard.type('alice');
  await tabTo(page, /^Password/);
  await page.keyboard.type('alice-secret');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Needs attention' }).waitFor();
  await activate(page, /^Runs$/);
  await page.getByRole('table').waitFor();
  await activate(page, /^screens-/);
  await page.getByRole('heading', { name: /^Run of screens-/ }).waitFor();
  await activate(page, /^Failed documents$/);
  await page.getByLabel('Select broken.pdf').waitFor();
  await tabTo(page, /^Select broken\.pdf$/);
  await page.keyboard.press('Space');
  await page.getByText('1 selected').waitFor();
  await shiftTabTo(page, /^Retry$/);
  await page.keyboard.press('Enter');
  await page.getByText('1 document runs again in 1 run.').waitFor();
  await page.goto(`${address}/console/search`);
  await page.getByLabel('Search the documents that you may read').waitFor();
  await tabTo(page, /^Search the documents/);
  await page.keyboard.type('everybody');
  await page.keyboard.press('Enter');
  await page.locator('article.hit').first().waitFor();
  await activate(page, /^Walrus$/);
  await page.getByRole('tab', { name: 'Pages' }).waitFor();
  await tabTo(page, /^Pages$/);
  await page.keyboard.press('ArrowRight');
  await page.getByRole('tab', { name: 'Structure', selected: true }).waitFor();
  expect(await getFindings(page)).toEqual([]);
  expect(problems).toEqual([]);
});
