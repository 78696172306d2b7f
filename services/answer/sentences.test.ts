import { readSentences } from './sentences';

const passages = [
  'The gauge of Hull was zeroed in 1987 by R. Ames.',
  'See https://example.org/manual for 3.5 m gauges.',
];
/** The sentences of an answer, read one character after the other. */
function read(answer: string) {
  const reader = readSentences(passages);
  const sentences = [...answer.split('').flatMap((part) => reader.push(part)), ...reader.end()];
  return {
    texts: sentences.map(({ text, passages: cited }) => `${text} ${cited.join('+')}`),
    dropped: reader.dropped(),
  };
}

test.each<[string, string[], number]>([
  [
    'The gauge was zeroed in 1987 [1]. It is 3.5 m long [2].',
    ['The gauge was zeroed in 1987. 1', 'It is 3.5 m long. 2'],
    0,
  ],
  ['It was zeroed. [1] Hull has one. [1][2]', ['It was zeroed. 1', 'Hull has one. 1+2'], 0],
  ['Hull has one [1, 2]', ['Hull has one 1+2'], 0],
  // Without a citation, with an unknown citation, and with a number that the passage does not contain.
  ['Certainly! Hull has one [1]. The moon is cheese. It rains [3]. It was 1988 [1].', ['Hull has one. 1'], 4],
  ['NOT FOUND', [], 1],
  // Addresses that no passage contains are removed; those of a passage lose their markup.
  ['Hull ![x](https://evil.example/?q=hull) [1].', [], 3],
  ['Read evil.example now [2].', [], 1],
  ['See [the manual](https://example.org/manual) [2].', ['See the manual https://example.org/manual. 2'], 0],
  ['<img src=x onerror=y>**Hull** has one [1].', ['Hull has one. 1'], 0],
])('%j', (answer, texts, dropped) => {
  expect(read(answer)).toEqual({ texts, dropped });
});

test('a sentence is emitted as soon as its citation is complete', () => {
  const reader = readSentences(passages);
  expect(reader.push('Hull has one [1]')).toEqual([]);
  expect(reader.push('[2]. And')).toEqual([{ text: 'Hull has one.', passages: [1, 2] }]);
});
