import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '../../../client';
import { type Console, getFindings } from '../../support/system/console';
import {
  isHacked,
  findRow,
  type Screens,
  prepareFlow,
  setUpConsole,
  testScreens,
  withAdministrators,
} from '../../support/system/console-screens';
import { indexing, loggedIn } from '../../support/system/over-http';
import { type System, until } from '../../support/system/system';

/** Graphs, data, settings, schedules, logs and administration as people use them; names and texts try to be HTML. */
const hostileName = '<img src=x onerror=window.hacked=1>.txt';
/** Libraries take no names with < or >. */
const uploadName = "bill & 'copy' #1%20.txt";
const order = 'Order number: PO-1\nBuyer: Harbour Board <img src=x onerror=window.hacked=1>\n';
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
      properties: { name: { type: 'string' } },
    },
  },
};

let console: Console;
let system: System;
let address: string;
let receiver: Server;
let port: number;
let flowId: string;
let runId: string;
let documentId: string;
let libraryId: string;
let graphId: string;
beforeAll(async () => {
  receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(request.url === '/refusing' ? 410 : 204).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  ({ port } = receiver.address() as AddressInfo);
});
const settings = () => ({ ...withAdministrators, DOCLOOM_ALLOWED_HOSTS: `127.0.0.1:${port}` });
setUpConsole(settings, async (started) => {
  console = started;
  ({ system, address } = console);
  const prepared = await prepareFlow(console, 'data', {
    files: { [hostileName]: order, 'broken.pdf': 'no pdf' },
    steps: [
      ...indexing(system, 'data'),
      { type: 'graph', name: 'graph', depends_on: ['extract'], config: { template, provenance: 'standard' } },
      { type: 'document_set', name: 'set', depends_on: ['graph'], config: { document_set_name: 'orders' } },
    ],
  });
  const { client } = prepared;
  ({ flowId, runId } = prepared);
  const { documents: found } = await client.documents.search({ query: 'order' });
  documentId = String(found[0]?.metadata['document_id']);
  ({ library_id: libraryId } = await client.documentLibraries.create({ name: 'Papers' }));
  await client.documentLibraries.upload(libraryId, { name: uploadName, content: new Blob(['text']) });
  const asked = await client.graphs.create({ document_id: documentId, template });
  ({ id: graphId } = await client.graphs.finished(asked.id));
});
afterAll(() => receiver?.close());

const screens: Screens = {
  'data-sets': { to: () => '/data/sets', shows: 'orders' },
  'data-sets-none': { to: () => '/data/sets?name=zzz', shows: 'Nothing matches.' },
  'data-libraries': { to: () => '/data/libraries', shows: 'Papers' },
  'data-library': { to: () => `/libraries/${libraryId}`, shows: uploadName },
  'data-library-missing': {
    to: () => `/libraries/${runId}`,
    shows: 'This does not exist, or you do not have access to it.',
  },
  'data-indexes': { to: () => '/data/indexes', shows: /hashing/ },
  'data-set': { to: () => '/sets/orders', shows: 'Show the graph' },
  graphs: { to: () => '/graphs', shows: /^1–1 of 1/ },
  'graphs-none': { to: () => '/graphs?state=FAILED', shows: 'No graph matches.' },
  graph: { to: () => `/graphs/${graphId}`, shows: '2 nodes, 1 edge' },
  'graph-missing': { to: () => `/graphs/${runId}`, shows: 'This does not exist, or you do not have access to it.' },
  'graph-new': { to: () => `/graphs/new?document=${documentId}&name=x`, shows: 'Of the document x.' },
  'settings-keys': { to: () => '/settings', shows: 'There are no API keys.' },
  'settings-webhooks': { to: () => '/settings/webhooks', shows: 'There are no webhooks.' },
  'settings-connections': { to: () => '/settings/connections', shows: 'There are no connections.' },
  'admin-refused': { to: () => '/admin/audit', shows: 'This page is for administrators.' },
  'admin-health': { to: () => '/admin', shows: 'All required servers can be reached.', who: 'carol' },
  'admin-audit': { to: () => '/admin/audit', shows: 'POST /api/v1/flows', who: 'carol' },
  'admin-people': { to: () => '/admin/people', shows: 'Alice Archer', who: 'carol' },
  'admin-groups': { to: () => '/admin/people?kind=group', shows: 'docloom-admins', who: 'carol' },
  'admin-people-none': { to: () => '/admin/people?text=zzz', shows: /No name begins/, who: 'carol' },
  'data-sources': { to: () => '/data/sources', shows: 'Read with each run' },
  'admin-accounts': { to: () => '/admin/accounts', shows: 'There are no service accounts.', who: 'carol' },
  'settings-sessions': { to: () => '/settings/sessions', shows: 'This session' },
  'admin-sessions': { to: () => '/admin/sessions', shows: 'This session', who: 'carol' },
  'admin-sessions-none': { to: () => '/admin/sessions?user=nobody', shows: /No user with this name/, who: 'carol' },
  'admin-storage': { to: () => '/admin/storage', shows: 'Rows of runs', who: 'carol' },
  'admin-models': { to: () => '/admin/models', shows: 'Its models cannot be listed', who: 'carol' },
};

