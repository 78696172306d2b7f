import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { createNewcomer, type Newcomer } from '../support/system/newcomer';

// Follows the tutorial and the guides of the clients to the letter, in this order and with one installation.
const root = path.join(__dirname, '..', '..');
let newcomer: Newcomer;
beforeAll(async () => {
  newcomer = await createNewcomer();
  cpSync(path.join(root, 'samples'), path.join(newcomer.folder, 'samples'), { recursive: true });
  // What a checkout has: the package under its own name, and the Python client.
  mkdirSync(path.join(newcomer.folder, 'node_modules'));
  symlinkSync(root, path.join(newcomer.folder, 'node_modules', 'docloom'));
  cpSync(path.join(root, 'client', 'python'), path.join(newcomer.folder, 'client', 'python'), { recursive: true });
});
afterAll(() => newcomer?.leave(), 120_000);

const guide = (name: string) => newcomer.follow(path.join(root, name));
const run = async (command: string) => {
  const { code, output } = await newcomer.type(command);
  return { command, code, output };
};

test('the tutorial works as documented', async () => {
  expect(await guide('docs/tutorial.md')).toBeUndefined();
}, 600_000);

test('the guide of the HTTP API works as documented, and so does its program', async () => {
  expect(await guide('docs/api.md')).toBeUndefined();
  const { code, output } = await run('node client.mjs');
  expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/COMPLETED\n4 \S/) });
}, 300_000);

test('the Python client is installed and runs its program', async () => {
  // In a folder of its own, where a reader might install it for the user.
  const inVenv = '. venv/bin/activate &&';
  expect(await run(`python3 -m venv venv && ${inVenv} pip install --quiet ./client/python`)).toMatchObject({ code: 0 });
  expect(await newcomer.follow(path.join(root, 'client/python/README.md'), /pip install/)).toBeUndefined();
  expect(await run(`${inVenv} python run_flow.py`)).toMatchObject({
    code: 0,
    output: expect.stringContaining("'documents': 4"),
  });
}, 300_000);

/** Commands that need the hosts or files of a reader. */
const elsewhere = /example\.org|models\.example|papers\.zip|share\.json/;

test.each(['access', 'configuration', 'conversion', 'flows', 'troubleshooting'])(
  'the commands of docs/%s.md work as documented',
  async (name) => {
    expect(await newcomer.follow(path.join(root, 'docs', `${name}.md`), elsewhere)).toBeUndefined();
  },
  300_000,
);
