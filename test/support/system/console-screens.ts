import type { Page } from 'playwright-core';
import type { Client } from '../../../client';
import type { FlowOperator } from '../../../model/flow/flow';
import { type Console, startConsole } from './console';
import { documentsIn, loggedIn, reading, runToEnd } from './over-http';

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
  settings: Settings | (() => Settings | Promise<Settings>),
  prepare: (started: Console) => Promise<void> | void,
): void {
  let started: Console | undefined;
  beforeAll(async () => {
    started = await startConsole(typeof settings === 'function' ? await settings() : settings);
    await prepare(started);
  }, 300_000);
  afterEach(() => started?.closeWindows());
  afterAll(() => started?.stop());
}

/** A flow of alice that reads the documents of a folder, after its first run. */
interface PreparedFlow {
  /** Logged in as alice. */
  client: Client;
  folder: string;
  flowId: string;
  flowName: string;
  runId: string;
}

/** Creates the flow with a unique name that begins with `prefix`, and runs it. By default only alice may read the documents. */
export async function prepareFlow(
  { system, address }: Console,
  prefix: string,
  {
    files,
    access = { allowed_users: ['alice'] },
    ingest = {},
    steps = [],
  }: {
    files: Record<string, string | Uint8Array>;
    access?: object;
    /** Settings of `ingest_source` in addition to its folder. */
    ingest?: Record<string, unknown>;
    /** The operators after `extract`. */
    steps?: readonly FlowOperator[];
  },
): Promise<PreparedFlow> {
  const folder = documentsIn(system, 'docs', files, access);
  const { client } = await loggedIn(address, 'alice');
  const flowName = `${prefix}-${system.env['DOCLOOM_TASK_QUEUE']}`;
  const readers = reading(folder).map((operator) =>
    operator.type === 'ingest_source' ? { ...operator, config: { ...operator.config, ...ingest } } : operator,
  );
  const { flow_id: flowId } = await client.flows.create({ flow_name: flowName, flow: [...readers, ...steps] });
  const { job_run_id: runId } = await runToEnd(client, flowId);
  return { client, folder, flowId, flowName, runId };
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
      const { page, problems } = await current.visit(who, await to());
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
  await page.locator('.head + p .state:is([data-tone=done], [data-tone=warn])').waitFor({ timeout: 240_000 });
}

/** The table rows that contain a text. */
export function findRow(page: Page, text: string) {
  return page.getByRole('row').filter({ hasText: text });
}
