import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Console } from '../../support/system/console';
import {
  isHacked,
  type Screens,
  prepareFlow,
  setUpConsole,
  testScreens,
  withAdministrators,
} from '../../support/system/console-screens';
import { indexing, loggedIn } from '../../support/system/over-http';
import type { System } from '../../support/system/system';

/** One document in all of its forms, and marks of search results. Every text contains HTML that must not run. */
const hostile = '<img src=x onerror=window.hacked=1><script>window.hacked=1</script>';
const order = `# Purchase order ${hostile}

Order number: PO-7719 ${hostile}

Buyer: Harbour Board

Buyer city: Leith

[a link](javascript:window.hacked=1)

| Item | Quantity |
| --- | --- |
| Tide gauge ${hostile} | 2 |
`;
const template = {
  title: 'Order',
  type: 'object',
  'x-graph-id-fields': ['number'],
  properties: {
    number: { type: 'string', description: 'Order number' },
    buyer: { $ref: '#/$defs/Party', 'x-edge-label': 'ORDERED_BY' },
  },
  $defs: {
    Party: {
      title: 'Party',
      type: 'object',
      'x-graph-id-fields': ['name'],
      properties: { name: { type: 'string' }, city: { type: 'string' } },
    },
  },
};

const samples = path.join(__dirname, '..', '..', '..', 'samples', 'documents');

let console: Console;
let system: System;
let address: string;
let documentId: string;
let sheetId: string;
setUpConsole(withAdministrators, async (started) => {
  console = started;
  ({ system, address } = console);
  const set = { document_set_name: `document-${system.env['DOCLOOM_TASK_QUEUE']}`, on_conflict: 'overwrite' };
  const { client } = await prepareFlow(console, 'document', {
    files: {
      'order.md': order,
      'letter.md': '# Letter\n\nNothing was ordered by anybody.',
      'prices.xlsx': readFileSync(path.join(samples, 'finance', 'price-list-2025.xlsx')),
    },
    access: { allowed_users: ['alice'], files: { 'letter.md': ['alice', 'bob'] } },
    steps: [
      ...indexing(system, 'document'),
      { type: 'graph', name: 'graph', depends_on: ['extract'], config: { template, provenance: 'standard' } },
      { type: 'document_set', name: 'set', depends_on: ['graph'], config: set },
    ],
  });
  const { documents: found } = await client.documents.search({ limit: 20 });
  const record = found.find(({ metadata }) => metadata['name'] === 'order.md');
  documentId = String(record?.metadata['document_id']);
  const sheet = found.find(({ metadata }) => metadata['name'] === 'prices.xlsx');
  sheetId = String(sheet?.metadata['document_id']);
  const { id } = await client.graphs.create({ document_id: documentId, template });
  await client.graphs.finished(id);
});

const screens: Screens = Object.fromEntries(
  [
    ['structure', 'The whole document in reading order'],
    ['markdown', /Order number: PO-7719/],
    ['html', 'The page is in a sandbox'],
    ['json', /"schema_name"/],
    ['chunks', 'The chunks as records of the index (JSON)'],
    ['facts', 'Open the document set'],
    ['graph', 'Open the graph on its own page'],
  ].map(([tab, shows]) => [
    `document-${String(tab)}`,
    { to: () => `/documents/${documentId}?tab=${String(tab)}`, shows: shows ?? '' },
  ]),
);
testScreens(() => console, screens);
testScreens(() => console, {
  'document-sheet': { to: () => `/documents/${sheetId}?page=2`, shows: 'Calibration on site' },
});
testScreens(() => console, { quality: { to: () => '/search/quality', shows: 'Nothing has been measured yet.' } });

test('a box, its item in the tree and its Markdown are highlighted together, and the tree of the document leads to the page', async () => {
  const { page, problems } = await console.openAs('alice', `/documents/${documentId}`);
  const tree = page.getByRole('region', { name: 'Structure' });
  const markdown = page.getByRole('region', { name: 'Markdown' });
  await page.locator('.rendered-item').filter({ hasText: 'Harbour Board' }).hover();
  await tree.locator('.node[data-on=true]').filter({ hasText: 'Harbour Board' }).waitFor();
  await markdown.locator('.node[data-on=true]').filter({ hasText: 'Harbour Board' }).waitFor();
  await markdown.getByRole('button', { name: /Buyer city/ }).hover();
  await page.locator('.rendered-item[data-on=true]').filter({ hasText: 'Buyer city' }).waitFor();
  await tree.getByRole('button', { name: /PO-7719/ }).focus();
  await page.locator('.rendered-item[data-on=true]').filter({ hasText: 'PO-7719' }).waitFor();
  await page.getByRole('tab', { name: 'Structure' }).click();
  await page
    .getByRole('link', { name: /Buyer city/ })
    .first()
    .click();
  await page.locator('.rendered-item[data-on=true]').filter({ hasText: 'Buyer city' }).waitFor();
  expect(problems).toEqual([]);
});

