import { Readable } from 'node:stream';
import { writeJsonArray, writeJsonObject, streamJson, type JsonPieces } from '../storage/json-stream';
import type { DocumentResult, ResultFiles, TaskResult } from './ports';

type Files = Pick<ResultFiles, 'open'>;
const contentNames = ['md', 'json', 'html', 'text', 'doctags', 'doclang'] as const;

/** A document with the wanted contents; the others are null. Contents are streamed from the store as they are read. */
export function writeDocument(document: DocumentResult, files: Files, formats: readonly string[]): JsonPieces {
  const contents = contentNames.map((name) => {
    const output = formats.includes(name) ? document.outputs[name] : undefined;
    return [`${name}_content`, output ? iterateContent(files, output.key, name === 'json') : null] as const;
  });
  return writeJsonObject([['filename', document.filename], ...contents]);
}

/** The chunks and documents of a result, with the members of `more` before and after them. */
export function writeChunkedResult(
  result: TaskResult,
  files: Files,
  more: { before?: readonly (readonly [string, unknown])[]; after: readonly (readonly [string, unknown])[] },
): JsonPieces {
  const formats = result.include_converted_doc ? ['json'] : [];
  const documents = result.documents.map((document) =>
    writeJsonObject([
      ['kind', 'ExportResult'],
      ['content', writeDocument(document, files, formats)],
      ['status', document.status],
      ['errors', document.errors],
      ['timings', document.timings],
      ['confidence', document.confidence],
      ['coverage', document.coverage ?? null],
    ]),
  );
  return writeJsonObject([
    ...(more.before ?? []),
    ['chunks', writeJsonArray(readChunks(result, files))],
    ['documents', writeJsonArray(Readable.from(documents) as AsyncIterable<JsonPieces>)],
    ...more.after,
  ]);
}

async function* iterateContent(files: Files, key: string, isJson: boolean): AsyncGenerator<string | Uint8Array> {
  const stream = await files.open(key);
  yield* isJson ? (stream as AsyncIterable<Uint8Array>) : streamJson(stream as AsyncIterable<Uint8Array>);
}

/** The chunks of each document. The store holds them as JSON Lines. */
async function* readChunks({ documents }: TaskResult, files: Files): AsyncGenerator<JsonPieces> {
  for (const { outputs } of documents) {
    if (!outputs['chunks']) continue;
    yield* readLines(await files.open(outputs['chunks'].key));
  }
}

/** Yields each line as the pieces of one JSON value. Only a line feed ends a line. */
async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<JsonPieces> {
  let unread: Buffer = Buffer.alloc(0);
  const toPieces = (line: Buffer) => Readable.from([line], { objectMode: false }) as AsyncIterable<Uint8Array>;
  for await (const chunk of chunks) {
    unread = unread.length === 0 ? Buffer.from(chunk) : Buffer.concat([unread, chunk]);
    for (let end = unread.indexOf('\n'); end >= 0; end = unread.indexOf('\n')) {
      if (end > 0) yield toPieces(unread.subarray(0, end));
      unread = unread.subarray(end + 1);
    }
  }
  if (unread.length > 0) yield toPieces(unread);
}
