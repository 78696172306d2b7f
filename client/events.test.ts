import { readEvents } from './events';

async function* pieces(text: string, size: number) {
  for (let from = 0; from < text.length; from += size) yield text.slice(from, from + size);
}

test.each([1, 7, 1_000])(
  'events are complete when read in pieces of %i characters; comments are skipped',
  async (size) => {
    const text =
      'event: progress\ndata: {"a":1}\n\n: still there\n\nevent: end\r\ndata: {"a":\r\ndata: 2}\r\n\r\ndata: {"cut';
    const found: unknown[] = [];
    for await (const event of readEvents(pieces(text, size))) found.push(event);
    expect(found).toEqual([{ a: 1 }, { a: 2 }]);
  },
);
