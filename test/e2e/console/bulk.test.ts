import { type Console, getFindings } from '../../support/system/console';
import { isHacked, findRow, setUpConsole, prepareFlow } from '../../support/system/console-screens';
import { loggedIn, runToEnd } from '../../support/system/over-http';

/** The same done with several runs, sets or schedules at once; names try to be HTML. */
let console: Console;
let address: string;
let flowId: string;
const setNames = ['bulk_first', 'bulk_second', 'bulk_third'];
setUpConsole({}, async (started) => {
  console = started;
  ({ address } = console);
  const files = { 'walrus.md': '# Walrus', 'broken.pdf': 'no pdf' };
  const { client, ...prepared } = await prepareFlow(console, '<img src=x onerror=window.hacked=1> ', { files });
  ({ flowId } = prepared);
  for (let count = 1; count < 3; count += 1) await runToEnd(client, flowId, { force_ingest: true });
  for (const name of setNames) await client.documentSets.create({ name });
  for (const hour of [5, 6]) await client.schedules.create(flowId, { cron: `0 ${hour} 1 1 *` });
});

test('two of three runs are deleted after a confirmation; a refusal gives its reason and stays selected', async () => {
  const { page, problems } = await console.openAs('alice', `/runs?flow=${flowId}`);
  const bar = page.getByRole('group', { name: 'The selected rows' });
  const boxes = page.getByRole('row').getByRole('checkbox');
  await boxes.nth(2).waitFor();
  expect(await bar.getByRole('button').count()).toBe(0);
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  await bar.getByText('2 selected').waitFor();
  await bar.getByRole('button', { name: /^Pause/ }).click();
  await page.getByText('Refused: 2.').waitFor();
  await page
    .getByRole('listitem')
    .filter({ hasText: /COMPLETED/ })
    .first()
    .waitFor();
  await bar.getByText('2 selected').waitFor();
  expect(await getFindings(page)).toEqual([]);
  await bar.getByRole('button', { name: /^Delete/ }).click();
  await page.getByText('The runs, their logs and their tables are deleted').waitFor();
  expect(await getFindings(page)).toEqual([]);
  await bar.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('Done: 2.').waitFor();
  await page.getByText('1–1 of 1').waitFor();
  const { client } = await loggedIn(address, 'alice');
  expect((await client.jobRuns.list({ flow_id: flowId })).total).toBe(1);
  expect(await isHacked(page)).toBe(false);
  expect(problems).toEqual([]);
});

test('all runs of a page are chosen at once and run again', async () => {
  const { page, problems } = await console.openAs('alice', `/runs?flow=${flowId}`);
  const bar = page.getByRole('group', { name: 'The selected rows' });
  await page.getByLabel('Select all on this page').check();
  await bar.getByRole('button', { name: /^Run failed documents again/ }).click();
  await bar.getByRole('button', { name: 'Run failed documents again', exact: true }).click();
  await page.getByText('Done: 1.').waitFor();
  await page.getByText('1–2 of 2').waitFor();
  expect(problems).toEqual([]);
});

test('two sets get readers, who cannot select them, and are removed; the third stays', async () => {
  const { page, problems } = await console.openAs('alice', '/data/sets?name=bulk_');
  const bar = page.getByRole('group', { name: 'The selected rows' });
  for (const name of setNames.slice(0, 2)) await findRow(page, name).getByRole('checkbox').check();
  await page.getByLabel('Readers').fill('bob, bob , erin');
  expect(await getFindings(page)).toEqual([]);
  await bar.getByRole('button', { name: /^Set the readers/ }).click();
  await page.getByText('Done: 2.').waitFor();
  const { client } = await loggedIn(address, 'alice');
  const { items } = await client.documentSets.list({ name: 'bulk_' });
  const readers = Object.fromEntries(items.map((item) => [item.name, item.readers]));
  expect(readers).toEqual({ bulk_first: ['bob', 'erin'], bulk_second: ['bob', 'erin'], bulk_third: [] });
  const { page: other } = await console.openAs('bob', '/data/sets?name=bulk_');
  await findRow(other, 'bulk_first').waitFor();
  expect(await other.getByRole('checkbox').count()).toBe(0);
  expect(await other.locator('main').innerText()).not.toContain('bulk_third');
  for (const name of setNames.slice(0, 2)) await findRow(page, name).getByRole('checkbox').check();
  await bar.getByRole('button', { name: /^Remove/ }).click();
  await bar.getByRole('button', { name: 'Remove', exact: true }).click();
  await findRow(page, 'bulk_first').waitFor({ state: 'detached' });
  expect((await client.documentSets.list({ name: 'bulk_' })).items.map(({ name }) => name)).toEqual(['bulk_third']);
  expect(problems).toEqual([]);
});

test('all schedules of a flow are paused, resumed and removed by keyboard', async () => {
  const { page, problems } = await console.openAs('alice', `/flows/${flowId}`);
  const bar = page.getByRole('group', { name: 'The selected rows' });
  const press = async (name: RegExp | string) => {
    await bar.getByRole('button', { name, exact: typeof name === 'string' }).focus();
    await page.keyboard.press('Enter');
  };
  await page.getByLabel('Select all on this page').focus();
  await page.keyboard.press('Space');
  await bar.getByText('2 selected').waitFor();
  await press(/^Pause/);
  await findRow(page, 'Paused').nth(1).waitFor();
  await page.getByLabel('Select all on this page').check();
  await press(/^Resume/);
  await findRow(page, 'Active').nth(1).waitFor();
  expect(await getFindings(page)).toEqual([]);
  await page.getByLabel('Select all on this page').check();
  await press(/^Remove/);
  await press('Remove');
  await page.getByText('The flow runs only when somebody starts it.').waitFor();
  const { client } = await loggedIn(address, 'alice');
  expect((await client.schedules.list(flowId)).total).toBe(0);
  expect(await isHacked(page)).toBe(false);
  expect(problems).toEqual([]);
});
