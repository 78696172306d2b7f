import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createNewcomer, type Newcomer } from '../support/system/newcomer';
import { whyNotRun } from './not-run';

// Follows the how-tos to the letter in an empty folder, with a separate installation.
const root = path.join(__dirname, '..', '..');
const pages = /^\| \[[^\]]+\]\(([\w-]+\.md)\)/gm;
const guide = (name: string) => path.join(root, 'docs', 'how-to', name);
let newcomer: Newcomer;
beforeAll(async () => {
  newcomer = await createNewcomer();
});
afterAll(() => newcomer?.leave(), 120_000);

const names = [...readFileSync(guide('README.md'), 'utf8').matchAll(pages)].map(([, name = '']) => name);
// Nothing runs any more after the page that ends with the removal.
const last = 'backup-upgrade-uninstall.md';

test('the installation of the how-tos starts', async () => {
  expect(await newcomer.follow(guide('README.md'))).toBeUndefined();
  expect((await newcomer.type('docloom status')).code).toBe(0);
});

test.each([...names.filter((name) => name !== last), last])('%s works as documented', async (name) => {
  const isLeftOut = (command: string) => whyNotRun(`docs/how-to/${name}`, command) !== undefined;
  expect(await newcomer.follow(guide(name), { isLeftOut })).toBeUndefined();
});
