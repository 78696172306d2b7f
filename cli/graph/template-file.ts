import path from 'node:path';
import {
  type Attributes,
  ConfigurationError,
  type GraphTemplate,
  isRecord,
  templateFrom,
  templateOfClass,
} from '../../graph';
import { isFile, readJsonFile, readNamedFile } from './files';

/** How the command line names a template. */
export const templateHelp =
  'a .json or .yaml file, the name of a document class such as invoice, or a dotted path module.Template';

/**
 * Loads a template named on the command line: a `.json` or `.yaml` file, a document class, or a dotted path `module.Template`
 * from the working folder. The schema hash is computed from `schemaFile`, else from `NAME.schema.json` next to `NAME.json`.
 * Throws a ConfigurationError with all problems.
 */
export async function loadTemplate(source: string, schemaFile?: string): Promise<GraphTemplate> {
  const isNamed = /\.(json|ya?ml)$/i.test(source);
  if (!isNamed && !(await isFile(source))) {
    if (!source.includes('.')) return loadClassTemplate(source);
    const { loadDottedTemplate } = await import('./dotted-template');
    return loadDottedTemplate(source, process.cwd());
  }
  const value = /\.ya?ml$/i.test(source) ? await readYaml(source) : await readJsonFile(source, 'template');
  return templateFrom(value, await findSchemaBeside(source, schemaFile));
}

/** The template that ships for a document class. Throws a ConfigurationError that lists the classes if the name is unknown. */
export async function loadClassTemplate(type: string): Promise<GraphTemplate> {
  const { listDocumentClasses } = await import('../../services/operator/document-classes');
  const documentClass = listDocumentClasses().find(({ document_type }) => document_type === type);
  if (documentClass) return templateOfClass(documentClass);
  const names = listDocumentClasses().map(({ document_type }) => document_type);
  throw new ConfigurationError(
    `There is no document class '${type}', and no template file of that name; the classes are ${names.join(', ')}.`,
    { type },
  );
}

async function readYaml(file: string): Promise<unknown> {
  const { parse } = await import('yaml');
  const text = (await readNamedFile(file, 'template')).toString('utf8');
  try {
    return parse(text, { maxAliasCount: 100 });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigurationError(`The template '${file}' cannot be read: ${reason}`, { path: file }, error);
  }
}

async function findSchemaBeside(value: string, schemaFile: string | undefined): Promise<Attributes | undefined> {
  const beside = value.replace(/\.(json|ya?ml)$/i, '.schema.json');
  const file = schemaFile ?? (beside !== value && (await isFile(beside)) ? beside : undefined);
  if (file === undefined) return undefined;
  const schema = await readJsonFile(file, 'schema');
  if (isRecord(schema)) return schema;
  throw new ConfigurationError(`The schema '${path.basename(file)}' is not an object`, { path: file });
}
