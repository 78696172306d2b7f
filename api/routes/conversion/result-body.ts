import { Readable } from 'node:stream';
import type { DocumentResult, ResultFiles, TaskResult } from '../../../services/conversion-ports';
import { jsonArray, jsonObject, jsonText, type JsonPieces } from './json-stream';
import type { ConversionReply } from './route';

/** The answer with the result of a task. Contents come from the store while they are sent; JSON is passed on unparsed. */
export function resultReply(result: TaskResult, files: ResultFiles): ConversionReply {
  // An archive that was sent elsewhere is none of the answer.
  if (result.packaging === 'remote' || result.target === 'put') return { json: remoteResult(result) };
  if (result.packaging === 'archive') {
    return {
      type: 'application/zip',
      headers: { 'Content-Disposition': 'attachment; filename="converted_docs.zip"' },
      body: files.archive(result),
    };
  }
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
      artifacts: document.uploads,
      confidence: document.confidence,
    })),
  };
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
    ['confidence', document.confidence],
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
      ['confidence', document.confidence],
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
    yield* linesOf(await files.open(outputs['chunks'].key));
  }
}

/** Each line as a piece of JSON; only the line feed ends one. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<JsonPieces> {
  let rest: Buffer = Buffer.alloc(0);
  const piece = (line: Buffer) => Readable.from([line], { objectMode: false }) as AsyncIterable<Uint8Array>;
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      if (end > 0) yield piece(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
    }
  }
  if (rest.length > 0) yield piece(rest);
}
