import { contextFor, documentRow } from '../../test/support/operators/operator-test-support';
import { countText, countSyllables } from './measure';
import { run } from './run';

test.each([
  [
    'en',
    'table 2, people 2, created 3, makes 1, watches 2, jumped 1, wanted 2, readability 5, science 2, nation 2, area 3, idea 3, the 1, orange 2, usually 4, quiet 2',
  ],
  ['de', 'haus 1, lesbarkeit 3, bäume 2, straßenbahn 3, eier 2, donaudampfschiff 4'],
  ['fr', 'maison 2, table 1, parlent 1, lisibilité 5, eau 1, école 2'],
  ['es', 'casa 2, ciudad 2, legibilidad 5, país 2, agua 2, bueno 2'],
  ['it', 'casa 2, leggibilità 5, acqua 2, buono 2'],
  ['nl', 'huis 1, leesbaarheid 3, mooie 2, water 2'],
])('syllables of %s', (language, list) => {
  const expected = Object.fromEntries(
    list
      .split(', ')
      .map((part) => part.split(' '))
      .map(([word, count]) => [word, Number(count)]),
  );
  const counted = Object.fromEntries(Object.keys(expected).map((word) => [word, countSyllables(word, language)]));
  expect(counted).toEqual(expected);
});

test('sentences end at signs and blank lines, not at abbreviations and decimals', () => {
  expect(countText('Heading\n\nDr. Smith paid 3.50 euros, e.g. for tea. Why? He was thirsty!', 'en')).toMatchObject({
    sentences: 4,
    words: 13,
  });
});

test('the formulas give the results computed by hand', async () => {
  // 6 words, 1 sentence, 6 syllables, 17 letters, none of three syllables.
  const { rows } = await run([documentRow('a', 'The cat sat on the mat.')], {}, contextFor());
  expect(rows[0]).toMatchObject({
    read_words: 6,
    read_sentences: 1,
    read_flesch_ease: 116.15,
    read_flesch_kincaid_grade: -1.45,
    read_gunning_fog: 2.4,
    read_smog: 3.13,
    read_coleman_liau: -4.07,
    read_ari: -5.09,
    read_lix: 6,
    read_gulpease: null,
  });
});

test('each language has its own formula, and others their LIX', async () => {
  const row = (lang_name: string) => documentRow('a', 'Der Hund schläft im Haus.', { lang_name });
  const { rows } = await run([row('de'), row('it'), row('pl')], {}, contextFor());
  // 5 words and 5 syllables.
  expect(rows[0]?.['read_flesch_ease']).toBe(116.5);
  expect(rows[0]?.['read_smog']).toBeNull();
  expect(rows[1]?.['read_gulpease']).toBe(109);
  expect(rows[2]).toMatchObject({ read_flesch_ease: null, read_lix: 25 });
  expect((await run([documentRow('a', '…')], {}, contextFor())).rows[0]).toMatchObject({
    read_words: 0,
    read_lix: null,
  });
});
