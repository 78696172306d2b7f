import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DocumentClass } from '../../model/entity/document-class';
import { parse } from '../../model/validate';

/** The folder of the package with one JSON file per class; the same for the sources and the built code. */
const folder = path.join(path.dirname(require.resolve('docloom/package.json')), 'model/entity/classes');

let cached: readonly DocumentClass[] | undefined;

/**
 * The bundled document classes, sorted by name and read at the first call. Throws INVALID_CONFIGURATION with the name of a
 * malformed file.
 */
export function listDocumentClasses(): readonly DocumentClass[] {
  cached ??= readdirSync(folder)
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
  return cached;
}
