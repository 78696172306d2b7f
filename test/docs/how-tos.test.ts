import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { missingLine, readHowTo } from '../support/code/how-to';
import { freePort } from '../support/servers/free-port';
import { until } from '../support/system/system';

// Follows the how-tos to the letter in an empty folder, with a separate installation. Only the port 8080 is replaced by a free
// one.
const root = path.join(__dirname, '..', '..');
const pages = /^\| \[[^\]]+\]\(([\w-]+\.md)\)/gm;
const guide = (name: string) => path.join(root, 'docs', 'how-to', name);
/** Servers of other tests, which a newcomer does not have. */
const given = /^(TEMPORAL|MONGODB|SEARCH|LDAP|DOCLOOM|JWT)_/;

const folder = mkdtempSync(path.join(tmpdir(), 'docloom-how-to-'));
const env: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !given.test(name) || name === 'DOCLOOM_CACHE')),
  PATH: `${folder}/bin:${process.env['PATH']}`,
  XDG_CONFIG_HOME: path.join(folder, 'config'),
};
const stacks: ChildProcess[] = [];
let port: string;

beforeAll(async () => {
  port = String(await freePort());
  mkdirSync(path.join(folder, 'bin'));
  const command = path.join(folder, 'bin', 'docloom');
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${root}/bin/docloom" "$@"\n`);
  chmodSync(command, 0o755);
});
afterAll(async () => {
  await type('docloom down');
  await Promise.all(stacks.map(async (child) => until('the stack has ended', () => child.exitCode !== null)));
  rmSync(folder, { recursive: true, force: true });
}, 120_000);

/** Types the lines into a shell that ends at the first command that fails. */
function type(commands: string): Promise<{ code: number | null; output: string }> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', commands], { cwd: folder, env });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
}

/** `docloom up` keeps running in a separate terminal. A running one is stopped first, because its settings may differ. */
async function start(commands: string): Promise<void> {
  await type('docloom down');
  const child = spawn('bash', ['-c', `exec env ${commands}`], { cwd: folder, env, stdio: 'ignore' });
  stacks.push(child);
  const ready = async () => child.exitCode !== null || (await type('docloom status')).code === 0;
  await until('docloom is up', ready, 300_000);
}

/** Stops at the first step that does not behave as documented, and returns the output. */
async function follow(page: string): Promise<object | undefined> {
  for (const step of readHowTo(page)) {
    if (step.kind === 'file') {
      mkdirSync(path.dirname(path.join(folder, step.name)), { recursive: true });
      writeFileSync(path.join(folder, step.name), step.text);
      continue;
    }
    const commands = step.commands.replaceAll('8080', port);
    if (/\bdocloom up\b/.test(commands)) {
      await start(commands.trim());
      continue;
    }
    const { code, output } = await type(commands);
    const missing = missingLine(output, step.expected);
    if (code !== 0 || missing !== undefined) return { commands, code, missing, output };
  }
  return undefined;
}

const names = [...readFileSync(guide('README.md'), 'utf8').matchAll(pages)].map(([, name = '']) => name);
// Nothing runs any more after the page that ends with the removal.
const last = 'backup-upgrade-uninstall.md';

test('the installation of the how-tos starts', async () => {
  expect(await follow(guide('README.md'))).toBeUndefined();
  expect((await type('docloom status')).code).toBe(0);
}, 300_000);

test.each([...names.filter((name) => name !== last), last])(
  '%s works as documented',
  async (name) => {
    expect(await follow(guide(name))).toBeUndefined();
  },
  300_000,
);
