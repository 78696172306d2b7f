import { contextFor, documentRow } from '../../test/support/operators/operator-test-support';
import { indexBadWords, computeQuality, run } from './run';
import { docQuality } from './schema';

const none = indexBadWords([]);

test('words, their length and sentences are counted', () => {
  const quality = computeQuality('The cat sat. The dog, with a bone, ran!\nIs it 3.5 km?', none);
  expect(quality).toMatchObject({
    docq_total_words: 13,
    docq_sentence_count: 3,
    docq_contain_common_en_words: true,
    docq_contain_bad_word: false,
  });
  expect(quality.docq_mean_word_len).toBeCloseTo(41 / 13, 5);
  expect(quality.docq_alphabet_word_ratio).toBeCloseTo(12 / 13, 5);
});

test('signs of poor texts are counted as shares', () => {
  const quality = computeQuality('- one\n* two ...\n\nthree {x}\n4. four…\n# lorem ipsum', none);
  expect(quality.docq_bullet_point_ratio).toBe(0.6);
  expect(quality.docq_ellipsis_line_ratio).toBe(0.4);
  expect(quality.docq_curly_bracket_ratio).toBeCloseTo(2 / 49, 2);
  expect(quality.docq_lorem_ipsum_ratio).toBeGreaterThan(0);
  expect(quality.docq_symbol_to_word_ratio).toBeCloseTo(3 / 12, 5);
});

test('bad words are matched as whole words and phrases, in any letter case', () => {
  const bad = indexBadWords(['Drat', 'go away']);
  const isBad = (text: string) => computeQuality(text, bad).docq_contain_bad_word;
  expect([isBad('Oh, DRAT!'), isBad('Please go\naway.'), isBad('hydrate'), isBad('go far away')]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('an empty and a missing text cause no division by zero', async () => {
  const { rows } = await run([documentRow('a', ''), documentRow('b', undefined)], {}, contextFor());
  for (const row of rows) {
    expect(row).toMatchObject({
      docq_total_words: 0,
      docq_mean_word_len: 0,
      docq_sentence_count: 0,
      docq_bullet_point_ratio: 0,
    });
  }
});

test('a file of words is not read, with a warning', () => {
  expect(docQuality.validate({ bad_word_filepath: '/etc/words' })).toMatchObject([
    { severity: 'warning', pointer: '/bad_word_filepath' },
  ]);
});
