import { type Console, getFindings } from '../../support/system/console';
import { isHacked, prepareFlow, setUpConsole, withAdministrators } from '../../support/system/console-screens';
import { indexing, reading } from '../../support/system/over-http';
import { type System, until } from '../../support/system/system';

/** Sources as the console shows them, and names that it suggests. A name of a flow tries to be HTML. */
let console: Console;
let system: System;
let flowName: string;
setUpConsole(withAdministrators, async (started) => {
  console = started;
  ({ system } = console);
  const prepared = await prepareFlow(console, '<img src=x onerror=window.hacked=1> ', {
    files: { 'walrus.md': '# Walrus' },
    ingest: { access_sync_minutes: 60 },
    steps: indexing(system, 'sources'),
  });
  ({ flowName } = prepared);
  const { client, folder } = prepared;
  await client.flows.create({ flow_name: 'nowhere', flow: reading(`${folder}/missing`) });
  const [ingesting, extracting] = reading(folder);
  const config = { destination: 'folder', path: `${folder}/export`, formats: ['md'] };
  const exporting = { type: 'storage', name: 'keep', depends_on: [extracting!.name], config };
  await client.flows.create({ flow_name: 'elsewhere', flow: [ingesting!, extracting!, exporting] });
  await client.projects.create({ name: 'Ships', members: ['bob', 'dave'] });
});

test('a source shows its place and the age of its access lists, and each of its rights is tried', async () => {
  const { page, problems } = await console.openAs('alice', '/data/sources');
  const source = page.getByRole('region', { name: flowName });
  await source.getByText('Up to date').waitFor();
  await source.getByText(`Folder · ${system.folder}/docs`).waitFor();
  await source.getByRole('button', { name: `Check ${flowName}` }).click();
  await source.getByText('The source can be used.').waitFor();
  await source.getByRole('row').filter({ hasText: 'List documents' }).getByText('Granted').waitFor();
  await page.getByRole('button', { name: 'Check nowhere' }).click();
  await page.getByRole('region', { name: 'nowhere' }).getByText('The source cannot be used').waitFor();
  // Alice may not export into folders of the worker.
  await page.getByRole('button', { name: 'Check elsewhere, keep' }).click();
  await page.getByText('The flow cannot export there').waitFor();
  expect(await console.look(page, 'data-sources-checked')).toEqual([]);
  await source.getByRole('button', { name: 'Read access lists now' }).click();
  await source.getByText('A worker is reading them.').waitFor();
  expect(await isHacked(page)).toBe(false);
  expect(problems).toEqual([]);
  const { page: other } = await console.openAs('bob', '/data/sources');
  await other.getByText('There are no flows yet.').waitFor();
  expect(await other.locator('main').innerText()).not.toMatch(/onerror|nowhere/);
});

test('members of own projects are suggested as readers; others of the directory only to administrators', async () => {
  const findSuggested = async (page: Awaited<ReturnType<Console['openAs']>>['page'], text: string, names: string[]) => {
    const reply = page.waitForResponse((response) => response.url().includes(`/api/v1/names?kind=user&text=${text}&`));
    await page.getByLabel('User name').fill(text);
    expect((await reply).status()).toBe(200);
    const options = page.locator('datalist option');
    const getValues = () =>
      options.evaluateAll((all) => all.map((option) => (option as unknown as { value: string }).value));
    await until(`${text} suggests ${names.join()}`, async () => (await getValues()).join() === names.join());
  };
  const { page } = await console.openAs('alice', '/projects');
  await page.getByRole('link', { name: 'Ships' }).click();
  await page.getByLabel('User name').waitFor();
  await findSuggested(page, 'car', []);
  await findSuggested(page, 'd', ['dave']);
  expect(await getFindings(page)).toEqual([]);
  const { page: admin, problems } = await console.openAs('carol', '/admin/people?text=bo');
  await admin
    .getByRole('row')
    .filter({ hasText: 'Bob Baker' })
    .getByRole('link', { name: 'What do they find?' })
    .click();
  const panel = admin.getByRole('region', { name: 'What would somebody see?' });
  expect(await panel.getByLabel('User name').inputValue()).toBe('bob');
  await findSuggested(admin, 'ali', ['alice']);
  expect(problems).toEqual([]);
});
