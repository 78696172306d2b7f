/** All parts in one buffer. Unlike `buffer` of `node:stream/consumers`, it copies the bytes only once. */
export async function collectBytes(parts: AsyncIterable<unknown>): Promise<Buffer> {
  const collected: Uint8Array[] = [];
  for await (const part of parts) collected.push(part as Uint8Array);
  return Buffer.concat(collected);
}
