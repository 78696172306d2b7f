import { Readable } from 'node:stream';
import { createDistinctNames, toSafeFileName } from '../../model/conversion/request/file-names';
import { findOutputFile } from '../../model/conversion/request/formats';
import { type ZipFile, createZip } from '../storage/zip-stream';
import { writeChunkedResult } from './chunked-result';
import type { DocumentResult, StoredOutput, TaskResult } from './ports';

/** The only document file in the archive of a chunk task, under the name that clients expect. Contains chunks and documents. */
const chunkedName = 'chunked_result.json';

/** A file of a result, with its public name. */
export interface ResultFile extends StoredOutput {
  name: string;
  /** Output format; absent for images. */
  format?: string;
  document: number;
}

/** The files of a result. Names are safe and distinct; files of one document share a stem. */
export function listFiles(documents: readonly DocumentResult[]): ResultFile[] {
  const distinct = createDistinctNames();
  const images = new Map<string, ResultFile>();
  const files = documents.flatMap((document): ResultFile[] => {
    for (const { name, key, bytes } of document.artifacts)
      if (!images.has(name)) images.set(name, { name, key, bytes, document: document.index });
    const formats = Object.keys(document.outputs);
    if (formats.length === 0) return [];
    const stem = distinct(stripExtension(document.filename), '');
    return Object.entries(document.outputs).map(([format, output]) => ({
      ...output,
      name: stem + (findOutputFile(format)?.extension ?? `.${format}`),
      format,
      document: document.index,
    }));
  });
  return [...files, ...images.values()];
}

function stripExtension(filename: string): string {
  const name = toSafeFileName(filename);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}

/** Content of `manifest.json`: each document with its status, errors and files. */
function formatManifest(result: TaskResult): string {
  const files = listFiles(result.documents);
  const listNames = (index: number) => files.filter(({ document }) => document === index).map(({ name }) => name);
  const documents = result.documents.map((document) => ({
    source_index: document.index,
    source_uri: document.source_uri,
    filename: document.filename,
    status: document.status,
    errors: document.errors,
    processing_time: document.processing_time,
    coverage: document.coverage ?? null,
    files: result.task_type === 'chunk' && document.outputs['chunks'] ? [chunkedName] : listNames(document.index),
  }));
  const { task_id, processing_time, counts } = result;
  return `${JSON.stringify({ task_id, processing_time, counts, documents }, undefined, 2)}\n`;
}

/**
 * The archive of a result, created while it is read. At most one file is open at a time, and the archive never reads ahead of its
 * consumer. The manifest lists failed documents. A `bundle` has no manifest, because clients take its only JSON file for the
 * document.
 */
export function createArchive(
  result: TaskResult,
  open: (key: string) => Promise<Readable>,
  form: 'archive' | 'bundle' = 'archive',
): Readable {
  const manifest = { name: 'manifest.json', open: async () => Readable.from([Buffer.from(formatManifest(result))]) };
  const isChunked = result.task_type === 'chunk';
  const files = listFiles(result.documents)
    .filter(({ format }) => !isChunked || format === undefined)
    .map(({ name, key, format }) => ({
      name,
      open: () => open(key),
      // Images are already compressed.
      isCompressed: format === undefined,
    }));
  return createZip([
    ...(isChunked ? [buildChunkedFile(result, open)] : []),
    ...files,
    ...(form === 'bundle' ? [] : [manifest]),
  ]);
}

function buildChunkedFile(result: TaskResult, open: (key: string) => Promise<Readable>): ZipFile {
  const pieces = writeChunkedResult(
    result,
    { open },
    {
      before: [['kind', 'ChunkedDocumentResponse']],
      after: [['chunking_info', result.chunking ?? null]],
    },
  );
  return { name: chunkedName, open: async () => Readable.from(pieces, { objectMode: false }) };
}
