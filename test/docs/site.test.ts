import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../support/system/browser';

// The documentation site as built by `npm run docs:build`, in a real browser that reaches only the site.
const root = path.join(__dirname, '..', '..');
const site = path.join(root, 'docs', '.vitepress', 'dist');
const pictures = process.env['DOCLOOM_SCREENSHOTS'];
let server: Server;
let address: string;
let browser: Browser;

beforeAll(async () => {
  rmSync(site, { recursive: true, force: true });
  execFileSync(process.execPath, [path.join(root, 'node_modules/vitepress/bin/vitepress.js'), 'build', 'docs'], {
    cwd: root,
    stdio: 'pipe',
  });
  server = createServer((request, response) => {
    const name = path.join(site, decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname));
    const file = [name, `${name}.html`, path.join(name, 'index.html')].find(
      (value) => existsSync(value) && statSync(value).isFile(),
    );
    const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
    response.writeHead(file ? 200 : 404, { 'content-type': types[path.extname(file ?? '')] ?? 'text/plain' });
    response.end(file ? readFileSync(file) : '');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  server?.close();
});

/** Opens a page; collects scripts that fail, answers that are errors, and requests to other hosts. */
async function open(place: string): Promise<{ page: Page; problems: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
  });
  page.on('request', (request) => {
    if (!/^(data:|blob:)/.test(request.url()) && !request.url().startsWith(address)) problems.push(request.url());
  });
  await page.goto(`${address}${place}`, { waitUntil: 'networkidle' });
  return { page, problems };
}

async function keep(page: Page, name: string): Promise<void> {
  if (pictures) await page.screenshot({ path: path.join(pictures, `docs-${name}.png`) });
}

test('the first page shows its picture and leads to the tutorial', async () => {
  const { page, problems } = await open('/');
  await page.getByRole('heading', { name: 'Docloom', level: 1 }).waitFor();
  expect(await page.evaluate<number>("document.querySelector('main img').naturalWidth")).toBeGreaterThan(500);
  await keep(page, 'home');
  await page.getByRole('main').getByRole('link', { name: 'tutorial' }).first().click();
  await page.getByRole('heading', { name: 'Tutorial', level: 1 }).waitFor();
  await keep(page, 'tutorial');
  expect(problems).toEqual([]);
});

test('a search without a network finds a code of an error and a how-to by its symptom', async () => {
  const { page, problems } = await open('/docs/');
  for (const [words, title] of [
    ['INSTALLATION_MISMATCH', 'Operations'],
    ['run does not move', 'A run does not move'],
  ] as const) {
    await page.getByRole('button', { name: 'Search' }).first().click();
    await page.locator('#localsearch-input').fill(words);
    await page.locator('.VPLocalSearchBox .result').filter({ hasText: title }).first().waitFor();
    await keep(page, `search-${words.split(' ')[0]?.toLowerCase()}`);
    await page.keyboard.press('Escape');
  }
  expect(problems).toEqual([]);
});

test('pages fit into every window; long tables and code scroll in their own frames', async () => {
  const { page, problems } = await open('/');
  const wide: string[] = [];
  for (const place of [
    '/',
    '/docs/',
    '/docs/tutorial',
    '/docs/api',
    '/docs/configuration',
    '/docs/how-to/ingest-a-share',
    '/docs/commands',
    '/docs/benchmarks',
    '/bench/',
  ]) {
    await page.goto(`${address}${place}`, { waitUntil: 'networkidle' });
    for (const [width, height] of [
      [1440, 900],
      [1024, 768],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      const over = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      if (over > 0) wide.push(`${place} at ${width}: ${over} px`);
      await keep(page, `${place.split('/').filter(Boolean).join('-') || 'root'}-${width}`);
    }
  }
  expect(wide).toEqual([]);
  expect(problems).toEqual([]);
});

test('every page of the side bar opens, and a link to a source file shows it', async () => {
  const { page, problems } = await open('/docs/');
  const links = await page.evaluate<string[]>(
    "[...document.querySelectorAll('.VPSidebar a')].map((link) => link.getAttribute('href'))",
  );
  expect(links.length).toBeGreaterThan(30);
  for (const link of links) {
    await page.goto(`${address}${link}`);
    await page.locator('main h1').first().waitFor();
  }
  await page.goto(`${address}/docs/tutorial`);
  await page.goto(`${address}/files/samples/flows/quickstart.json.txt`);
  expect(await page.locator('body').textContent()).toContain('"flow_name"');
  expect(problems).toEqual([]);
});
