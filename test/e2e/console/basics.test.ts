import path from 'node:path';
import { type Console, getFindings } from '../../support/system/console';
import { findRow, isHacked, prepareFlow, setUpConsole, withAdministrators } from '../../support/system/console-screens';
import { documentsIn, indexing, loggedIn, reading, runToEnd } from '../../support/system/over-http';
import { type System, until } from '../../support/system/system';

/** A name and a text that would run if anything showed them as HTML. */
const hostileName = '<img src=x onerror=window.hacked=1>.md';
const hostileText =
  '# Walrus <script>window.hacked=1</script>\n\n[walrus](javascript:window.hacked=1) <img src=x onerror=window.hacked=1> for alice.';

const root = path.join(__dirname, '..', '..', '..');
let console: Console;
let system: System;
let address: string;
let runId: string;
setUpConsole(withAdministrators, async (started) => {
  console = started;
  ({ system, address } = console);
  ({ runId } = await prepareFlow(console, 'console', {
    files: { 'walrus.md': '# Walrus\n\nA walrus for everybody.', [hostileName]: hostileText, 'broken.pdf': 'no pdf' },
    access: { allowed_users: ['alice'], files: { 'walrus.md': ['alice', 'bob'] } },
    steps: indexing(system, 'console'),
  }));
});

const openAs = (username: string, place?: string) => console.openAs(username, place);

test('a user logs in, finds the run, and reads which document failed and why', async () => {
  const { page, problems } = await openAs('alice');
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await page
    .getByRole('link', { name: /^console-/ })
    .first()
    .click();
  await page.getByRole('heading', { name: /^Run of console-/ }).waitFor();
  const failed = page.getByRole('region', { name: 'Failed and skipped documents' });
  await failed.getByText('broken.pdf', { exact: true }).waitFor();
  await failed.getByText('DOCUMENT_CORRUPT').waitFor();
  await page.getByText('Completed with failures').waitFor();
  expect(await page.getByRole('link', { name: 'Open in the Temporal UI' }).getAttribute('href')).toContain(runId);
  const batches = page.getByRole('link', { name: 'Batches and activities in the Temporal UI' });
  expect(await batches.getAttribute('href')).toContain(
    `/workflows?query=${encodeURIComponent(`JobRunId = "${runId}"`)}`,
  );
  expect(await getFindings(page)).toEqual([]);
  expect(problems).toEqual([]);
});

test('a wrong password is reported, and scripts cannot read the token of a session', async () => {
  const { page } = await console.open(`${address}/console/runs`);
  await page.getByLabel('User name').fill('alice');
  await page.locator('input[name=password]').fill('wrong');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByText('The user name or the password is wrong.').waitFor();
  expect(await getFindings(page)).toEqual([]);
  await page.locator('input[name=password]').fill('alice-secret');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Runs' }).waitFor();
  expect(await page.evaluate('document.cookie')).not.toContain('docloom_session');
  expect(await page.evaluate('Object.keys(localStorage).join()')).not.toContain('token');
});

test('a run is followed live, without reloading, and can be cancelled', async () => {
  const { client } = await loggedIn(address, 'alice');
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`doc-${index}.md`, `# Number ${index}\n\n${'text '.repeat(2_000)}`]),
  );
  const documents = documentsIn(system, 'many', files, { allowed_users: ['alice'] });
  const flow = await client.flows.create({
    flow_name: `live-${system.env['DOCLOOM_TASK_QUEUE']}`,
    flow: [...reading(documents), ...indexing(system, 'live')],
    global_config: { micro_batch_size: 2, max_concurrent_batches: 1 },
  });
  const { job_run_id } = await client.jobRuns.create({ flow_id: flow.flow_id });
  const { page, problems } = await openAs('alice', `/runs/${job_run_id}`);
  await page.getByRole('button', { name: 'Cancel the run' }).click();
  await page.getByText('Cancel this run?').waitFor();
  await page.getByRole('button', { name: 'Cancel the run' }).click();
  await page.getByText('Cancelled', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Run everything again' }).waitFor();
  expect(problems).toEqual([]);
});

