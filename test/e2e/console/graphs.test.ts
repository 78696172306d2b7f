import type { Client } from '../../../client';
import { type Console, getFindings } from '../../support/system/console';
import {
  isHacked,
  type Screens,
  prepareFlow,
  setUpConsole,
  testScreens,
  withAdministrators,
} from '../../support/system/console-screens';
import { indexing, runToEnd } from '../../support/system/over-http';
import { type System, until } from '../../support/system/system';

/** Graphs of many documents as people use them: nodes, questions, decisions about nodes, updates; names try to be HTML. */
const getOrder = (number: string, buyer: string, city: string) =>
  `Order number: ${number}\n\nBuyer: ${buyer}\n\nBuyer city: ${city}\n`;
const hostile = '<img src=x onerror=window.hacked=1>';
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

let console: Console;
let system: System;
let client: Client;
let flowId: string;
let flowName: string;
let setId: string;
let graphId: string;
setUpConsole(withAdministrators, async (started) => {
  console = started;
  ({ system } = console);
  const files = {
    'one.txt': getOrder('PO-1', 'Harbour Board', 'Leith'),
    [`two ${hostile}.txt`]: getOrder(`PO-2 ${hostile}`, 'Harbour Board of Leith', 'Leith'),
    'three.txt': getOrder('PO-3', 'Harbour Board', 'Leith'),
    'secret.txt': getOrder('PO-SECRET', 'Quiet Quay', 'Nowhere'),
    'letter.txt': 'Dear all, nothing was ordered.',
  };
  const readers = { 'one.txt': ['alice', 'bob'], 'three.txt': ['alice', 'bob'] };
  const name = `orders-${system.env['DOCLOOM_TASK_QUEUE']}`;
  const set = { document_set_name: name, on_conflict: 'overwrite' };
  ({ client, flowName, flowId } = await prepareFlow(console, 'orders', {
    files,
    access: { allowed_users: ['alice'], files: readers },
    steps: [...indexing(system, 'orders'), { type: 'document_set', name: 'set', depends_on: ['extract'], config: set }],
  }));
  const { items } = await client.documentSets.list({ name, limit: 10 });
  setId = items.find((item) => item.name === name)?.id ?? '';
  const asked = { name: 'Orders of the harbour', document_set_id: setId, template, resolution: 'rules' as const };
  ({ id: graphId } = await client.graphs.create({ ...asked, readers: ['bob'] }));
  await client.graphs.finished(graphId);
});

const nodeCalled = async (name: string) => (await client.graphs.nodes(graphId, { query: name })).nodes[0]?.id ?? '';
const at = (query: string) => `/graphs/${graphId}?${query}`;

const screens: Screens = {
  'corpus-list': { to: () => '/graphs', shows: 'Orders of the harbour' },
  'corpus-nodes': { to: () => at(''), shows: /7 nodes and 4 relations/ },
  'corpus-node': { to: async () => at(`node=${await nodeCalled('of leith')}`), shows: 'Around this node' },
  'corpus-none': { to: () => at('q=zzzz'), shows: 'No node matches.' },
  'corpus-ask': { to: () => at('tab=ask&q=Who ordered PO-1'), shows: 'About' },
  'corpus-paths': {
    to: async () => at(`tab=ask&from=${await nodeCalled('po-1')}&to=${await nodeCalled('po-3')}`),
    shows: '← ORDERED_BY',
  },
  'search-facts': {
    to: () => `/search?q=${encodeURIComponent('What was ordered by Harbour Board?')}&mode=graph&graph=${graphId}`,
    shows: /^Found by the fact/,
  },
  'corpus-pairs': { to: () => at('tab=pairs'), shows: /one name is part of the other/ },
  'corpus-pairs-none': { to: () => at('tab=pairs&state=different'), shows: 'No pair matches.' },
  'corpus-documents': { to: () => at('tab=documents'), shows: 'letter.txt' },
  'corpus-documents-none': { to: () => at('tab=documents&state=failed'), shows: 'No document matches.' },
  'corpus-updates': { to: () => at('tab=updates'), shows: 'Save the settings' },
  'corpus-new': { to: () => `/graphs/new?set=${setId}&name=orders`, shows: 'Of all documents of the set orders.' },
  'corpus-reader': { to: () => at(''), shows: /3 nodes and 2 relations/, who: 'bob' },
  'corpus-refused': {
    to: () => at(''),
    shows: 'Only the owner and the readers of this graph may query it.',
    who: 'carol',
  },
};

