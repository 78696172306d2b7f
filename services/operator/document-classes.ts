import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DocumentClass } from '../../model/entity/document-class';
import { parse } from '../../model/validate';

/** The folder of the package that holds one JSON file for each class; it is the same for sources and the built code. */
const folder = path.join(path.dirname(require.resolve('docloom/package.json')), 'model/entity/classes');

let read: readonly DocumentClass[] | undefined;

/** The bundled document classes, by name; read at the first call. INVALID_CONFIGURATION names a file that is malformed. */
export function documentClasses(): readonly DocumentClass[] {
  read ??= readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file) =>
      parse(
        DocumentClass,
        JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as unknown,
        `The document class ${file}`,
        'INVALID_CONFIGURATION',
      ),
    );
  return read;
}