test('a user without rights sees no trace of the runs of others', async () => {
  const { page } = await openAs('bob', '/runs');
  await page.getByText('There are no runs yet.').waitFor();
  expect(await page.getByRole('main').getByRole('link', { name: 'Add documents' }).getAttribute('href')).toBe(
    '/console/add',
  );
  expect(await page.getByRole('main').locator('code').innerText()).toBe('docloom run');
  await page.goto(`${address}/console/runs/${runId}`);
  await page.getByText('This does not exist, or you do not have access to it.').waitFor();
  const text = await page.locator('body').innerText();
  expect(text).not.toMatch(/console-|broken\.pdf|walrus/i);
});

test('home leads to the runs that failed or crashed', async () => {
  const { client } = await loggedIn(address, 'alice');
  const flow = { flow_name: `missing-${system.env['DOCLOOM_TASK_QUEUE']}`, flow: reading('/nowhere') };
  const { flow_id } = await client.flows.create(flow);
  expect(await runToEnd(client, flow_id)).toMatchObject({ status: 'FAILED' });
  const { page, problems } = await openAs('alice', '/');
  await page.getByRole('link', { name: /failed or crashed in the last day$/ }).click();
  await findRow(page, flow.flow_name).getByText('Failed', { exact: true }).waitFor();
  expect(await page.getByLabel('State').inputValue()).toBe('FAILED,CRASHED');
  expect(problems).toEqual([]);
});

test('names and texts of documents are text, whatever they contain', async () => {
  const { page } = await openAs('alice', `/runs/${runId}`);
  await page.getByRole('region', { name: 'Failed and skipped documents' }).waitFor();
  expect(await isHacked(page)).toBe(false);
});

test('failed documents over all runs: found by code, excluded, included again, and rerun', async () => {
  const { page, problems } = await openAs('alice', '/failed');
  await page.getByRole('button', { name: /^The document is damaged/ }).click();
  const list = page.getByRole('region', { name: 'Failed documents' });
  await list.getByText('broken.pdf', { exact: true }).waitFor();
  expect(await getFindings(page)).toEqual([]);
  await page.getByLabel('Select broken.pdf').check();
  await page.getByRole('button', { name: 'Leave out until changed' }).click();
  await page.getByText('No failed document matches.').waitFor();
  await page.getByLabel('Show').selectOption('left_out');
  await page.getByLabel('Select broken.pdf').check();
  await page.getByRole('button', { name: 'Include again' }).click();
  await page.getByText('No failed document matches.').waitFor();
  await page.getByLabel('Show').selectOption('failed');
  await page.getByLabel('Select broken.pdf').check();
  await page.getByRole('button', { name: 'Ignore' }).click();
  await page.getByText(/^There are no failed documents/).waitFor();
  await page.getByLabel('Show').selectOption('ignored');
  await page.getByLabel('Select broken.pdf').check();
  await page.getByRole('button', { name: 'List as failed again' }).click();
  await page.getByText('No failed document matches.').waitFor();
  await page.getByLabel('Show').selectOption('failed');
  await page.getByLabel('Select broken.pdf').check();
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('1 document runs again in 1 run.').waitFor();
  await page.getByRole('link', { name: /^Open the run/ }).click();
  await page.getByText('Completed with failures', { exact: true }).waitFor();
  expect(await page.getByText('Done', { exact: true }).locator('xpath=following-sibling::dd').innerText()).toBe(
    '1 / 1',
  );
  expect(problems).toEqual([]);
});

