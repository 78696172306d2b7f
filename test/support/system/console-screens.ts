import type { Page } from 'playwright-core';
import { type Console, startConsole } from './console';

/** A screen that tests open: its address, a text that appears once it has loaded, and the user. */
export interface Screen {
  to: () => string | Promise<string>;
  shows: string | RegExp;
  /** Default: `alice`. */
  who?: string;
}
export type Screens = Readonly<Record<string, Screen>>;

type Settings = Record<string, string>;
/** `carol` is an administrator. */
export const withAdministrators: Settings = { DOCLOOM_ADMIN_GROUPS: 'docloom-admins' };

/** Runs the console for all tests of a file. `prepare` creates the data before the tests start. */
export function setUpConsole(
  settings: Settings | (() => Settings),
  prepare: (started: Console) => Promise<void> | void,
): void {
  let started: Console | undefined;
  beforeAll(async () => {
    started = await startConsole(typeof settings === 'function' ? settings() : settings);
    await prepare(started);
  }, 300_000);
  afterEach(() => started?.closeWindows());
  afterAll(() => started?.stop());
}

/**
 * Tests each screen at every width, at 200 % zoom, in both colour schemes and with reduced motion, and checks that no name or
 * text runs as a script.
 */
export function testScreens(console: () => Console, screens: Screens, prefix = ''): void {
  test.each(Object.entries(screens))(
    '%s is usable at every width, at 200 %%, in both schemes, and without motion',
    async (name, { to, shows, who = 'alice' }) => {
      const current = console();
      const { page, problems } = await current.openAs(who, await to());
      await page.getByText(shows).first().waitFor();
      expect(await current.look(page, prefix + name)).toEqual([]);
      expect(await isHacked(page)).toBe(false);
      expect(problems).toEqual([]);
    },
  );
}

/** True if a name or text that sets `hacked` was run as a script. */
export function isHacked(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('"hacked" in globalThis');
}

/**
 * Waits until the run on the screen has succeeded. The selector is exact because the log and the counts contain the same words
 * as the state.
 */
export async function waitForEnd(page: Page): Promise<void> {
  await page.locator('.head + p .state:is([data-tone=done], [data-tone=warn])').waitFor({ timeout: 120_000 });
}

/** The table rows that contain a text. */
export function findRow(page: Page, text: string) {
  return page.getByRole('row').filter({ hasText: text });
}