testScreens(() => console, screens);

test('a search by facts says which fact led to a document, and readers find only facts of theirs', async () => {
  const { page, problems } = await console.openAs('alice', '/search');
  await page.getByLabel('Search the documents that you may read').fill('Quiet Quay');
  await page.getByLabel('Ranking').selectOption('Facts of a graph');
  await page.getByLabel('Graph', { exact: true }).selectOption('Orders of the harbour');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  const hit = page.getByRole('article').filter({ hasText: 'Found by the fact “Buyer: Quiet Quay”.' });
  await hit.getByRole('link', { name: 'Quiet Quay', exact: true }).click();
  await page.getByRole('region', { name: /^Quiet Quay/ }).waitFor();
  expect(await isHacked(page)).toBe(false);
  expect(problems).toEqual([]);
  const { page: reader } = await console.openAs('bob', `/search?q=Quiet Quay&mode=graph&graph=${graphId}`);
  await reader
    .getByText(/result|Nothing that you may read/)
    .first()
    .waitFor();
  expect(await reader.locator('main').innerText()).not.toMatch(/PO-SECRET|Buyer: Quiet/);
  // Who may ask no graph is not offered the ranking.
  const { page: other } = await console.openAs('carol', '/search');
  await other.getByLabel('Ranking').waitFor();
  expect(await other.getByLabel('Ranking').innerText()).not.toContain('Facts');
});

test('readers of a graph are suggested from the own projects', async () => {
  await client.projects.create({ name: 'Harbour', members: ['bob', 'dave'] });
  const { page } = await console.openAs('alice', at('tab=updates'));
  const reply = page.waitForResponse((response) => response.url().includes('/api/v1/names?kind=user&text=d&'));
  await page.getByRole('region', { name: 'Settings' }).getByLabel('Readers').fill('bob, d');
  expect(await (await reply).json()).toMatchObject({ names: [{ name: 'dave' }], directory: 'for_administrators' });
  await page.locator('datalist option[value="bob, dave"]').waitFor({ state: 'attached' });
});

test('two nodes are deferred, merged by keyboard, shown as one, and separated again', async () => {
  const { page, problems } = await console.openAs('alice', at('tab=pairs'));
  const pair = page.getByRole('region', { name: /^Party: Harbour Board/ });
  await pair.getByText(/one name is part of the other/).waitFor();
  await pair.getByRole('button', { name: /^Later/ }).click();
  await page.getByText('1 put off for now.').waitFor();
  await page.getByRole('button', { name: 'Show again' }).click();
  await pair.getByRole('button', { name: /^Merge/ }).focus();
  await page.keyboard.press('Enter');
  await page.getByText(/are one node now\.$/).waitFor();
  await page.getByText('No pair waits for a decision.').waitFor();
  await page.getByRole('tab', { name: 'Nodes' }).click();
  await page.getByText(/6 nodes and 4 relations/).waitFor();
  await page.getByRole('searchbox', { name: 'Words in any value' }).fill('harbour');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /^Party\s*Harbour/ }).click();
  const detail = page.getByRole('region', { name: /^Harbour Board/ });
  await detail.getByText('2 nodes that mean the same thing are shown as this one.').waitFor();
  expect(await getFindings(page)).toEqual([]);
  await detail.getByRole('link', { name: 'Show the decisions' }).click();
  await page.getByRole('button', { name: /^Undo the merge/ }).click();
  await page.getByText(/stay two nodes\.$/).waitFor();
  await page.getByLabel('Show', { exact: true }).selectOption('different');
  await page.getByRole('button', { name: /^Decide later/ }).click();
  await page.getByText(/wait for a decision\.$/).waitFor();
  expect((await client.graphs.pairs(graphId, { state: 'open' })).pairs).toHaveLength(1);
  expect(await isHacked(page)).toBe(false);
  expect(problems).toEqual([]);
});

