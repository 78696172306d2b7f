import { chunkText, defaultSeparators, type TextChunk } from './simple';

/** A small generator with a fixed seed, so that a failure can be repeated. */
function getRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function randomText(random: () => number, length: number): string {
  const parts = [
    'word',
    ' ',
    'x',
    '. ',
    '\n',
    '\n\n',
    '😀',
    '漢字',
    '。',
    '   ',
    'averyveryverylongwordindeed',
    '\t',
    'é',
  ];
  let text = '';
  while (text.length < length) text += parts[Math.floor(random() * parts.length)];
  return text;
}

function brokenRules(source: string, chunks: TextChunk[], chunkSize: number, chunkOverlap: number): string[] {
  const problems: string[] = [];
  let covered = 0;
  for (const [index, chunk] of chunks.entries()) {
    if (chunk.text !== source.slice(chunk.start, chunk.end)) problems.push(`${index}: offsets`);
    if (chunk.text.length > chunkSize) problems.push(`${index}: size ${chunk.text.length}`);
    if (chunk.text.trim() !== chunk.text || chunk.text === '') problems.push(`${index}: white space`);
    if (/\p{Surrogate}/u.test(chunk.text)) problems.push(`${index}: surrogate pair`);
    if (source.slice(covered, chunk.start).trim() !== '') problems.push(`${index}: gap`);
    const previous = chunks[index - 1];
    if (previous && previous.end - chunk.start > chunkOverlap) problems.push(`${index}: overlap`);
    if (previous && (chunk.start <= previous.start || chunk.end <= previous.end)) problems.push(`${index}: order`);
    covered = chunk.end;
  }
  if (source.slice(covered).trim() !== '') problems.push('end: gap');
  return problems;
}

describe('chunkText', () => {
  test('random texts satisfy every rule for many sizes and overlaps', () => {
    const random = getRandom(7);
    for (let round = 0; round < 400; round++) {
      const source = randomText(random, Math.floor(random() * 900));
      const chunkSize = 2 + Math.floor(random() * 120);
      const chunkOverlap = Math.floor(random() * chunkSize);
      const chunks = chunkText(source, { chunkSize, chunkOverlap });
      expect({ round, problems: brokenRules(source, chunks, chunkSize, chunkOverlap) }).toEqual({
        round,
        problems: [],
      });
    }
  });

  test('a short text is one chunk and a blank text is none', () => {
    expect(chunkText(' short ', { chunkSize: 500, chunkOverlap: 50 })).toEqual([{ text: 'short', start: 1, end: 6 }]);
    expect(chunkText(' \n ', { chunkSize: 500, chunkOverlap: 50 })).toEqual([]);
  });

  test('a paragraph end is preferred to a line end, a line end to a sentence end', () => {
    const texts = (source: string) => chunkText(source, { chunkSize: 30, chunkOverlap: 0 }).map(({ text }) => text);
    expect(texts('First one. Second\n\nthird. Fourth is here.')).toEqual([
      'First one. Second',
      'third. Fourth is here.',
    ]);
    expect(texts('First one. Second\nthird. Fourth is here.')).toEqual(['First one. Second', 'third. Fourth is here.']);
    expect(texts('First one. Second one. Third is here.')).toEqual(['First one. Second one.', 'Third is here.']);
  });

  test('the overlap begins at a word', () => {
    const chunks = chunkText('alpha beta gamma delta epsilon zeta eta theta', { chunkSize: 24, chunkOverlap: 9 });
    expect(chunks.map(({ text }) => text)).toEqual([
      'alpha beta gamma delta',
      'delta epsilon zeta eta',
      'zeta eta theta',
    ]);
  });

  test('given separators replace the defaults', () => {
    const chunks = chunkText('aaaa;bbbb;cccc', { chunkSize: 11, chunkOverlap: 0, separators: [';'] });
    expect(chunks.map(({ text }) => text)).toEqual(['aaaa;bbbb;', 'cccc']);
    expect(defaultSeparators.flat()).not.toContain(';');
  });

  test('five megabytes without a separator take linear time', () => {
    const small = 'x'.repeat(500_000);
    const large = 'x'.repeat(5_000_000);
    const options = { chunkSize: 1000, chunkOverlap: 500 };
    chunkText(small, options);
    const started = process.hrtime.bigint();
    const chunks = chunkText(large, options);
    const milliseconds = Number(process.hrtime.bigint() - started) / 1e6;
    expect(brokenRules(large, chunks, 1000, 500)).toEqual([]);
    expect(chunks.length).toBeLessThan(10_001);
    expect(milliseconds).toBeLessThan(3000);
  });

  test('an overlap as large as the chunk is refused', () => {
    expect(() => chunkText('text', { chunkSize: 100, chunkOverlap: 100 })).toThrow(
      'chunk_overlap is 100; it must be a whole number from 0 to 99.',
    );
    expect(() => chunkText('text', { chunkSize: 1, chunkOverlap: 0 })).toThrow('chunk_size is 1');
  });
});
