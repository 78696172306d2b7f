import type { Page } from 'playwright-core';
import { type Console, startConsole } from './console';

/** A screen as a test opens it: where it is, a text that says it is complete, and who looks. */
export interface Screen {
  to: () => string | Promise<string>;
  shows: string | RegExp;
  /** `alice` where it is absent. */
  who?: string;
}
export type Screens = Readonly<Record<string, Screen>>;

type Settings = Record<string, string>;
/** `carol` is an administrator. */
export const withAdministrators: Settings = { DOCLOOM_ADMIN_GROUPS: 'docloom-admins' };

/** The console for the tests of a file: started before them with what `prepare` makes, and stopped after them. */
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

/** Every screen holds at each width, at 200 %, in both schemes and without motion, and runs nothing that a name or a text says. */
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

/** True after a name or a text that sets `hacked` ran as a script. */
export function isHacked(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('"hacked" in globalThis');
}

/** Waits until the run on the screen has ended well. Its log and its counts have the same words as its state. */
export async function waitForEnd(page: Page): Promise<void> {
  await page.locator('.head + p .state:is([data-tone=done], [data-tone=warn])').waitFor({ timeout: 120_000 });
}

/** The rows of tables that hold a text. */
export function findRow(page: Page, text: string) {
  return page.getByRole('row').filter({ hasText: text });
}
