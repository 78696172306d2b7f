import { Readable } from 'node:stream';
import { writeChunkedResult, writeDocument } from '../../services/conversion/chunked-result';
import type { ResultFiles, TaskResult } from '../../services/conversion/ports';
import { writeJsonObject, type JsonPieces } from '../../services/storage/json-stream';
import type { ConversionReply } from './http/route';

/** The reply with the result of a task. Contents are streamed from the store; JSON is passed through unparsed. */
export function toResultReply(result: TaskResult, files: ResultFiles): ConversionReply {
  // An archive that was sent to another target is not part of the reply.
  if (result.packaging === 'remote' || result.target === 'put') return { json: buildRemoteResult(result) };
  if (result.packaging === 'archive') {
    return {
      type: 'application/zip',
      headers: { 'Content-Disposition': 'attachment; filename="converted_docs.zip"' },
      body: files.streamArchive(result),
    };
  }
  const pieces =
    result.task_type === 'chunk'
      ? writeChunkedResult(result, files, { after: [['processing_time', result.processing_time]] })
      : convertResult(result, files);
  return { type: 'application/json', body: Readable.from(pieces, { objectMode: false }) };
}

function buildRemoteResult({ target, counts, processing_time: seconds, documents }: TaskResult): unknown {
  const totals = {
    processing_time: seconds,
    num_converted: counts.documents,
    num_succeeded: counts.succeeded,
    num_partially_succeeded: counts.partially_succeeded,
    num_failed: counts.failed,
  };
  if (target !== 'presigned_url') return totals;
  return {
    ...totals,
    documents: documents.map((document) => ({
      source_index: document.index,
      source_uri: document.source_uri,
      filename: document.filename,
      status: document.status,
      errors: document.errors,
      timings: document.timings,
      artifacts: document.uploads,
      confidence: document.confidence,
      coverage: document.coverage ?? null,
    })),
  };
}

/** The order of members is part of the contract. */
function convertResult(result: TaskResult, files: ResultFiles): JsonPieces {
  const [document] = result.documents;
  if (!document) return writeJsonObject([]);
  return writeJsonObject([
    ['document', writeDocument(document, files, Object.keys(document.outputs))],
    ['status', document.status],
    ['errors', document.errors],
    ['processing_time', result.processing_time],
    ['timings', document.timings],
    ['confidence', document.confidence],
    ['coverage', document.coverage ?? null],
  ]);
}
