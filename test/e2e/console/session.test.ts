import { type Console, getFindings } from '../../support/system/console';
import { findRow, setUpConsole, withAdministrators } from '../../support/system/console-screens';
import { loggedIn, reading } from '../../support/system/over-http';
import type { System } from '../../support/system/system';

/** Sessions that end, that are shared by tabs, and what they leave in the browser. */
let console: Console;
let system: System;
let address: string;
let flowId: string;
setUpConsole(withAdministrators, async (started) => {
  console = started;
  ({ system, address } = console);
  const { client } = await loggedIn(address, 'alice');
  const name = `session-${system.env['DOCLOOM_TASK_QUEUE']}`;
  ({ flow_id: flowId } = await client.flows.create({ flow_name: name, flow: reading('/nowhere') }));
});

type Page = Awaited<ReturnType<Console['open']>>['page'];

async function logIn(page: Page, username: string): Promise<void> {
  await page.getByLabel('User name').fill(username);
  await page.locator('input[name=password]').fill(`${username}-secret`);
  await page.getByRole('button', { name: 'Log in' }).click();
}

const nameField = (page: Page) => page.getByRole('textbox', { name: 'Name of the flow', exact: true });

test("an administrator lists logged-in users and logs one out; that user's window says so, and other users see only their own logins", async () => {
  const { page, problems } = await console.openAs('carol', '/admin/sessions');
  const { page: theirs } = await console.openAs('bob', '/settings/sessions');
  await theirs.getByText('This session').waitFor();
  expect(await theirs.locator('main').innerText()).not.toMatch(/carol|alice/);
  await page.getByLabel('User', { exact: true }).fill('bob');
  await page.getByRole('button', { name: 'Filter' }).click();
  const row = findRow(page, 'bob').filter({ hasText: 'Chrome' });
  await row.getByText('from 127.0.0.1').waitFor();
  expect(await getFindings(page)).toEqual([]);
  await row.getByRole('button', { name: /^Log out bob/ }).click();
  await page.getByText('The session ends at once.').waitFor();
  await row.getByRole('button', { name: 'Log out', exact: true }).click();
  await row.waitFor({ state: 'detached' });
  await theirs.reload();
  await theirs.getByLabel('User name').waitFor();
  expect(problems).toEqual([]);
});

test('work that was not saved survives the end of a session', async () => {
  const { page, problems } = await console.openAs('alice', `/flows/${flowId}`);
  await nameField(page).fill('Unsaved work');
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Save', exact: true }).first().click();
  await page.getByText('Your session has ended. Log in again.').waitFor();
  expect(await nameField(page).count()).toBe(0);
  expect(await getFindings(page)).toEqual([]);
  await logIn(page, 'alice');
  await nameField(page).waitFor();
  expect(await nameField(page).inputValue()).toBe('Unsaved work');
  await page.getByRole('button', { name: 'Save', exact: true }).first().click();
  await page.getByText('Saved.').waitFor();
  expect(await page.title()).toContain('Unsaved work');
  expect(problems).toEqual([]);
});

test('another user who logs in after the end of a session finds no trace of the work', async () => {
  const { page } = await console.openAs('alice', `/flows/${flowId}`);
  await nameField(page).fill('Work of alice');
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Save', exact: true }).first().click();
  await logIn(page, 'bob');
  await page.getByText('This does not exist, or you do not have access to it.').waitFor();
  expect(await page.content()).not.toMatch(/Work of alice|session-/);
});

test('tabs log out and in together, and show the data of the current user', async () => {
  const { page, problems } = await console.openAs('alice', '/flows');
  await page.getByRole('table').waitFor();
  const second = await page.context().newPage();
  await second.goto(`${address}/console/flows`);
  await second.getByRole('table').waitFor();
  await page.getByRole('button', { name: 'Log out' }).click();
  await second.getByRole('heading', { name: 'Log in to Docloom' }).waitFor();
  expect(await second.content()).not.toContain('session-');
  await logIn(second, 'bob');
  await second.getByText('There are no flows yet.', { exact: false }).waitFor();
  await page.getByText('There are no flows yet.', { exact: false }).waitFor();
  expect(await page.content()).not.toContain('session-');
  expect(problems).toEqual([]);
});

test('the browser stores nothing secret, and no reply with data', async () => {
  const { page } = await console.openAs('alice', '/flows');
  await page.getByRole('table').waitFor();
  await page.getByRole('button', { name: 'Dark colours' }).click();
  const stored = await page.evaluate<string>(`(async () => JSON.stringify({
    local: Object.keys(localStorage),
    session: Object.keys(sessionStorage),
    databases: (await indexedDB.databases()).map(({ name }) => name),
    caches: globalThis.caches ? await caches.keys() : [],
    cookies: document.cookie.split('; ').map((cookie) => cookie.split('=')[0]),
  }))()`);
  expect(JSON.parse(stored)).toEqual({
    local: ['mantine-color-scheme-value'],
    session: [],
    databases: [],
    caches: [],
    cookies: ['docloom_csrf'],
  });
  const cookies = await page.context().cookies();
  expect(cookies.find(({ name }) => name === 'docloom_session')).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
  const kept = await page.evaluate<string>(
    "fetch('/api/v1/flows').then(({ headers }) => headers.get('cache-control'))",
  );
  expect(kept).toMatch(/no-store|private/);
});

test('a screen whose code cannot be loaded says so, and the rest of the console stays', async () => {
  const { page } = await console.openAs('alice');
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  const code = /\/assets\/[-.\w]+\.js/;
  await page.route(code, (route) => route.abort());
  await page.getByRole('link', { name: 'Convert' }).click();
  await page.getByText('This page could not be shown').waitFor();
  expect(await getFindings(page)).toEqual([]);
  await page.getByRole('link', { name: 'Home' }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.getByRole('link', { name: 'Convert' }).click();
  await page.getByText('This page could not be shown').waitFor();
  await page.unroute(code);
  await page.getByRole('button', { name: 'Reload the page' }).click();
  await page.getByRole('heading', { name: 'Convert' }).waitFor();
});

test('every screen says that the server does not answer, and is up to date again when it does', async () => {
  const { page } = await console.openAs('alice', '/flows');
  const { client } = await loggedIn(address, 'alice');
  const { flow_name: name } = await client.flows.get(flowId);
  await page.getByRole('link', { name }).waitFor();
  await page.context().setOffline(true);
  await page.getByText(/^Docloom does not answer. What you see may be out of date/).waitFor();
  expect(await getFindings(page)).toEqual([]);
  await client.flows.patch(flowId, { flow_name: `${name} renamed` });
  await page.context().setOffline(false);
  await page.getByText(/^Docloom does not answer/).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: `${name} renamed` }).waitFor();
});