testScreens(() => console, screens);

test('a graph from a flow is opened from its row: nodes by keyboard, relations, and the passage that states them', async () => {
  const { page, problems } = await console.openAs('alice', '/data');
  await page.getByRole('link', { name: 'orders', exact: true }).click();
  await page.getByRole('link', { name: 'Show the graph' }).click();
  await page.getByText('2 nodes, 1 edge').waitFor();
  const nodes = page.getByRole('region', { name: 'Nodes' });
  await nodes.getByLabel('Search nodes').fill('harbour');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const party = page.getByRole('region', { name: /^Harbour/ });
  await party.getByText('← ORDERED_BY').waitFor();
  await party.locator('mark').getByText('Harbour Board').waitFor();
  await party.getByRole('button', { name: 'PO-1' }).click();
  await page.getByRole('region', { name: 'PO-1' }).getByText('ORDERED_BY →').waitFor();
  expect(await console.look(page, 'graph-node')).toEqual([]);
  expect(await isHacked(page)).toBe(false);
  expect(problems).toEqual([]);
  const own = page.url();
  const { page: other } = await console.openAs('bob', '/data');
  await other.getByText('There are no document sets.').waitFor();
  for (const place of [own, `${address}/console/graphs/${graphId}`]) {
    await other.goto(place);
    await other.getByText('This does not exist, or you do not have access to it.').waitFor();
    expect(await other.locator('main').innerText()).not.toMatch(/harbour|onerror|PO-/i);
  }
});

