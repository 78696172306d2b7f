/** Parses server-sent events whose data is JSON from text in pieces of any size. Comments and unknown fields are ignored. */
export async function* readEvents<T>(chunks: AsyncIterable<string>): AsyncGenerator<T, void, void> {
  for await (const { data } of readNamedEvents(chunks)) yield data as T;
}

/** Like `readEvents`, with the name of each event; `message` where it has none. */
export async function* readNamedEvents(
  chunks: AsyncIterable<string>,
): AsyncGenerator<{ name: string; data: unknown }, void, void> {
  let rest = '';
  for await (const chunk of chunks) {
    const blocks = (rest + chunk).split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const lines = block.split(/\r?\n/);
      const getValues = (field: string) =>
        lines.filter((line) => line.startsWith(field)).map((line) => line.slice(field.length).trimStart());
      const data = getValues('data:');
      if (data.length === 0) continue;
      yield { name: getValues('event:').at(-1) ?? 'message', data: JSON.parse(data.join('\n')) as unknown };
    }
  }
}

/** Parses lines of JSON from text in pieces of any size. Blank lines are ignored. */
export async function* readLines<T>(chunks: AsyncIterable<string>): AsyncGenerator<T, void, void> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line) as T;
  }
  if (rest.trim() !== '') yield JSON.parse(rest) as T;
}
