import { readdirSync } from 'node:fs';
import path from 'node:path';
import { settings } from '../../model/config';
import { errorCatalogue } from '../../model/errors';

const model = path.join(__dirname, '..', '..', 'model');

/** The keys of every list in a folder of the model, files without a list aside. */
function namesIn(folder: string): string[] {
  return readdirSync(path.join(model, folder))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== 'index.ts')
    .flatMap((file) => Object.values(require(path.join(model, folder, file)) as object))
    .flatMap((list) => (typeof list === 'object' ? Object.keys(list as object) : []));
}

test.each([
  ['config', settings],
  ['errors', errorCatalogue],
])('every name of model/%s is defined in one subject, and the index joins all of them', (folder, joined) => {
  expect(namesIn(folder).sort()).toEqual(Object.keys(joined).sort());
});
