import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Attributes, ConfigurationError, type GraphTemplate, isRecord, templateFrom } from '../../graph';
import { isFile, readJsonFile } from './files';

/**
 * Loads a template named on the command line: a `.json` or `.yaml` file, or a dotted path `module.Template` from the working
 * folder. `schemaFile`, or `NAME.schema.json` next to `NAME.json`, is used for the schema hash. Throws a ConfigurationError
 * with all problems.
 */
export async function loadTemplate(given: string, schemaFile?: string): Promise<GraphTemplate> {
  const isNamed = /\.(json|ya?ml)$/i.test(given);
  if (!isNamed && !(await isFile(given))) {
    const { loadDottedTemplate } = await import('./dotted-template');
    return loadDottedTemplate(given, process.cwd());
  }
  const value = /\.ya?ml$/i.test(given) ? await readYaml(given) : await readJsonFile(given, 'template');
  return templateFrom(value, await schemaBeside(given, schemaFile));
}

async function readYaml(file: string): Promise<unknown> {
  const { parse } = await import('yaml');
  try {
    return parse(await readFile(file, 'utf8'), { maxAliasCount: 100 });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigurationError(`The template '${file}' cannot be read: ${reason}`, { path: file }, error);
  }
}

async function schemaBeside(value: string, schemaFile: string | undefined): Promise<Attributes | undefined> {
  const beside = value.replace(/\.(json|ya?ml)$/i, '.schema.json');
  const file = schemaFile ?? (beside !== value && (await isFile(beside)) ? beside : undefined);
  if (file === undefined) return undefined;
  const schema = await readJsonFile(file, 'schema');
  if (isRecord(schema)) return schema;
  throw new ConfigurationError(`The schema '${path.basename(file)}' is not an object`, { path: file });
}
