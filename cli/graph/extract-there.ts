import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createFolder } from '../../embedded/paths';
import { openZip } from '../../formats/zip/zip';
import { templateToFile } from '../../graph';
import { AppError, type ErrorCode, errorCatalogue } from '../../model/errors';
import type { GraphFormat } from '../../model/graph/graph-build';
import { GraphOptions, type GraphReply } from '../../model/graph/wire';
import { collectBytes } from '../../services/storage/collect-bytes';
import { writeOutput } from '../../threads/conversion/write-output';
import { archiveLimits } from '../convert/remote-exporter';
import { connectServer } from '../server/connect';
import type { Server } from '../server/remote';
import { isFile, readJsonFile } from './files';
import { loadClassTemplate } from './template-file';

/** What to extract, and where to put the files. `options` are members of the API's options of a graph. */
export interface RemoteExtraction {
  server: string;
  source: string;
  template: string;
  output: string;
  options: Record<string, unknown>;
  formats: readonly GraphFormat[] | undefined;
}

const textSource = /\.(md|markdown|txt)$/i;

/** Uploads the document, lets the api build its graph, and writes the files of the graph to a folder here. */
export async function extractThere(extraction: RemoteExtraction): Promise<{ graph: GraphReply; files: string[] }> {
  const { source, output, formats } = extraction;
  refuseLocalOptions(extraction.options);
  const template = await readTemplate(extraction.template);
  // Before the work: nothing is extracted that cannot be stored.
  createFolder(output);
  const bytes = await readFile(source);
  const server = await connectServer(extraction);
  const text = textSource.test(source) ? { text: bytes.toString('utf8') } : undefined;
  const started = await server.client.graphs.create({
    ...(text ?? { task_id: await convertThere(server, path.basename(source), bytes) }),
    template,
    options: { ...extraction.options, ...(formats ? { formats: [...formats] } : {}) },
  });
  const graph = await waitForGraph(server, started.id);
  return { graph, files: await download(server, graph.id, output) };
}

/** Throws VALIDATION_ERROR for options that only the local library has: the API would refuse them without a hint. */
function refuseLocalOptions(options: Record<string, unknown>): void {
  const wrong = Object.keys(options).filter((name) => !(name in GraphOptions.properties));
  if (wrong.length > 0)
    throw new AppError(
      'VALIDATION_ERROR',
      `${wrong.join(', ')}: not possible with --server; omit it, or extract on this machine.`,
    );
}

/** The template as the API takes it. A dotted path is refused, because the API loads no modules. */
async function readTemplate(value: string): Promise<string | Record<string, unknown>> {
  if (/\.ya?ml$/i.test(value)) return readFile(value, 'utf8');
  if (await isFile(value)) return (await readJsonFile(value, 'template')) as Record<string, unknown>;
  if (!value.includes('.')) return templateToFile(await loadClassTemplate(value));
  throw new AppError(
    'VALIDATION_ERROR',
    `There is no template '${value}'; with --server it must be a .json or .yaml file, or a document class.`,
  );
}

async function convertThere({ conversion }: Server, name: string, content: Uint8Array): Promise<string> {
  const { task_id: id } = await conversion.submit({ files: [{ name, content }], options: { to_formats: ['json'] } });
  const stop = cancelOnInterrupt(() => conversion.cancel(id));
  try {
    const task = await conversion.finished(id, stop.signal);
    if (task.task_status === 'success') return id;
    throw new AppError('CONVERSION_FAILED', `'${name}' was not converted: ${task.error_message ?? task.task_status}.`);
  } finally {
    stop.dispose();
  }
}

async function waitForGraph({ client }: Server, id: string): Promise<GraphReply> {
  const stop = cancelOnInterrupt(() => client.graphs.remove(id));
  try {
    const graph = await client.graphs.finished(id, stop.signal);
    if (graph.state !== 'COMPLETED') throw createFailureError(graph);
    return graph;
  } finally {
    stop.dispose();
  }
}

function createFailureError({ error, state }: GraphReply): AppError {
  const code = error && error.code in errorCatalogue ? (error.code as ErrorCode) : 'GRAPH_EXTRACTION_FAILED';
  return new AppError(code, error?.message ?? `The graph is ${state}.`);
}

/** Ctrl-C also stops the work on the server, and rejects with an AbortError. */
function cancelOnInterrupt(cancel: () => Promise<unknown>): { signal: AbortSignal; dispose(): void } {
  const stopping = new AbortController();
  const stop = () => {
    cancel().catch(() => undefined);
    stopping.abort();
  };
  process.once('SIGINT', stop);
  return { signal: stopping.signal, dispose: () => void process.off('SIGINT', stop) };
}

async function download({ client }: Server, id: string, folder: string): Promise<string[]> {
  const archive = openZip(await collectBytes(client.graphs.result(id, 'zip')), archiveLimits);
  // A server must not choose paths outside the folder.
  const names = archive.names.filter((name) => name.split('/').every((part) => /^[\w-][\w .-]*$/.test(part)));
  for (const name of names) writeOutput(path.join(folder, name), [archive.read(name) ?? new Uint8Array()]);
  return names;
}
