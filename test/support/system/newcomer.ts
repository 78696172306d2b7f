import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type HowToStep, missingLine, readHowTo, splitCommands } from '../code/how-to';
import { freePort } from '../servers/free-port';
import { until } from './system';

const root = path.join(__dirname, '..', '..', '..');
/** Servers of other tests, which a newcomer does not have. */
const input = /^(TEMPORAL|MONGODB|SEARCH|LDAP|DOCLOOM|JWT)_/;

/** A user who follows pages to the letter in an empty folder, with a separate installation. */
export interface Newcomer {
  folder: string;
  /** Types the lines into a shell that ends at the first command that fails. */
  type(commands: string): Promise<{ code: number | null; output: string }>;
  /** Follows the steps of a page up to the first one that does not behave as documented, which is returned. */
  follow(page: string, reader?: Reader): Promise<object | undefined>;
  /** Stops all processes and removes the folder. */
  leave(): Promise<void>;
}

/** What a page leaves to its reader. */
export interface Reader {
  /** True for commands that are not typed. */
  isLeftOut?: (command: string) => boolean;
  /** What the reader writes in place of a word in capitals, such as GRAPH_ID. */
  filledIn?: Readonly<Record<string, () => Promise<string>>>;
}

/** A refusal of the API, or of the conversion service. curl takes it for a success. */
const refusal = /^\{"(errors|detail)":/m;

/** A newcomer with an empty folder. Of the pages, only the port 8080 is replaced by a free one. */
export async function createNewcomer(): Promise<Newcomer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'docloom-newcomer-'));
  const port = String(await freePort());
  const env: NodeJS.ProcessEnv = {
    ...Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !input.test(name) || name === 'DOCLOOM_CACHE'),
    ),
    PATH: `${folder}/bin:${process.env['PATH']}`,
    XDG_CONFIG_HOME: path.join(folder, 'config'),
  };
  const stacks: ChildProcess[] = [];
  mkdirSync(path.join(folder, 'bin'));
  const command = path.join(folder, 'bin', 'docloom');
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${root}/bin/docloom" "$@"\n`);
  chmodSync(command, 0o755);

  const type = (commands: string) => typeInto(inOneTerminal(commands), { cwd: folder, env });
  /** `docloom up` keeps running in a separate terminal. A running one is stopped first, because its settings may differ. */
  const start = async (commands: string) => {
    await type('docloom down');
    const child = spawn('bash', ['-c', `exec env ${commands}`], { cwd: folder, env, stdio: 'ignore' });
    stacks.push(child);
    const ready = async () => child.exitCode !== null || (await type('docloom status')).code === 0;
    await until('docloom is up', ready, 300_000);
  };
  return {
    folder,
    type,
    async follow(page, reader = {}) {
      for (const step of readHowTo(page)) {
        if (step.kind === 'file') {
          mkdirSync(path.dirname(path.join(folder, step.name)), { recursive: true });
          writeFileSync(path.join(folder, step.name), step.text.replaceAll('8080', port));
          continue;
        }
        for await (const commands of getTyped(step, reader)) {
          const typed = commands.replaceAll('8080', port);
          if (/\bdocloom up\b/.test(typed)) {
            await start(`${typed.trim()}${typed.includes('--port') ? '' : ` --port ${port}`}`);
            continue;
          }
          const { code, output } = await type(typed);
          const missing = missingLine(output, step.expected);
          // A page that shows a failed run expects the exit code 3.
          const isExpected = code === 0 || (code === 3 && step.expected.some((line) => line.includes('WITH_ERRORS')));
          if (!isExpected || missing !== undefined || refusal.test(output))
            return { commands: typed, code, missing, output };
        }
      }
      return undefined;
    },
    async leave() {
      await type('docloom down');
      await Promise.all(stacks.map(async (child) => until('the stack has ended', () => child.exitCode !== null)));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * The commands of a step that are typed: together, or one by one if one keeps a terminal for itself or has words to fill in,
 * which may come from the command before it.
 */
async function* getTyped(
  { commands }: Extract<HowToStep, { kind: 'commands' }>,
  { isLeftOut = () => false, filledIn = {} }: Reader,
): AsyncGenerator<string> {
  const kept = splitCommands(commands).filter((command) => !isLeftOut(command));
  const words = Object.entries(filledIn).filter(([word]) => kept.some((command) => command.includes(word)));
  if (words.length === 0 && !kept.some((command) => /\bdocloom up\b/.test(command))) {
    if (kept.length > 0) yield kept.join('\n');
    return;
  }
  for (const command of kept) {
    let filled = command;
    for (const [word, getValue] of words)
      if (command.includes(word)) filled = filled.replaceAll(word, await getValue());
    yield filled;
  }
}

/** Variables and functions of earlier commands are still there, as in a terminal that stays open. */
function inOneTerminal(commands: string): string {
  return `[ ! -f .terminal ] || . ./.terminal
keep_terminal() {
  { declare -f; for name in $(compgen -v | grep -xE '[a-z]+'); do declare -p "$name"; done; } > .terminal 2> /dev/null || true
}
trap keep_terminal EXIT
${commands}`;
}

function typeInto(
  commands: string,
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<{ code: number | null; output: string }> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', commands], options);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
}
