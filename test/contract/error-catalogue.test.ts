import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { errorCatalogue, type ErrorCode } from '../../model/errors';

const root = path.join(__dirname, '..', '..');
const folders = [
  ...['activities', 'api', 'cli', 'client', 'document', 'embedded', 'formats', 'graph', 'model', 'operators'],
  ...['services', 'threads', 'workflows'],
];
const sources = folders
  .flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name)),
  )
  .filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && path.dirname(name) !== path.join('model', 'errors'),
  );
/** A declaration of a route does not count as a place that throws it. */
const declarations = /(?:\berrors: \[|\b(?:errors|changeErrors) = \[)[^\]]*\]/g;
const code = sources.map((name) => readFileSync(path.join(root, name), 'utf8').replaceAll(declarations, '')).join('\n');

test.each(Object.keys(errorCatalogue) as ErrorCode[])('%s is sent from somewhere', (name) => {
  expect(code).toMatch(new RegExp(`['"]${name}['"]`));
});
