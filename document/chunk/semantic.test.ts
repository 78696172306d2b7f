import { breakpointKinds, findBreakpoints, chunkSemantic, splitSentences, listSentenceWindows } from './semantic';

const texts = (text: string) => splitSentences(text).map((sentence) => sentence.text);

describe('sentences', () => {
  test.each<[string, string[]]>([
    ['One. Two! Three? Four', ['One.', 'Two!', 'Three?', 'Four']],
    ['He said "Go." Then\nhe went on.', ['He said "Go."', 'Then\nhe went on.']],
    ['# Title\nText here. More.', ['# Title', 'Text here.', 'More.']],
    ['- one\n- two. Or three.\n\nEnd', ['- one', '- two.', 'Or three.', 'End']],
    ['| a | b |\n| --- | --- |\n| 1 | 2 |', ['| a | b |', '| --- | --- |', '| 1 | 2 |']],
    ['これは文です。次の文です。', ['これは文です。', '次の文です。']],
    ['Version 1.5 is out.', ['Version 1.5 is out.']],
    [' \n\n ', []],
    ['', []],
  ])('of %j', (text, expected) => {
    expect(texts(text)).toEqual(expected);
  });

  test('have offsets, and a run without a sentence end is cut', () => {
    const text = `# Head\n\n${'word '.repeat(1_000)}. Last one.\n`;
    const sentences = splitSentences(text);
    for (const { text: own, start, end } of sentences) expect(text.slice(start, end)).toBe(own);
    expect(Math.max(...sentences.map((sentence) => sentence.text.length))).toBeLessThanOrEqual(1_000);
    expect(sentences[0]).toMatchObject({ text: '# Head', isHeading: true });
    expect(sentences.at(-1)).toMatchObject({ text: 'Last one.', isHeading: false });
  });

  test('are embedded with their neighbours', () => {
    const text = 'A. B. C. D.';
    expect(listSentenceWindows(text, splitSentences(text), 1)).toEqual(['A. B.', 'A. B. C.', 'B. C. D.', 'C. D.']);
    expect(listSentenceWindows(text, splitSentences(text), 0)).toEqual(['A.', 'B.', 'C.', 'D.']);
  });
});

describe('breakpoints', () => {
  const distances = [0.1, 0.1, 0.9, 0.1, 0.1, 0.1, 0.2, 0.1];

  test.each([
    ['percentile', 80, [2, 6]],
    ['percentile', 95, [2]],
    ['percentile', 100, []],
    ['standard_deviation', 2, [2]],
    ['standard_deviation', 3, []],
    ['interquartile', 1.5, [2]],
    ['gradient', 95, [1]],
    ['gradient', 80, [1, 5]],
  ] as const)('%s %d', (kind, amount, expected) => {
    const found = findBreakpoints(distances, { kind, amount }).flatMap((isBreak, index) => (isBreak ? [index] : []));
    expect(found).toEqual(expected);
  });

  test.each(breakpointKinds)('%s has no breakpoints for equal distances, and accepts no or one distance', (kind) => {
    expect(findBreakpoints([0.5, 0.5, 0.5], { kind, amount: 1 })).toEqual([false, false, false]);
    expect(findBreakpoints([0.5], { kind, amount: 95 })).toEqual([false]);
    expect(findBreakpoints([], { kind, amount: 95 })).toEqual([]);
  });
});

describe('semantic chunks', () => {
  const options = { kind: 'percentile', amount: 75, chunkSize: 1_000, chunkOverlap: 0 } as const;
  const chunks = (text: string, vectorOf: (sentence: string) => number[], more: object = {}) => {
    const sentences = splitSentences(text);
    return chunkSemantic(
      text,
      sentences,
      sentences.map((sentence) => vectorOf(sentence.text)),
      { ...options, ...more },
    );
  };
  const byFirstLetter = (sentence: string) => (sentence.includes('c') ? [1, 0] : [0, 1]);

  test('end where the meaning changes', () => {
    const text = 'cats purr. cats climb. cats nap.\n\nships sail. ships sink. ships rust.';
    expect(chunks(text, byFirstLetter)).toEqual([
      { text: 'cats purr. cats climb. cats nap.', start: 0, end: 32 },
      { text: 'ships sail. ships sink. ships rust.', start: 34, end: 69 },
    ]);
  });

  test('never end with a heading', () => {
    const text = 'cats purr. cats nap. cats eat.\n# cats at sea\nships sail. ships sink.';
    const textChunks = chunks(text, byFirstLetter, { amount: 50 });
    expect(textChunks.every((chunk) => !chunk.text.endsWith('# cats at sea'))).toBe(true);
  });

  test('a chunk beyond the size is cut further; offsets count from the start of the text', () => {
    const text = `Intro. ${'The cats purr all night. '.repeat(40)}`.trim();
    const textChunks = chunks(text, () => [1, 1], { chunkSize: 120 });
    expect(textChunks.length).toBeGreaterThan(5);
    for (const { text: own, start, end } of textChunks) {
      expect(text.slice(start, end)).toBe(own);
      expect(own.length).toBeLessThanOrEqual(120);
    }
  });

  test('a text without sentences has no chunks', () => {
    expect(chunks('', byFirstLetter)).toEqual([]);
    expect(chunks('One', byFirstLetter)).toHaveLength(1);
  });
});
