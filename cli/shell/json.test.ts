import type { Command } from 'commander';
import { runMain } from '../../test/support/code/run-main';
import { commands } from '../commands';

/** Every command without subcommands, by the words that call it. */
async function readLeaves(): Promise<{ words: string[]; command: Command }[]> {
  const leaves = await Promise.all(commands.map(async ({ name, load }) => findLeaves([name], await load())));
  return leaves.flat();
}

function findLeaves(words: string[], command: Command): { words: string[]; command: Command }[] {
  const children = command.commands.flatMap((child) => findLeaves([...words, child.name()], child));
  const isLeaf = command.commands.length === 0 || words.join(' ') === 'installation';
  return isLeaf ? [{ words, command }, ...children] : children;
}

/** `mcp` speaks a protocol on standard output. */
const withoutJson = ['mcp'];

test('every command has --json, except the one that speaks a protocol', async () => {
  const missing = (await readLeaves())
    .filter(({ command }) => !command.options.some(({ long }) => long === '--json'))
    .map(({ words }) => words.join(' '));
  expect(missing).toEqual(withoutJson);
});

test('misuse of any command exits 2, with one line on standard error that ends with the code', async () => {
  for (const { words } of await readLeaves()) {
    // api and worker end the process after an error.
    if (['api', 'worker'].includes(words.join(' '))) continue;
    const plain = await runMain(...words, '--nonsense');
    expect({ words, ...plain }).toEqual({
      words,
      code: 2,
      out: '',
      err: expect.stringMatching(/^docloom: .+\. \(VALIDATION_ERROR\)\n$/),
    });
    const { code, out } = await runMain(...words, '--nonsense', '--json');
    expect({ words, code }).toEqual({ words, code: 2 });
    expect(JSON.parse(out)).toMatchObject({ ok: false, code: 'VALIDATION_ERROR', message: expect.any(String) });
  }
});

test('a hint of the parser is part of the message', async () => {
  expect((await runMain('run', '--serve', 'x')).err).toBe(
    "docloom: Unknown option '--serve'. Did you mean --server? (VALIDATION_ERROR)\n",
  );
});

test('completion and new print their output as JSON', async () => {
  const { out } = await runMain('completion', 'bash', '--json');
  expect(JSON.parse(out)).toMatchObject({ shell: 'bash', script: expect.stringContaining('complete -o') });
});
