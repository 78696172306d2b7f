import { execFileSync } from 'node:child_process';
import path from 'node:path';

const root = path.join(__dirname, '..');
const { build } = require(path.join(root, 'scripts', 'build.js')) as { build: () => number };
beforeAll(() => void build());

// The package is CommonJS, of which Node tells ES modules only the names that it can read off the text.
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
