import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readHowTo, splitCommands } from '../support/code/how-to';
import { followedPages, notRun, whyNotRun } from './not-run';

// Every command of the documentation is run by a test, or is listed with the reason why not.
const root = path.join(__dirname, '..', '..');
const pagesOf = (folder: string) =>
  readdirSync(path.join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join(folder, name));
/** test/docs/how-tos.test.ts follows them, test/docs/guides.test.ts the rest. */
const howTos = pagesOf('docs/how-to');
const pages = ['README.md', 'CONTRIBUTING.md', 'client/python/README.md', ...pagesOf('docs'), ...howTos];
const commands = pages.flatMap((page) =>
  readHowTo(path.join(root, page)).flatMap((step) =>
    step.kind === 'commands' ? splitCommands(step.commands).map((command) => ({ page, command })) : [],
  ),
);

test('every command is run, or listed with the reason why not', () => {
  expect(commands.length).toBeGreaterThan(150);
  const followed = new Set<string>([...followedPages, ...howTos, 'client/python/README.md']);
  const forgotten = commands.filter(({ page, command }) => !followed.has(page) && !whyNotRun(page, command));
  expect(forgotten).toEqual([]);
});

test('every entry of the list names a command, with a reason', () => {
  const idle = notRun.filter(
    ({ page, commands: pattern, why }) =>
      why.length < 20 || !commands.some((item) => item.page === page && pattern.test(item.command)),
  );
  expect(idle).toEqual([]);
});

test('commands that are not run are at least parsed', () => {
  const parsed = commands
    .filter(({ page, command }) => whyNotRun(page, command))
    .map((item) => ({ ...item, problem: spawnSync('bash', ['-n'], { input: item.command, encoding: 'utf8' }).stderr }));
  expect(parsed.length).toBeGreaterThan(20);
  expect(parsed.filter(({ problem }) => problem !== '')).toEqual([]);
});

test('blocks of commands are marked sh, so that they are found', () => {
  const other = pages.filter((page) =>
    /^ *```(bash|shell|console|zsh)$/m.test(readFileSync(path.join(root, page), 'utf8')),
  );
  expect(other).toEqual([]);
});
