import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { buildConsole, startBrowser } from './browser';
import { createSystem, type System } from './system';

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
/** The folder for screenshots; undefined if none are kept. */
const pictures = process.env['DOCLOOM_SCREENSHOTS'];
const sizes = [
  [1440, 900],
  [1024, 768],
  [390, 844],
] as const;

/** The console of a running system, in a browser. */
export interface Console {
  system: System;
  address: string;
  /** Opens a new window at an address and collects the errors of the page. */
  open(address: string, session?: Session): Promise<{ page: Page; problems: string[] }>;
  /** Opens a page of the console, logged in as a user of the sample directory. */
  openAs(username: string, place?: string): Promise<{ page: Page; problems: string[] }>;
  /** As `openAs`, in the window of the user's last visit: a new one takes a second of processor time. `closeWindows` leaves it open. */
  visit(username: string, place: string): Promise<{ page: Page; problems: string[] }>;
  /** Findings of axe at each width, in the dark scheme those of contrast, and whether the page scrolls sideways; takes pictures on request. */
  look(page: Page, name: string): Promise<string[]>;
  closeWindows(): Promise<void>;
  stop(): Promise<void>;
}
type Session = Awaited<ReturnType<BrowserContext['storageState']>>;

/** Starts api, worker and browser; `change` overrides settings of the system. */
export async function startConsole(change: Record<string, string> = {}): Promise<Console> {
  buildConsole();
  const system = createSystem(change);
  let browser: Browser | undefined;
  try {
    const [address] = await Promise.all([system.startApi(), system.startWorker()]);
    browser = await startBrowser();
    return getConsole(system, address, browser);
  } catch (error) {
    await browser?.close();
    await system.stop();
    throw error;
  }
}

function getConsole(system: System, address: string, browser: Browser): Console {
  const contexts: BrowserContext[] = [];
  /** Cookies of logged-in users: a name may log in ten times a minute. */
  const sessions = new Map<string, Session>();
  const visits = new Map<string, Awaited<ReturnType<Console['open']>>>();
  const open: Console['open'] = async (target, session) => {
    // Motion is drawn sixty times a second by the processors that the servers need.
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      storageState: session,
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(120_000);
    contexts.push(context);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) problems.push(message.text());
    });
    await page.goto(target);
    return { page, problems };
  };
  const started: Console = {
    system,
    address,
    open,
    async openAs(username, place = '/') {
      const window = await open(`${address}/console${place}`, sessions.get(username));
      const { page } = window;
      await page.locator('nav[aria-label="Main"], input[name=password]').first().waitFor();
      if (await page.locator('input[name=password]').isVisible()) {
        await page.getByLabel('User name').fill(username);
        await page.locator('input[name=password]').fill(`${username}-secret`);
        await page.getByRole('button', { name: 'Log in' }).click();
        await page.getByRole('navigation', { name: 'Main' }).waitFor();
        sessions.set(username, await page.context().storageState());
      }
      return window;
    },
    async visit(username, place) {
      const known = visits.get(username);
      if (known) {
        known.problems.length = 0;
        await known.page.goto(`${address}/console${place}`);
        return known;
      }
      const window = await started.openAs(username, place);
      contexts.splice(contexts.indexOf(window.page.context()), 1);
      visits.set(username, window);
      return window;
    },
    look,
    async closeWindows() {
      for (const context of contexts.splice(0)) await context.close();
    },
    async stop() {
      await browser.close();
      await system.stop();
    },
  };
  return started;
}

async function look(page: Page, name: string): Promise<string[]> {
  const findings: string[] = [];
  // A window of 1280 pixels at 200 %.
  await page.setViewportSize({ width: 640, height: 512 });
  findings.push(...(await sidewaysIn(page)).map((item) => `${name} at 200 %: ${item}`));
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    findings.push(...(await sidewaysIn(page)).map((item) => `${name} at ${width}: ${item}`));
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      if (await page.evaluate("document.getAnimations().some(({ playState }) => playState === 'running')"))
        findings.push(`${name}: moves, though less motion is asked for`);
      // The schemes differ in colours only.
      const found = await getFindings(page, colorScheme === 'dark' ? ['color-contrast'] : undefined);
      findings.push(...found.map((finding) => `${name} at ${width} ${colorScheme}: ${finding}`));
      if (pictures) await keepPictures(page, path.join(pictures, `${name}-${width}-${colorScheme}.png`));
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: sizes[0][0], height: sizes[0][1] });
  return findings;
}

/** Elements that make the page scroll sideways, and clipped links, buttons and fields. */
async function sidewaysIn(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const width = document.documentElement.clientWidth;
    const scrolls = document.documentElement.scrollWidth > width ? ['scrolls sideways'] : [];
    const isCut = (one) => {
      const box = one.getBoundingClientRect();
      const isShown = box.width > 0 && !one.closest('.scroll, .skip, .visually-hidden, [hidden]');
      return isShown && (box.right > width + 1 || box.left < -1);
    };
    const cut = [...document.querySelectorAll('main a, main button, main input, main select, main textarea')].filter(isCut);
    return [...scrolls, ...cut.map((one) => 'cut off: ' + one.outerHTML.slice(0, 120))];
  })()`);
}

/** The findings of axe as text; by default, of all its rules. */
export async function getFindings(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe);
  return page.evaluate(async (runOnly) => {
    type Options = { runOnly?: string[] };
    const { axe: checker } = globalThis as unknown as {
      axe: { run(options: Options): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await checker.run(runOnly ? { runOnly } : {});
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`);
  }, rules);
}

/** Takes screenshots of the whole page and of its visible part. */
async function keepPictures(page: Page, file: string): Promise<void> {
  mkdirSync(path.dirname(file), { recursive: true });
  await page.screenshot({ path: file, fullPage: true });
  await page.evaluate('scrollTo(0, 0)');
  await page.screenshot({ path: path.join(path.dirname(file), `top-${path.basename(file)}`) });
}
