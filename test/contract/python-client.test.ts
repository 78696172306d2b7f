import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildPipelineDocument } from '../../api/http/openapi';
import { routes } from '../../api/routes';
import { operators } from '../../operators';

const root = path.join(__dirname, '..', '..');
const folder = path.join(root, 'client', 'python');
const { renderPythonClient } = require(path.join(root, 'scripts', 'python-client.js')) as {
  renderPythonClient: (document: unknown) => Record<string, string>;
};
const { version } = require(path.join(root, 'package.json')) as { version: string };

const document: unknown = JSON.parse(JSON.stringify(buildPipelineDocument(routes, version, operators)));

test.each(Object.entries(renderPythonClient(document)))('%s is what scripts/doc-tables.js writes', (name, text) => {
  expect(readFileSync(path.join(folder, 'docloom', name), 'utf8')).toBe(text);
});

test('the package has the version of the server', () => {
  expect(readFileSync(path.join(folder, 'pyproject.toml'), 'utf8')).toContain(`\nversion = "${version}"\n`);
});

test('the tests of the package pass', () => {
  const run = () =>
    execFileSync('python3', ['-B', '-m', 'unittest', 'discover', '-s', 'tests'], { cwd: folder, stdio: 'pipe' });
  expect(run).not.toThrow();
});
