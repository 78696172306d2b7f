import type { Browser } from 'playwright-core';
import { startApi, type TestApi } from '../../support/api/server';
import { startBrowser } from '../../support/system/browser';

/** The API reference in a real browser: who logs in on the page can try every request. */
let api: TestApi;
let browser: Browser;
beforeAll(async () => {
  api = await startApi();
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await api?.close();
});

test('a login on the page authorizes the requests that are tried there', async () => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(`${api.url}/api/v1/docs`);
  const logIn = async (password: string) => {
    await page.getByLabel('User name').fill('alice');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
  };
  await logIn('wrong');
  await page.getByText('Invalid username or password.').waitFor();
  await logIn('right');
  await page.getByText('Logged in as alice on this page.').waitFor();
  expect(await page.getByLabel('Password').inputValue()).toBe('');
  const operation = page.locator('#operations-Authentication-getCurrentUser');
  // Operations are drawn when they come into view.
  await page.locator('#operations-tag-Authentication').scrollIntoViewIfNeeded();
  for (let turns = 0; turns < 100 && !(await operation.isVisible()); turns++) await page.mouse.wheel(0, 200);
  await operation.locator('.opblock-summary-control').click();
  await operation.getByRole('button', { name: 'Try it out' }).click();
  await operation.getByRole('button', { name: 'Execute' }).click();
  await operation.locator('.live-responses-table .response-col_status', { hasText: '200' }).first().waitFor();
  await operation.locator('.live-responses-table', { hasText: '"username": "alice"' }).waitFor();
  expect(problems).toEqual([]);
});
