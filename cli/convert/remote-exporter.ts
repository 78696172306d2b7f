import type { ConversionClient, TaskDescriptor } from '../../client';
import { openZip, type Zip } from '../../formats/zip/zip';
import { findOutputFile } from '../../model/conversion/request/formats';
import type { ErrorItem, ResultStatus } from '../../model/conversion/task/result';
import { isFinalTask } from '../../model/conversion/task/task';
import { AppError } from '../../model/errors';
import type { PageCount } from '../../model/page/page-count';
import { type DocumentExporter, createEmptyExport, type ExportedDocument } from '../../services/conversion/export';
import { writeOutput } from '../../threads/conversion/write-output';

/** Limits of a result archive, so that a faulty server cannot exhaust the memory. */
export const archiveLimits = { maxEntries: 100_000, maxExpandedBytes: 2 * 1024 ** 3 };

/** The server answers earlier when the task has ended. */
const pollSeconds = 2;

/** The part of `manifest.json` that is read. */
interface Manifest {
  documents: { status: ResultStatus; errors: ErrorItem[]; files: string[] }[];
}

/**
 * Converts on another machine: uploads each document, waits for its task, and writes the outputs here. Without
 * `timeoutSeconds` the limit of the server applies.
 */
export function createRemoteExporter(client: ConversionClient, timeoutSeconds: number | undefined): DocumentExporter {
  return {
    async exportDocument({ name, load, options: exporterOptions, outputFiles = {}, signal, onPages }) {
      const content = await load();
      signal.throwIfAborted();
      const options = {
        ...exporterOptions,
        ...(timeoutSeconds === undefined ? {} : { document_timeout: timeoutSeconds }),
      };
      const { task_id: id } = await client.submit({ files: [{ name, content }], options, target: { kind: 'zip' } });
      try {
        const task = await waitForTask(client, id, signal, onPages);
        if (task.task_status !== 'success') return toFailedExport(task);
        const outcome = await client.result(id);
        if (outcome.type !== 'archive')
          throw new AppError('INVALID_RESPONSE', 'The API did not return the requested archive.');
        return writeArchive(openZip(outcome.bytes, archiveLimits), outputFiles);
      } catch (error) {
        if (signal.aborted) await client.cancel(id).catch(() => undefined);
        throw error;
      }
    },
  };
}

/** Waits for the end of the task, and reports its pages on the way. */
async function waitForTask(
  client: Pick<ConversionClient, 'poll'>,
  id: string,
  signal: AbortSignal,
  onPages: ((pages: PageCount) => void) | undefined,
): Promise<TaskDescriptor> {
  for (;;) {
    const task = await client.poll(id, pollSeconds, signal);
    if (isFinalTask(task.task_status)) return task;
    const { num_pages: total, num_pages_processed: done } = task.task_meta ?? {};
    if (total !== undefined && done !== undefined) onPages?.({ done, total });
  }
}

function toFailedExport({ error_message: message }: TaskDescriptor): ExportedDocument {
  const problem = message || 'The conversion failed.';
  const errors: ErrorItem[] = [
    { component_type: 'pipeline', module_name: '', error_message: problem, category: 'unknown', page_no: null },
  ];
  return { ...createEmptyExport(null), status: 'failure', errors, timings: {} };
}

/** Writes the outputs to their files, and returns everything else. */
function writeArchive(archive: Zip, outputFiles: Readonly<Record<string, string>>): ExportedDocument {
  const manifest = JSON.parse(new TextDecoder().decode(getEntry(archive, 'manifest.json'))) as Manifest;
  const [document] = manifest.documents;
  if (!document) throw new AppError('INVALID_RESPONSE', 'The result of the API contains no document.');
  const writtenFiles: Record<string, number> = {};
  // The longest extension first: `.pages.html` is not `.html`.
  const formats = Object.keys(outputFiles).sort((a, b) => getExtension(b).length - getExtension(a).length);
  for (const file of document.files) {
    const format = formats.find((format) => file.endsWith(getExtension(format)));
    if (format !== undefined)
      writtenFiles[format] = writeOutput(outputFiles[format] as string, [getEntry(archive, file)]);
  }
  const artifacts = archive.names.filter(isArtifact).map((name) => ({ name, bytes: getEntry(archive, name) }));
  const { status, errors } = document;
  return { ...createEmptyExport(null), status, errors, timings: {}, writtenFiles, artifacts };
}

function getEntry(archive: Zip, name: string): Uint8Array {
  const bytes = archive.read(name);
  if (bytes) return bytes;
  throw new AppError(
    'INVALID_RESPONSE',
    `The result of the API refers to the file '${name}', but does not contain it.`,
  );
}

function getExtension(format: string): string {
  return findOutputFile(format)?.extension ?? `.${format}`;
}

/** Images are in one folder under plain names; anything else could leave the output folder. */
function isArtifact(name: string): boolean {
  return /^artifacts\/[\w-][\w.-]*$/.test(name);
}