test('a search shows readable documents, and a hit opens its document; hostile text stays text', async () => {
  const { page, problems } = await openAs('alice', '/search?q=walrus&mode=compare');
  await page.getByRole('region', { name: 'Words' }).getByText('2 results').waitFor();
  expect(await console.look(page, 'search')).toEqual([]);
  await page.getByRole('region', { name: 'Words' }).getByText(hostileName).waitFor();
  const hit = page.getByRole('region', { name: 'Words' }).getByRole('article').filter({ hasText: hostileName });
  await hit.getByRole('heading').getByRole('link').click();
  const shown = page.locator('.rendered-item').filter({ hasText: 'walrus' }).last();
  await shown.hover();
  for (const name of ['Structure', 'Markdown'])
    await page.getByRole('region', { name }).locator('.node[data-on=true]').filter({ hasText: 'for alice.' }).waitFor();
  expect(await console.look(page, 'document-text')).toEqual([]);
  for (const tab of ['Structure', 'Markdown', 'HTML', 'JSON', 'Chunks', 'Life', 'Who may read it']) {
    await page.getByRole('tab', { name: tab }).click();
    await page.getByRole('tabpanel').getByRole('region').first().waitFor();
    expect(await getFindings(page)).toEqual([]);
  }
  await page.getByText('The list comes from the access list beside the file').waitFor();
  expect(await isHacked(page)).toBe(false);
  expect(problems).toEqual([]);
  const own = page.url();
  const { page: other } = await openAs('bob', '/search?q=walrus');
  await other.getByText('1 result', { exact: true }).waitFor();
  await other.getByText('Narrow the search').click();
  await other.getByText('This server has no model that orders hits.').waitFor();
  expect(await other.getByLabel('Let a model order the best 50').isDisabled()).toBe(true);
  await other.goto(own);
  await other.getByText('This does not exist, or you do not have access to it.').waitFor();
  expect(await other.locator('main').innerText()).not.toMatch(/onerror|alice/);
});

test('an administrator sees what another user would find, without the content', async () => {
  const { page, problems } = await openAs('carol', '/search?q=walrus');
  await page.getByText('Nothing that you may read matches.').waitFor();
  await page.getByLabel('User name').fill('bob');
  await page.getByRole('button', { name: 'Search for “walrus” as this user' }).click();
  await page.getByText('bob would find 1 result.').waitFor();
  expect(await console.look(page, 'search-as')).toEqual([]);
  await page.getByRole('region', { name: 'What would somebody see?' }).getByRole('link').click();
  const access = page.getByRole('region', { name: 'Who may read it' });
  await access.getByText('You may not read it').waitFor();
  expect(await access.getByRole('listitem').allInnerTexts()).toEqual(['alice', 'bob']);
  expect(await page.locator('main').innerText()).not.toMatch(/walrus/i);
  expect(problems).toEqual([]);
  const { page: plain } = await openAs('bob', '/search?q=walrus');
  await plain.getByText('1 result', { exact: true }).waitFor();
  expect(await plain.getByText('What would somebody see?').count()).toBe(0);
});

test('a flow is written with forms and JSON, checked on the node concerned, saved and found again', async () => {
  const { page, problems } = await openAs('alice', '/flows/new');
  await page.getByLabel('Name of the flow').fill('written');
  await page.getByRole('button', { name: 'Vector database', exact: true }).click();
  const check = page.getByRole('region', { name: 'The flow', exact: true });
  await check.getByText('Error', { exact: true }).first().waitFor();
  expect(await page.getByRole('button', { name: 'Save and run' }).isDisabled()).toBe(true);
  await page.getByLabel('index_name').fill(`${system.env['SEARCH_DEFAULT_INDEX']}-written`);
  const json = page.getByRole('textbox', { name: 'The flow as JSON' });
  const text = await json.inputValue();
  expect(JSON.parse(text)).toMatchObject({ flow: [{ name: 'ingest' }, { depends_on: ['ingest'] }] });
  await json.fill('{');
  await page.getByText(/JSON/).nth(1).waitFor();
  await json.fill(text.replace('"paths": []', `"paths": ["${system.folder}/docs"]`));
  expect(await console.look(page, 'flow')).toEqual([]);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.waitForURL(/flows\/(?!new)/);
  await page.getByRole('link', { name: 'Flows', exact: true }).click();
  await page.getByRole('link', { name: 'written' }).click();
  await page.getByLabel('Name of the flow').waitFor();
  expect(await page.getByLabel('Name of the flow').inputValue()).toBe('written');
  expect(problems).toEqual([]);
});

