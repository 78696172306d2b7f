import { detectAll } from 'tinyld';
import { createWordVotes } from './word-votes';

function countCalls() {
  const asked: string[] = [];
  const detect: typeof detectAll = (word) => {
    asked.push(word);
    return detectAll(word);
  };
  return { asked, detect };
}

test('a word is detected once, however many texts contain it', () => {
  const { asked, detect } = countCalls();
  const readVotes = createWordVotes(detect);
  const first = readVotes('lieferung');
  expect(first.map(([language]) => language)).toContain('de');
  expect(readVotes('lieferung')).toBe(first);
  expect(asked).toEqual(['lieferung']);
});

test('no more words than the limit are remembered', () => {
  const { asked, detect } = countCalls();
  const readVotes = createWordVotes(detect, 2);
  for (const word of ['one', 'two', 'three', 'one', 'one']) readVotes(word);
  expect(asked).toEqual(['one', 'two', 'three', 'one']);
});

test('a word whose last character is cut in half is remembered, too', () => {
  const { asked, detect } = countCalls();
  const readVotes = createWordVotes(detect);
  const half = '𠀀𠀁'.slice(0, 3);
  for (const word of [half, half]) readVotes(word);
  expect(asked).toHaveLength(1);
});