test('a sheet of a workbook is a table, not a drawing', async () => {
  const { page } = await console.openAs('alice', `/documents/${sheetId}?page=2`);
  const sheet = page.getByRole('region', { name: 'Page 2' });
  await sheet.getByRole('cell', { name: 'Calibration on site' }).waitFor();
  expect(await sheet.locator('svg').count()).toBe(0);
});

test('the HTML of a document runs no script, in its frame or opened directly', async () => {
  const { page, problems } = await console.openAs('alice', `/documents/${documentId}?tab=html`);
  const frame = page.frameLocator('iframe');
  await frame.getByRole('heading', { name: /Purchase order <img/ }).waitFor();
  expect(await frame.locator('script, [onerror], [src^=x], a[href^=javascript]').count()).toBe(0);
  expect(await page.locator('iframe').getAttribute('sandbox')).toBe('');
  expect(await isHacked(page)).toBe(false);
  await page.getByLabel('View').selectOption('source');
  await page.locator('pre').filter({ hasText: '<!DOCTYPE html>' }).waitFor();
  expect(await isHacked(page)).toBe(false);
  expect(problems).toEqual([]);
  const reply = await page.goto(`${address}/api/v1/documents/${documentId}/html`);
  expect(reply?.headers()['content-security-policy']).toMatch(/^sandbox; default-src 'none'/);
  await page.getByRole('heading', { name: /Purchase order <img/ }).waitFor();
  expect(await isHacked(page)).toBe(false);
});

test('the facts and the graphs of a document are shown beside it, with the passage that proves a fact', async () => {
  const { page, problems } = await console.openAs('alice', `/documents/${documentId}?tab=graph`);
  await page
    .getByRole('button', { name: /Harbour Board/ })
    .first()
    .click();
  await page.getByText('ORDERED_BY').first().waitFor();
  await page.locator('blockquote.passage').filter({ hasText: 'Harbour Board' }).first().waitFor();
  const choice = page.getByRole('combobox', { name: 'Graph', exact: true });
  expect(await choice.locator('option').allInnerTexts()).toEqual([
    expect.stringMatching(/^Order, /),
    expect.stringMatching(/^Built by a flow/),
  ]);
  await choice.selectOption({ index: 1 });
  await page
    .getByRole('button', { name: /Harbour Board/ })
    .first()
    .click();
  await page.getByText('ORDERED_BY').first().waitFor();
  expect(await isHacked(page)).toBe(false);
  expect(problems).toEqual([]);
});

test('another user sees nothing of the document in any tab', async () => {
  const { page } = await console.openAs('bob', `/documents/${documentId}`);
  for (const tab of ['structure', 'markdown', 'html', 'json', 'facts', 'graph']) {
    await page.goto(`${address}/console/documents/${documentId}?tab=${tab}`);
    await page.getByText('This does not exist, or you do not have access to it.').waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(/PO-7719|Harbour/);
  }
  const { client } = await loggedIn(address, 'bob');
  await expect(client.documents.facts(documentId)).rejects.toMatchObject({ code: 'DOCUMENT_NOT_FOUND' });
  await expect(client.documents.html(documentId)).rejects.toMatchObject({ code: 'DOCUMENT_NOT_FOUND' });
});

test('results are marked, measured in each ranking, and the figures are kept over time', async () => {
  const { page, problems } = await console.openAs('alice', '/search?q=ordered&mode=compare');
  const words = page.getByRole('region', { name: 'Words' });
  await words.getByRole('button', { name: 'Relevant: Letter', exact: true }).click();
  await words.getByRole('button', { name: 'Relevant: Letter', exact: true, pressed: true }).waitFor();
  await page
    .getByRole('region', { name: 'Meaning' })
    .getByText(/Meaning: rank 1 · Similarity/)
    .first()
    .waitFor();
  await page.getByRole('link', { name: 'Search quality' }).click();
  await page.getByRole('button', { name: 'Measure now' }).click();
  const figures = page.getByRole('region', { name: 'nDCG@10 over time' });
  await figures.getByRole('row').nth(1).getByText('1.000').first().waitFor();
  await page.getByRole('button', { name: 'Measure now' }).click();
  await figures.getByRole('row').nth(2).waitFor();
  expect(await console.look(page, 'quality-measured')).toEqual([]);
  expect(problems).toEqual([]);
  const { client } = await loggedIn(address, 'bob');
  expect((await client.judgedQueries.list()).total).toBe(0);
  const foreign = { query: 'ordered', document_id: documentId, is_relevant: true };
  await expect(client.judgedQueries.mark(foreign)).rejects.toMatchObject({ code: 'DOCUMENT_NOT_FOUND' });
  await page.getByRole('button', { name: 'Remove the marks of “ordered”' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).last().click();
  await page
    .getByText('You have not marked any results yet. Search for something, and mark the results that answer it.')
    .waitFor();
});