test('a graph is built from the page of a document and removed again', async () => {
  const { page, problems } = await console.openAs('alice', `/documents/${documentId}`);
  await page.getByRole('link', { name: 'Build a graph' }).click();
  await page.getByLabel('A template of my own').check();
  await page.getByLabel(/^Template/).fill('title: Order\ntype: nothing');
  await page.getByRole('button', { name: 'Build the graph' }).click();
  await page.getByText('The graph was not built').waitFor();
  await page.getByLabel(/^Template/).fill(JSON.stringify(template));
  await page.getByRole('button', { name: 'Build the graph' }).click();
  await page.getByText('2 nodes, 1 edge').waitFor({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('The graph and its files are removed.').waitFor();
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('heading', { name: 'Graphs', level: 1 }).waitFor();
  expect(problems).toEqual([]);
});

test('an API key is created, shown once, used, and rejected after it was revoked', async () => {
  const { page, problems } = await console.openAs('alice', '/settings');
  await page.getByRole('textbox', { name: 'Label', exact: true }).fill('<b>import</b>');
  await page.getByLabel('Expires after (days)').fill('7');
  expect(await page.getByLabel('Act as an administrator').count()).toBe(0);
  await page.getByRole('button', { name: 'Create the key' }).click();
  const token = await page.locator('.secret').innerText();
  expect(await getFindings(page)).toEqual([]);
  const program = createClient({ baseUrl: address, token });
  expect((await program.me()).username).toBe('alice');
  await page.reload();
  await findRow(page, '<b>import</b>').waitFor();
  expect(await page.locator('body').innerText()).not.toContain(token);
  await page.getByRole('button', { name: 'Revoke <b>import</b>' }).click();
  expect(await getFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await page.getByText('There are no API keys.').waitFor();
  await expect(program.me()).rejects.toMatchObject({ status: 401 });
  expect(problems).toEqual([]);
});

test('a webhook is added, tested with its outcome, paused and removed', async () => {
  const { page, problems } = await console.openAs('alice', '/settings/webhooks');
  for (const path of ['taking', 'refusing']) {
    await page.getByLabel('Address').fill(`http://127.0.0.1:${port}/${path}`);
    await page.getByRole('button', { name: 'Add the webhook' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('button', { name: new RegExp(`^Send a test: .*${path}$`) }).click();
    const messages = page.getByRole('region', { name: new RegExp(`^Messages to .*${path}$`) });
    await messages.getByText(path === 'taking' ? 'Delivered' : 'Failed').waitFor();
    await messages.getByText(path === 'taking' ? 'answered 204' : 'answered 410').waitFor();
  }
  expect(await getFindings(page)).toEqual([]);
  await page.getByRole('button', { name: /^Pause: .*taking$/ }).click();
  await findRow(page, 'taking').getByText('Paused').waitFor();
  for (const path of ['taking', 'refusing']) {
    await page.getByRole('button', { name: new RegExp(`^Remove: .*${path}$`) }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await findRow(page, path).waitFor({ state: 'detached' });
  }
  expect(problems).toEqual([]);
});

test('a schedule is added, changed, paused, started now and removed', async () => {
  const { page, problems } = await console.openAs('alice', `/flows/${flowId}`);
  await page.getByText('The flow runs only when somebody starts it.').waitFor();
  await page.getByLabel(/^Minute, hour/).fill('nonsense');
  await page.getByRole('button', { name: 'Add a schedule' }).click();
  await page.getByText('The schedule was not stored').waitFor();
  await page.getByLabel(/^Minute, hour/).fill('0 6 1 1 *');
  await page.getByLabel('Note (optional)').fill('<i>yearly</i>');
  await page.getByRole('button', { name: 'Add a schedule' }).click();
  const row = findRow(page, '<i>yearly</i>');
  await row.getByText('Active').waitFor();
  await page.getByRole('button', { name: 'Change: 0 6 1 1 *' }).click();
  await page.getByLabel(/^Minute, hour/).fill('0 7 1 1 *');
  await page.getByRole('button', { name: 'Save', exact: true }).last().click();
  await row.getByText('0 7 1 1 *').waitFor();
  await page.getByRole('button', { name: 'Pause: 0 7 1 1 *' }).click();
  await row.getByText('Paused').waitFor();
  expect(await getFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Run now: 0 7 1 1 *' }).click();
  await row.getByText('A run starts.').waitFor();
  const { client } = await loggedIn(address, 'alice');
  await until('the run has started', async () => (await client.jobRuns.list({ flow_id: flowId })).total > 1, 60_000);
  await page.getByRole('button', { name: 'Remove: 0 7 1 1 *' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('The flow runs only when somebody starts it.').waitFor();
  expect(problems).toEqual([]);
});

test('the log of a run is narrowed by level, operator and document', async () => {
  const { page, problems } = await console.openAs('alice', `/runs/${runId}`);
  const log = page.getByRole('region', { name: 'Log' });
  await log.getByText('The run started.').waitFor();
  await log.getByText(/entries\.$/).waitFor();
  await log.getByLabel('Show').selectOption('error');
  await log.getByText('The run started.').waitFor({ state: 'detached' });
  await log.getByRole('button', { name: 'Only broken.pdf' }).first().click();
  await log.getByRole('button', { name: 'broken.pdf – show all documents' }).waitFor();
  await log
    .getByText(/DOCUMENT_CORRUPT/)
    .first()
    .waitFor();
  expect(await log.innerText()).not.toContain('onerror');
  await log.getByRole('button', { name: 'broken.pdf – show all documents' }).click();
  await log.getByLabel('Operator').selectOption('chunk');
  await log.getByText('The run started.').waitFor({ state: 'detached' });
  await log.getByText(/^chunk finished/).waitFor();
  expect(await getFindings(page)).toEqual([]);
  expect(problems).toEqual([]);
});

test('files are added to a library and removed; a reader may do neither', async () => {
  const { client } = await loggedIn(address, 'alice');
  await client.documentLibraries.patch(libraryId, { readers: ['bob'] });
  const { page, problems } = await console.openAs('alice', `/libraries/${libraryId}`);
  await page
    .locator('input[type=file]')
    .setInputFiles([{ name: 'more.txt', mimeType: 'text/plain', buffer: Buffer.from('more') }]);
  await page.getByRole('button', { name: 'Upload 1 file' }).click();
  await page.getByText('1 file was uploaded.').waitFor();
  await page.getByRole('button', { name: 'Remove more.txt' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await findRow(page, 'more.txt').waitFor({ state: 'detached' });
  expect(problems).toEqual([]);
  const { page: other } = await console.openAs('bob', `/libraries/${libraryId}`);
  await other.getByText(uploadName).waitFor();
  expect(await other.getByRole('button', { name: /Remove|Choose files/ }).count()).toBe(0);
  expect(await isHacked(other)).toBe(false);
});

test('administrators filter the audit log and create a service account with a key; others see neither', async () => {
  const { page, problems } = await console.openAs('carol', '/admin/audit');
  await page.getByLabel('User', { exact: true }).fill('alice');
  await page.getByLabel(/^Action/).fill('POST /api/v1/flows');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByText('1–1 of 1').waitFor();
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await page.getByText('POST /auth/login').first().waitFor();
  await page.getByRole('tab', { name: 'Service accounts' }).click();
  const name = `service:import-${Date.now()}`;
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Description (optional)').fill('<b>nightly</b>');
  await page.getByRole('button', { name: 'Create the account' }).click();
  await findRow(page, name).getByRole('link', { name: 'Create a key' }).click();
  await page.getByRole('textbox', { name: 'Label', exact: true }).fill('import');
  expect(await page.getByLabel('Acts as').inputValue()).toBe(name);
  await page.getByRole('button', { name: 'Create the key' }).click();
  const token = await page.locator('.secret').innerText();
  expect((await createClient({ baseUrl: address, token }).me()).username).toBe(name);
  await page.goto(`${address}/console/admin/accounts`);
  await page.getByRole('button', { name: `Remove ${name}` }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await findRow(page, name).waitFor({ state: 'detached' });
  expect(problems).toEqual([]);
  const { page: other } = await console.openAs('alice', '/');
  await other.getByRole('region', { name: 'Needs attention' }).waitFor();
  expect(await other.getByRole('link', { name: 'Administration' }).count()).toBe(0);
});