test('a graph of a set is made with a template that was drafted from it and edited', async () => {
  const { page, problems } = await console.openAs('alice', `/sets/${encodeURIComponent(flowName)}?id=${setId}`);
  await page.getByRole('link', { name: 'Build a graph of this set' }).click();
  await page.getByLabel('Name of the graph').fill('<b>drafted</b>');
  await page.getByLabel('Another kind of document').check();
  await page.getByLabel('Kind of document', { exact: true }).selectOption('purchase_order');
  await page.getByRole('group', { name: 'PurchaseOrder.order_number' }).waitFor();
  expect(await console.look(page, 'template-of-class')).toEqual([]);
  await page.getByLabel('Something else: draft a template from the documents').check();
  await page.getByRole('button', { name: 'Draft the template' }).click();
  const field = page.getByRole('group', { name: /\.order_number$/ });
  await field.getByLabel('Field', { exact: true }).fill('number');
  await page.keyboard.press('Tab');
  await page
    .getByRole('group', { name: /\.number$/ })
    .getByLabel('Identifies')
    .waitFor();
  expect(await console.look(page, 'template-drafted')).toEqual([]);
  await page.getByRole('button', { name: 'Build the graph' }).click();
  await page.getByRole('heading', { name: '<b>drafted</b>', level: 1 }).waitFor();
  await page.getByText(/\d+ nodes and \d+ relations? in documents/).waitFor({ timeout: 60_000 });
  expect(await isHacked(page)).toBe(false);
  expect(problems).toEqual([]);
});

test('a question leads to passages and their nodes, and two nodes to the paths between them', async () => {
  const { page, problems } = await console.openAs('alice', at('tab=ask'));
  await page.getByRole('searchbox', { name: 'Question' }).fill('What else did the buyer of PO-1 order?');
  await page.keyboard.press('Enter');
  const answers = page.getByRole('region', { name: 'Passages' });
  await answers.getByText(/PO-3/).first().waitFor();
  const from = page.getByRole('group', { name: 'From' });
  await from.getByRole('searchbox').fill('po-1');
  await page.keyboard.press('Enter');
  await from.getByRole('button', { name: /PO-1$/ }).click();
  const to = page.getByRole('group', { name: 'To' });
  await to.getByRole('searchbox').fill('po-3');
  await page.keyboard.press('Enter');
  await to.getByRole('button', { name: /PO-3$/ }).click();
  const way = page.getByRole('listitem', { name: 'Path 1: 2 relations' });
  await way.getByText('ORDERED_BY →').waitFor();
  await way.getByRole('link', { name: 'PO-3' }).click();
  await page.getByRole('region', { name: 'PO-3' }).waitFor();
  expect(problems).toEqual([]);
});

test('a reader sees their own part and changes nothing; no other document is shown', async () => {
  const { page } = await console.openAs('bob', at(''));
  await page.getByText(/3 nodes and 2 relations/).waitFor();
  for (const tab of ['Ask', 'Same or different', 'Documents']) {
    await page.getByRole('tab', { name: tab }).click();
    await page.getByRole('tabpanel').waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(/secret|quiet quay|onerror|letter/i);
  }
  expect(await page.getByRole('tab', { name: 'Updates and settings' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: /Merge|Keep apart|Remove/ }).count()).toBe(0);
});

test('settings are changed, an update is estimated, and the graph follows the next run', async () => {
  const { page, problems } = await console.openAs('alice', at('tab=updates'));
  const settings = page.getByRole('region', { name: 'Settings' });
  await settings.getByLabel('Update after each run that writes the document set').check();
  await settings.getByLabel('Readers').fill('bob, erin,  bob ');
  await settings.getByRole('button', { name: 'Save the settings' }).click();
  await settings.getByText('Saved.').waitFor();
  const stored = await client.graphs.get(graphId);
  expect(stored).toMatchObject({ readers: ['bob', 'erin'], corpus: { auto_update: true, resolution: 'rules' } });
  await page.getByLabel('Limit of documents').fill('100');
  await page.getByRole('button', { name: 'Estimate only' }).click();
  await page.getByRole('heading', { name: 'Update 2, estimate only' }).waitFor();
  await until('the estimate has ended', async () => (await client.graphs.get(graphId)).state === 'COMPLETED', 60_000);
  await page.getByRole('button', { name: 'Update now' }).click();
  await page.getByRole('heading', { name: 'Update 3', exact: true }).waitFor();
  await until('the update has ended', async () => (await client.graphs.get(graphId)).state === 'COMPLETED', 60_000);
  expect((await client.graphs.get(graphId)).corpus).toMatchObject({ limit: { documents: 100 } });
  await runToEnd(client, flowId, { force_ingest: true });
  const update = async () => (await client.graphs.get(graphId)).corpus?.update;
  await until('the graph followed the run', async () => (await update()) === 4, 60_000);
  expect(await isHacked(page)).toBe(false);
  expect(problems).toEqual([]);
});
