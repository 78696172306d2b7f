/** Parses server-sent events whose data is JSON from text in pieces of any size. Comments and unknown fields are ignored. */
export async function* readEvents<T>(chunks: AsyncIterable<string>): AsyncGenerator<T, void, void> {
  let rest = '';
  for await (const chunk of chunks) {
    const blocks = (rest + chunk).split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = block
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice('data:'.length).trimStart());
      if (data.length > 0) yield JSON.parse(data.join('\n')) as T;
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
