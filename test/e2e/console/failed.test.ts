import { drawScrawl } from '../../support/scrawl';
import { type Console, getFindings } from '../../support/system/console';
import {
  isHacked,
  type Screens,
  prepareFlow,
  setUpConsole,
  testScreens,
  withAdministrators,
} from '../../support/system/console-screens';
import { indexing, loggedIn } from '../../support/system/over-http';
import { type System, until } from '../../support/system/system';

/** Failed documents beside their pages. A name tries to be HTML. */
const hostileName = '<img src=x onerror=window.hacked=1>.png';

let console: Console;
let system: System;
let address: string;
let flowId: string;
setUpConsole(withAdministrators, async (started) => {
  console = started;
  ({ system, address } = console);
  ({ flowId } = await prepareFlow(console, 'failed', {
    files: { 'broken.pdf': 'no pdf', [hostileName]: await drawScrawl(), 'walrus.md': '# Walrus' },
    steps: indexing(system, 'failed'),
  }));
});

/** The address of the failed document with this name. */
async function getPlace(name: string): Promise<string> {
  const { client } = await loggedIn(address, 'alice');
  const { documents } = await client.failedDocuments.list({ flow_id: flowId });
  return `/failed/${documents.find((document) => document.name === name)?.id}`;
}

const screens: Screens = {
  'failed-one': { to: () => getPlace(hostileName), shows: 'Why it failed' },
  'failed-one-not-drawn': { to: () => getPlace('broken.pdf'), shows: 'Its pages cannot be drawn' },
  'failed-one-missing': { to: () => '/failed/nothing', shows: 'This does not exist, or you do not have access to it.' },
};
testScreens(() => console, screens);

test('a failed document is opened from the list, looked at beside its reason, and downloaded', async () => {
  const { page, problems } = await console.openAs('alice', '/failed');
  await page.getByRole('link', { name: hostileName }).click();
  const original = page.getByRole('region', { name: 'The document' });
  const picture = original.getByRole('img', { name: 'Page 1' });
  await picture.waitFor();
  const getWidth = () => picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth);
  await until('the page is drawn', async () => (await getWidth()) > 800);
  expect(await console.look(page, 'failed-beside-page')).toEqual([]);
  const reason = page.getByRole('region', { name: 'Why it failed' });
  await reason.getByText('TEXT_UNREADABLE').waitFor();
  await reason.getByText(/ocr_lang/).waitFor();
  const download = page.waitForEvent('download');
  await original.getByRole('link', { name: 'Download the file' }).click();
  expect((await download).suggestedFilename()).toMatch(/\.png$/);
  expect(await isHacked(page)).toBe(false);
  expect(await getFindings(page)).toEqual([]);
  await reason.getByRole('button', { name: 'Ignore' }).click();
  await page
    .getByText(/Ignored/)
    .first()
    .waitFor();
  await reason.getByRole('button', { name: 'List as failed again' }).click();
  await reason.getByRole('button', { name: 'Ignore' }).waitFor();
  await reason.getByRole('button', { name: 'Retry' }).click();
  await reason.getByText('1 document runs again in 1 run.').waitFor();
  expect(problems).toEqual([]);
});

test('others get nothing of it, administrators neither', async () => {
  const place = await getPlace(hostileName);
  for (const username of ['bob', 'carol']) {
    const { page } = await console.openAs(username, place);
    await page.getByText('This does not exist, or you do not have access to it.').waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(/onerror|TEXT_UNREADABLE/);
    for (const part of ['/original', '/markdown', '/pages/1/image']) {
      const status = `fetch('/api/v1/failed_documents${place.replace('/failed', '')}${part}').then((reply) => reply.status)`;
      expect(await page.evaluate(status)).toBe(404);
    }
  }
  const { page } = await console.openAs('carol', '/failed');
  await page.getByText('TEXT_UNREADABLE').first().waitFor();
  expect(
    await page
      .getByRole('table')
      .getByRole('link', { name: /withheld|onerror/ })
      .count(),
  ).toBe(0);
});
