import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { commands } from '../commands';
import { createCompletionCommand } from './completion';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'docloom-completion-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function scriptFor(shell: string): Promise<string> {
  const written: string[] = [];
  const write = jest.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  try {
    await createCompletionCommand(commands).parseAsync([shell], { from: 'user' });
  } finally {
    write.mockRestore();
  }
  return written.join('');
}

/** The completions that bash offers for the words; the last one is incomplete. */
async function offers(...words: string[]): Promise<string[]> {
  const file = path.join(folder, 'docloom.bash');
  await writeFile(file, await scriptFor('bash'));
  const program = `source ${file}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _docloom; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const told = execFileSync('bash', ['-c', program, 'bash', 'docloom', ...words], { encoding: 'utf8' });
  return told.split('\n').filter((line) => line !== '');
}

describe('in bash', () => {
  test('every command is offered', async () => {
    expect(await offers('')).toEqual(expect.arrayContaining(commands.map(({ name }) => name)));
  });
  test('a prefix is completed', async () => expect(await offers('quic')).toEqual(['quickstart']));
  test('options of a command', async () =>
    expect(await offers('runs', '--s')).toEqual(expect.arrayContaining(['--server', '--status'])));
  test('subcommands, and their options after other arguments', async () => {
    expect(await offers('graph', 'mer')).toEqual(['merge']);
    expect(await offers('models', 'add', 'x', '--')).toContain('--help');
  });
  test('without a match, file names are left to the shell', async () => expect(await offers('run', 'flo')).toEqual([]));
});

test.each(['bash', 'zsh', 'fish'])('%s accepts the script', async (shell) => {
  const script = await scriptFor(shell);
  for (const { name } of commands) expect(script).toContain(name);
  const found = process.env['PATH']?.split(':').some((place) => existsSync(path.join(place, shell)));
  const file = path.join(folder, `script.${shell}`);
  await writeFile(file, script);
  if (found) execFileSync(shell, ['-n', file]);
});

test('an unknown shell is rejected with the list of known ones', async () => {
  const command = createCompletionCommand(commands)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  await expect(command.parseAsync(['tcsh'], { from: 'user' })).rejects.toThrow(/bash, zsh, fish/);
});
