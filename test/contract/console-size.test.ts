import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';

const root = path.join(__dirname, '..', '..');
const built = path.join(root, 'dist', 'console');

/** Files that a file of the console loads before it runs. */
function loadedBy(file: string): string[] {
  const text = readFileSync(path.join(built, file), 'utf8');
  const matches = [...text.matchAll(/(?:src|href)="\/console\/(assets\/[^"]+)"|(?:from|import)\s*"\.\/([^"]+\.js)"/g)];
  return matches.map(([, fromPage, fromScript]) => fromPage ?? `assets/${fromScript}`);
}

test('the first screen loads at most 250 kB compressed, and the editor of flows is not part of it', () => {
  execFileSync(process.execPath, [path.join(root, 'scripts', 'build-console.js')]);
  const files = new Set<string>();
  const visit = (file: string) => {
    if (files.has(file)) return;
    files.add(file);
    if (/\.(html|js)$/.test(file)) loadedBy(file).forEach(visit);
  };
  visit('index.html');
  expect(files.size).toBeGreaterThan(3);
  const text = [...files].map((file) => readFileSync(path.join(built, file), 'utf8')).join('');
  expect(text).not.toContain('config_schema');
  const bytes = [...files].reduce((sum, file) => {
    const compressed = path.join(built, `${file}.gz`);
    return sum + statSync(/\.(html|js|css|svg)$/.test(file) ? compressed : path.join(built, file)).size;
  }, 0);
  expect(bytes).toBeLessThan(250_000);
});
