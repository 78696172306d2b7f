import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

// Follows the recipes of CONTRIBUTING.md in a copy of the sources: writes the files, adds the lines, then runs the type
// check and the tests that cover every operator, format, route and source.
const root = path.join(__dirname, '..', '..');
const guide = readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8');
const left = new Set(['node_modules', '.git', '.docloom', 'coverage']);
let copy: string;

beforeAll(() => {
  copy = mkdtempSync(path.join(tmpdir(), 'docloom-recipes-'));
  cpSync(root, copy, {
    recursive: true,
    // So that what is compiled is current in the copy too.
    preserveTimestamps: true,
    filter: (from) => !left.has(path.relative(root, from).split(path.sep)[0] ?? ''),
  });
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  for (const block of readBlocks(guide)) follow(block);
  run('node', ['scripts/doc-tables.js']);
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

interface Block {
  file: string;
  /** Absent: the block is the whole file. */
  where?: 'imports' | 'list';
  text: string;
}

/** Code blocks that follow a line with the name of their file. */
function readBlocks(markdown: string): Block[] {
  const named = /^ *(?:`([^`]+)`|To `([^`]+)`, (imports|list)):\n\n( *)(`{3,})\w+\n([\s\S]*?)\n\4\5$/gm;
  return [...markdown.matchAll(named)].map(([, whole, part, where, indent = '', , text = '']) => ({
    file: whole ?? part ?? '',
    where: where as Block['where'],
    text: `${text.replaceAll(new RegExp(`^${indent}`, 'gm'), '')}\n`,
  }));
}

function follow({ file, where, text }: Block): void {
  const target = path.join(copy, file);
  if (!where) {
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
    return;
  }
  const before = readFileSync(target, 'utf8');
  const place = where === 'imports' ? 0 : findListEnd(before);
  writeFileSync(target, before.slice(0, place) + text + before.slice(place));
}

/** The end of the longest top-level array or object: the list of a file is its largest value. */
function findListEnd(text: string): number {
  const literals = [
    ...text.matchAll(/^(?:export )?const \w+(?:: [^\n]+)? = [[{]\n(?:[ /}\])].*\n|\n)*?(?=[\]}](?: as const)?;$)/gm),
  ];
  const longest = literals.toSorted((a, b) => b[0].length - a[0].length)[0];
  if (!longest) throw new Error('The file has no list.');
  return longest.index + longest[0].length;
}

/** What the command printed; its exit code must be 0. */
function run(command: string, args: string[]): string {
  try {
    return execFileSync(command, args, { cwd: copy, encoding: 'utf8', stdio: 'pipe', env: { ...process.env } });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error });
  }
}

test('the recipes are an operator, a format, a route and a source', () => {
  expect(readBlocks(guide).map(({ file, where }) => `${file}${where ? ` (${where})` : ''}`)).toEqual([
    'operators/shout/schema.ts',
    'operators/shout/run.ts',
    'operators/shout/run.test.ts',
    'operators/shout/README.md',
    'operators/index.ts (imports)',
    'operators/index.ts (list)',
    'formats/headlines/index.ts',
    'formats/headlines/read.ts',
    'formats/headlines/read.test.ts',
    'formats/list.ts (imports)',
    'formats/list.ts (list)',
    'api/server/clock.ts',
    'api/routes.ts (imports)',
    'api/routes.ts (list)',
    'test/attack/matrix.ts (list)',
    'model/source/kinds/inline.ts',
    'model/source/list.ts (imports)',
    'model/source/list.ts (list)',
    'services/source/inline.ts',
    'services/source/sources.ts (imports)',
    'services/source/sources.ts (list)',
    'test/support/sources/inline.ts',
    'test/support/sources/index.ts (imports)',
    'test/support/sources/index.ts (list)',
  ]);
});

test('clients can name the format without another edit', () => {
  const names = readFileSync(path.join(copy, 'model/conversion/request/input-formats.ts'), 'utf8');
  expect(names).toMatch(/^ {2}'headlines',\n] as const;$/m);
});

test('the created files compile', () => {
  expect(run('node', ['node_modules/typescript/bin/tsc', '--noEmit'])).toBe('');
});

test.each([
  { tests: 'operators/shout|formats/headlines|contract/docs|contract/formats|flow/operator-metadata' },
  { tests: 'contract/operators.test|api/access-matrix|api/contract', of: 'shout|clock|has a row|OpenAPI' },
  { tests: 'integration/source/contract', of: '^inline ' },
])('the created files pass $tests', ({ tests, of }) => {
  const servers = ['--globalSetup=', '--globalTeardown='];
  const named = of === undefined ? [] : ['--testNamePattern', of];
  const jest = ['node_modules/jest/bin/jest.js', ...servers, '--testPathPatterns', tests, ...named];
  expect(() => run('node', jest)).not.toThrow();
});
