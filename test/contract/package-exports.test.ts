import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(__dirname, '..', '..');
const { build } = require(path.join(root, 'scripts', 'build.js')) as { build: () => number };
beforeAll(() => void build());

// The package is CommonJS, and Node exposes to ES modules only the names that it finds by static analysis.
test.each([
  ['client', 'createConversionClient'],
  ['client', 'createClient'],
  ['document', 'toMarkdown'],
  ['formats', 'convertBytes'],
  ['graph', 'addNode'],
])('a program of ES modules imports from docloom/%s by name: %s', (folder, name) => {
  const program = `import { ${name} } from 'docloom/${folder}'; process.stdout.write(typeof ${name});`;
  const told = execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: root, encoding: 'utf8' });
  expect(told).toBe('function');
});

test('the declarations that npm pack adds give programs the types of the client', () => {
  const folder = mkdtempSync(path.join(root, 'dist', 'types-'));
  const tsc = (...args: string[]) =>
    execFileSync(process.execPath, [path.join(root, 'node_modules', 'typescript', 'bin', 'tsc'), ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
  try {
    tsc('-p', path.join(root, 'tsconfig.types.json'), '--outDir', folder);
    for (const entry of ['client', 'document', 'formats', 'graph'])
      expect(existsSync(path.join(folder, entry, 'index.d.ts'))).toBe(true);
    writeFileSync(
      path.join(folder, 'program.ts'),
      `import { createConversionClient } from './client';
const client = createConversionClient({ baseUrl: 'http://127.0.0.1' });
// @ts-expect-error the list of sources is not a number
void client.convert(1);
`,
    );
    const options = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--module',
      'nodenext',
      '--types',
      'node',
    ];
    expect(tsc(...options, 'program.ts')).toBe('');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
