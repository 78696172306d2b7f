import { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import { unspecifiedConfidence } from '../../../model/conversion/result';
import type { DocumentResult, ResultFiles, TaskResult } from '../../../services/conversion-ports';
import { jsonArray, jsonObject, jsonText, type JsonPieces } from './json-stream';
import type { ConversionReply } from './route';

/** The answer with the result of a task. Contents come from the store while they are sent; JSON is passed on unparsed. */
export function resultReply(result: TaskResult, files: ResultFiles): ConversionReply {
  if (result.packaging === 'archive') {
    return {
      type: 'application/zip',
      headers: { 'Content-Disposition': 'attachment; filename="converted_docs.zip"' },
      body: files.archive(result),
    };
  }
  if (result.packaging === 'remote') return { json: remoteResult(result) };
  const pieces = result.task_type === 'chunk' ? chunkResult(result, files) : convertResult(result, files);
  return { type: 'application/json', body: Readable.from(pieces, { objectMode: false }) };
}

function remoteResult({ target, counts, processing_time: seconds, documents }: TaskResult): unknown {
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
      artifacts: document.uploads.map(({ artifact_type, mime_type, uri, url_expires_at }) => ({
        artifact_type,
        mime_type,
        uri,
        url_expires_at,
      })),
      confidence: confidenceOf(document),
    })),
  };
}

function confidenceOf({ status }: DocumentResult) {
  return status === 'success' || status === 'partial_success' ? unspecifiedConfidence : null;
}

/** The members in the order that is contract. */
function convertResult(result: TaskResult, files: ResultFiles): JsonPieces {
  const [document] = result.documents;
  if (!document) return jsonObject([]);
  return jsonObject([
    ['document', exported(document, files, contentNames)],
    ['status', document.status],
    ['errors', document.errors],
    ['processing_time', result.processing_time],
    ['timings', document.timings],
    ['confidence', confidenceOf(document)],
  ]);
}

const contentNames = ['md', 'json', 'html', 'text', 'doctags', 'doclang'] as const;

function exported(document: DocumentResult, files: ResultFiles, wanted: readonly string[]): JsonPieces {
  const contents = contentNames.map((name) => {
    const output = wanted.includes(name) ? document.outputs[name] : undefined;
    return [`${name}_content`, output ? content(files, output.key, name === 'json') : null] as const;
  });
  return jsonObject([['filename', document.filename], ...contents]);
}

async function* content(files: ResultFiles, key: string, isJson: boolean): AsyncGenerator<string | Uint8Array> {
  const stream = await files.open(key);
  yield* isJson ? (stream as AsyncIterable<Uint8Array>) : jsonText(stream as AsyncIterable<Uint8Array>);
}

function chunkResult(result: TaskResult, files: ResultFiles): JsonPieces {
  const wanted = result.include_converted_doc ? ['json'] : [];
  const documents = result.documents.map((document) =>
    jsonObject([
      ['kind', 'ExportResult'],
      ['content', exported(document, files, wanted)],
      ['status', document.status],
      ['errors', document.errors],
      ['timings', document.timings],
      ['confidence', confidenceOf(document)],
    ]),
  );
  return jsonObject([
    ['chunks', jsonArray(chunksOf(result, files))],
    ['documents', jsonArray(Readable.from(documents) as AsyncIterable<JsonPieces>)],
    ['processing_time', result.processing_time],
  ]);
}

/** The chunks of each document, which stand in the store as one line of JSON each. */
async function* chunksOf({ documents }: TaskResult, files: ResultFiles): AsyncGenerator<JsonPieces> {
  for (const { outputs } of documents) {
    if (!outputs['chunks']) continue;
    const lines = createInterface({ input: await files.open(outputs['chunks'].key), crlfDelay: Infinity });
    for await (const line of lines) if (line.trim() !== '') yield Readable.from([line]) as AsyncIterable<string>;
  }
}
