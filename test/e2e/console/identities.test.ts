import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Console, getFindings } from '../../support/system/console';
import { findRow, setUpConsole, testScreens, withAdministrators } from '../../support/system/console-screens';
import { loggedIn } from '../../support/system/over-http';

/** Identity maps in the console: only an administrator can create, read, correct and remove them. */
const folder = mkdtempSync(path.join(tmpdir(), 'docloom-identities-'));
const accounts = path.join(folder, 'accounts.json');
let console: Console;
// Must run before the hook of `setUpConsole`, which ends the console.
afterAll(async () => {
  const { client } = await loggedIn(console.address, 'carol');
  for (const name of ['e2e-given', 'e2e-machine']) await client.identityMaps.remove(name).catch(() => undefined);
  rmSync(folder, { recursive: true });
});
setUpConsole(withAdministrators, (started) => {
  console = started;
  const input = {
    accounts: [
      { id: '1001', name: 'ACME\\alice', mail: 'alice@acme.example' },
      { id: '1002', name: 'zed <img src=x onerror=window.hacked=1>' },
    ],
    groups: [{ id: 'sales', members: ['1001', '1002'] }],
  };
  writeFileSync(accounts, JSON.stringify(input));
});
test('a map from a file shows which accounts have a login, and which give access to nobody', async () => {
  const { page, problems } = await console.openAs('carol', '/admin/identities');
  await page.getByLabel('Name', { exact: false }).first().fill('e2e-given');
  await page.getByLabel('Places, one per line').fill(`file:${folder}/a\nfile:${folder}/b`);
  await page.getByLabel('Accounts come from').selectOption({ label: 'a file with accounts and groups' });
  await page.getByLabel('JSON file').setInputFiles(accounts);
  await page.getByLabel('Text before the login').fill('ACME\\');
  await page.getByRole('button', { name: 'Create the map' }).click();
  await findRow(page, 'ACME\\alice').getByText('sales').waitFor();
  expect(await findRow(page, 'ACME\\alice').innerText()).toMatch(/alice\s+name/);
  await findRow(page, 'zed <img').getByText('Without a login').waitFor();
  await page.getByText('Up to date').waitFor();
  await page.getByLabel('Show', { exact: true }).selectOption({ label: 'Without a login' });
  await findRow(page, 'ACME\\alice').waitFor({ state: 'detached' });
  expect(await getFindings(page)).toEqual([]);
  expect(problems).toEqual([]);
});

test('an account of the machine gets a login, and loses it when the map is removed', async () => {
  const { page, problems } = await console.openAs('carol', '/admin/identities');
  await page.getByLabel('Name', { exact: false }).first().fill('e2e-machine');
  await page.getByLabel('Places, one per line').fill(`file:${folder}/c`);
  await page.getByRole('button', { name: 'Create the map' }).click();
  const daemon = findRow(page, 'daemon');
  await daemon.first().waitFor({ timeout: 60_000 });
  await page.getByLabel('Login of 1', { exact: true }).fill('bob');
  await daemon.first().getByRole('button', { name: 'Assign' }).click();
  await daemon.first().getByText('pair').waitFor({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Remove the map e2e-machine' }).click();
  await page.getByText('Its accounts no longer give access to documents.').waitFor();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('heading', { name: 'Identity maps', exact: true }).waitFor();
  await findRow(page, 'e2e-machine').waitFor({ state: 'detached' });
  expect(problems).toEqual([]);
});

test('a file without accounts and an invalid place are refused with a reason', async () => {
  const { page } = await console.openAs('carol', '/admin/identities');
  await page.getByLabel('Name', { exact: false }).first().fill('e2e-wrong');
  await page.getByLabel('Places, one per line').fill('/srv/share');
  await page.getByRole('button', { name: 'Create the map' }).click();
  await page.getByRole('alert').getByText('The map was not created').waitFor();
  expect(await page.getByRole('alert').innerText()).toContain('places');
});

test('other users learn nothing about the maps', async () => {
  const { page } = await console.openAs('alice', '/admin/identities?map=e2e-given');
  await page.getByText('This page is for administrators.').waitFor();
  expect(await page.content()).not.toMatch(/ACME|1001/);
});

testScreens(() => console, {
  'identity-maps': { to: () => '/admin/identities', shows: 'e2e-given', who: 'carol' },
  'identity-map': { to: () => '/admin/identities?map=e2e-given', shows: 'ACME\\alice', who: 'carol' },
});
