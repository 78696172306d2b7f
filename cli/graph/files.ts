import { createWriteStream } from 'node:fs';
import { readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createFolder } from '../../embedded/paths';
import {
  ConfigurationError,
  exportFiles,
  graphFromJson,
  type GraphValue,
  type KnowledgeGraph,
  ledgerFrom,
  parseJsonText,
  type Profile,
  refuseLossyExport,
} from '../../graph';
import { buildPartPath } from '../../threads/conversion/write-output';

/** A loaded export: the graph, its file, and the ledger next to it if there is a readable one. */
export interface LoadedExport {
  graph: KnowledgeGraph;
  path: string;
  ledger?: { [key: string]: GraphValue };
}

/** Loads a `graph.json`, or the one in a run folder. Throws a ConfigurationError for anything else. */
export async function loadExport(value: string, profile: Profile): Promise<LoadedExport> {
  const file = await readExportPath(value);
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new ConfigurationError(`Cannot read graph export: ${file}`, { path: file }, error);
  });
  const ledger = await readFile(path.join(path.dirname(file), 'provenance.json')).then(ledgerFrom, () => undefined);
  return { graph: graphFromJson(bytes, file, { profile }), path: file, ledger };
}

/** The `graph.json` that a file name or the folder of a run names. Throws a ConfigurationError when there is none. */
export async function readExportPath(value: string): Promise<string> {
  if (await isFolder(value)) {
    for (const name of exportFiles) if (await isFile(path.join(value, name))) return path.join(value, name);
    throw new ConfigurationError(`No graph export found in the folder ${value}`, {
      directory: value,
      expected: exportFiles.join(' or '),
    });
  }
  refuseLossyExport(value);
  if (!(await isFile(value))) throw new ConfigurationError(`There is no graph export '${value}'.`, { path: value });
  return value;
}

/** Reads a file that the command line names. Throws a ConfigurationError that says what `value` (such as `sample`) is wrong, and why. */
export async function readNamedFile(file: string, value: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new ConfigurationError(`There is no ${value} '${file}'.`, { path: file }, error);
    const reason = code === 'EISDIR' ? 'it is a folder' : message;
    throw new ConfigurationError(`The ${value} '${file}' cannot be read: ${reason}`, { path: file }, error);
  }
}

/** Reads a JSON file, keeping floats, big integers and the order of members. Throws a ConfigurationError with the file name. */
export async function readJsonFile(file: string, value: string): Promise<GraphValue> {
  const text = (await readNamedFile(file, value)).toString('utf8');
  try {
    return parseJsonText(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigurationError(`The ${value} '${file}' cannot be read: ${reason}`, { path: file }, error);
  }
}

/** Writes a text in chunks, with one chunk in memory at a time. Creates the folder. The file appears only when it is complete. */
export async function writePieces(file: string, pieces: Iterable<string> | AsyncIterable<string>): Promise<void> {
  const part = buildPartPath(file);
  try {
    createFolder(path.dirname(file));
    await pipeline(Readable.from(pieces), createWriteStream(part));
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** True for an existing regular file. */
export async function isFile(name: string): Promise<boolean> {
  return stat(name).then(
    (stats) => stats.isFile(),
    () => false,
  );
}

async function isFolder(name: string): Promise<boolean> {
  return stat(name).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