test('an empty installation leads to a first run; Home then shows what needs attention', async () => {
  const { page } = await openAs('bob');
  await page.getByText('Nothing has run here yet.').waitFor();
  expect(await getFindings(page)).toEqual([]);
  const { page: busy } = await openAs('alice');
  await busy
    .getByRole('region', { name: 'Needs attention' })
    .getByText(/failed document/)
    .first()
    .waitFor();
  const day = busy.getByRole('region', { name: 'Last 24 hours' });
  await day.getByText('Model cost').waitFor();
  await day.getByText('Documents completed by hour').waitFor();
  expect(await day.getByText('Stored').count()).toBe(0);
  expect(await console.look(busy, 'home-busy')).toEqual([]);
  const { page: admin } = await openAs('carol');
  await admin.getByRole('region', { name: 'Last 24 hours' }).getByText('Stored').waitFor();
});

test('a file is converted in the session of the browser', async () => {
  const { page, problems } = await openAs('alice', '/convert');
  await page
    .getByLabel('Choose a file', { exact: true })
    .first()
    .setInputFiles({
      name: 'otter.md',
      mimeType: 'text/markdown',
      buffer: Buffer.from('# Otter\n\nAn otter <b>swims</b>.'),
    });
  await page.getByLabel('Pages (empty for all)').fill('5-2');
  await page.getByText('Enter a page, such as 3, or a range, such as 1-5.').waitFor();
  expect(await page.getByRole('button', { name: 'Convert', exact: true }).isDisabled()).toBe(true);
  await page.getByLabel('Pages (empty for all)').fill('1');
  await page.getByRole('button', { name: 'Convert', exact: true }).click();
  await page.getByRole('region', { name: 'Outputs' }).getByText('# Otter').waitFor();
  await page.getByRole('tab', { name: 'HTML' }).click();
  await page.getByText('<h1>Otter</h1>').waitFor();
  // The task is in the address and in the history, where its result can be opened again.
  await page.reload();
  await page.getByRole('region', { name: 'Outputs' }).getByText('# Otter').waitFor();
  await page.goto(`${address}/console/convert`);
  await page.getByRole('button', { name: /^Open the result of/ }).click();
  await page.getByRole('region', { name: 'Outputs' }).getByText('# Otter').waitFor();
  await page.getByText('Do the same from a program').click();
  await page.getByRole('button', { name: 'Copy as Python' }).waitFor();
  expect(await console.look(page, 'converted')).toEqual([]);
  // A document with pages is shown beside its outputs.
  await page.goto(`${address}/console/convert`);
  await page
    .getByLabel('Choose a file', { exact: true })
    .first()
    .setInputFiles(path.join(root, 'samples/documents/finance/annual-report-2024.pdf'));
  await page.getByRole('button', { name: 'Convert', exact: true }).click();
  await page.getByRole('img', { name: 'Page 1 of the document' }).waitFor();
  await page.getByLabel('Page', { exact: true }).selectOption({ label: '2' });
  const picture = page.getByRole('img', { name: 'Page 2 of the document' });
  await picture.waitFor();
  // A canvas is 300 pixels wide until something is drawn on it.
  const getWidth = async () => picture.evaluate((canvas) => (canvas as unknown as { width: number }).width);
  await until('the page is drawn', async () => (await getWidth()) > 800);
  await page.getByRole('tab', { name: 'JSON' }).click();
  expect(await page.getByRole('region', { name: 'Outputs' }).innerText()).not.toContain('data:image/png');
  expect(await console.look(page, 'converted-pages')).toEqual([]);
  expect(problems).toEqual([]);
  const { page: other } = await openAs(
    'bob',
    new URL(page.url()).pathname.replace('/console', '') + new URL(page.url()).search,
  );
  await other.getByText('You have not converted any files yet.').waitFor();
  expect(await other.locator('main').innerText()).not.toContain('Otter');
});
