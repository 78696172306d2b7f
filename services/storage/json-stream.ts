import { StringDecoder } from 'node:string_decoder';

/** JSON text in pieces, for a body that is never held in memory as a whole. */
export type JsonPieces = AsyncIterable<string | Uint8Array>;

/** A text as a JSON string, escaped piece by piece. */
export async function* streamJson(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  yield '"';
  for await (const chunk of chunks) yield escapeText(decoder.write(Buffer.from(chunk)));
  yield `${escapeText(decoder.end())}"`;
}

function escapeText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** An object written member by member. Values in pieces are streamed, all others use `JSON.stringify`. */
export async function* writeJsonObject(
  members: Iterable<readonly [name: string, value: unknown]>,
): AsyncGenerator<string | Uint8Array> {
  let separator = '{';
  for (const [name, value] of members) {
    yield `${separator}${JSON.stringify(name)}:`;
    if (isPieces(value)) yield* value;
    else yield JSON.stringify(value);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}

/** An array written item by item, each in pieces. */
export async function* writeJsonArray(items: AsyncIterable<JsonPieces>): AsyncGenerator<string | Uint8Array> {
  let separator = '[';
  for await (const item of items) {
    yield separator;
    yield* item;
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

function isPieces(value: unknown): value is JsonPieces {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
