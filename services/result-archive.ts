import { Readable } from 'node:stream';
import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';
import { createDistinctNames, safeFileName } from '../model/conversion/file-names';
import type { DocumentResult, StoredOutput, TaskResult } from './conversion-ports';

/** Extensions of outputs in archives and buckets. */
const extensions: Readonly<Record<string, string>> = {
  md: '.md',
  json: '.json',
  html: '.html',
  text: '.txt',
  doctags: '.doctags',
  doclang: '.dclg',
  chunks: '.chunks.jsonl',
};

/** A file of a result under the name that it has outside. */
export interface ResultFile extends StoredOutput {
  name: string;
  /** Output format; absent for images. */
  format?: string;
  document: number;
}

/** The files of a result: names are safe and distinct, those of one document share a stem. */
export function filesOf(documents: readonly DocumentResult[]): ResultFile[] {
  const distinct = createDistinctNames();
  const images = new Map<string, ResultFile>();
  const files = documents.flatMap((document): ResultFile[] => {
    for (const { name, key, bytes } of document.artifacts)
      if (!images.has(name)) images.set(name, { name, key, bytes, document: document.index });
    const formats = Object.keys(document.outputs);
    if (formats.length === 0) return [];
    const stem = distinct(stemOf(document.filename), '');
    return Object.entries(document.outputs).map(([format, output]) => ({
      ...output,
      name: stem + (extensions[format] ?? `.${format}`),
      format,
      document: document.index,
    }));
  });
  return [...files, ...images.values()];
}

function stemOf(filename: string): string {
  const name = safeFileName(filename);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}

/** What `manifest.json` of an archive says: each document with its status, problems and files. */
export function manifestOf(result: TaskResult): string {
  const files = filesOf(result.documents);
  const documents = result.documents.map((document) => ({
    source_index: document.index,
    source_uri: document.source_uri,
    filename: document.filename,
    status: document.status,
    errors: document.errors,
    processing_time: document.processing_time,
    files: files.filter((file) => file.document === document.index).map(({ name }) => name),
  }));
  const { task_id, processing_time, counts } = result;
  return `${JSON.stringify({ task_id, processing_time, counts, documents }, undefined, 2)}\n`;
}

/**
 * The archive of a result, made while it is read: one file of it is open at a time, and nothing is read ahead of who reads.
 * Failed documents stand in its manifest.
 */
export function archiveOf(result: TaskResult, open: (key: string) => Promise<Readable>): Readable {
  return Readable.from(zipBytes(result, open), { objectMode: false });
}

async function* zipBytes(result: TaskResult, open: (key: string) => Promise<Readable>): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = [];
  let failure: Error | undefined;
  const zip = new Zip((error, bytes) => {
    if (error) failure = error;
    else ready.push(bytes);
  });
  const take = () => {
    if (failure) throw failure;
    const bytes = ready;
    ready = [];
    return bytes;
  };
  for (const file of filesOf(result.documents)) {
    // Images are compressed already.
    const entry = file.format === undefined ? new ZipPassThrough(file.name) : new ZipDeflate(file.name, { level: 6 });
    zip.add(entry);
    for await (const chunk of (await open(file.key)) as AsyncIterable<Uint8Array>) {
      entry.push(chunk);
      yield* take();
    }
    entry.push(new Uint8Array(), true);
    yield* take();
  }
  const manifest = new ZipDeflate('manifest.json', { level: 6 });
  zip.add(manifest);
  manifest.push(Buffer.from(manifestOf(result)), true);
  zip.end();
  yield* take();
}
