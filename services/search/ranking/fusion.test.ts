import { combineScores, fuseRankings, computeVectorWeight } from './fusion';

const hit = (id: string, index = 'a', score = 1) => ({ id, index, score });
const ids = (hits: { id: string }[]) => hits.map(({ id }) => id);

describe('fuse', () => {
  test('a single ranking keeps its order', () => {
    expect(ids(fuseRankings([[hit('c'), hit('a'), hit('b')]]))).toEqual(['c', 'a', 'b']);
  });

  test('records high in both rankings come before records at the top of only one', () => {
    expect(
      ids(
        fuseRankings([
          [hit('x'), hit('both')],
          [hit('y'), hit('both')],
        ]),
      ),
    ).toEqual(['both', 'x', 'y']);
  });

  test('equal scores are ordered by id, whichever ranking comes first', () => {
    const item = [hit('b')];
    const other = [hit('a')];
    expect(ids(fuseRankings([item, other]))).toEqual(['a', 'b']);
    expect(ids(fuseRankings([other, item]))).toEqual(['a', 'b']);
  });

  test('records with the same id in two indexes stay separate', () => {
    expect(fuseRankings([[hit('a', 'one')], [hit('a', 'two')]])).toHaveLength(2);
  });
});

describe('combine', () => {
  const scored = (...scores: [string, number][]) => scores.map(([id, score]) => hit(id, 'a', score));

  test('records in both rankings come before records in one', () => {
    const text = scored(['word', 9], ['both', 8]);
    const vectors = scored(['near', 0.9], ['both', 0.85], ['far', 0.1]);
    expect(ids(combineScores(text, [vectors], { textDepth: 1_000 }))).toEqual(['both', 'near', 'word', 'far']);
  });

  test('a name in a single document is not lost among near vectors', () => {
    const near = Array.from({ length: 50 }, (_, index): [string, number] => [`near-${index}`, 0.9 - index / 1_000]);
    expect(
      ids(combineScores(scored(['named', 12]), [scored(...near, ['named', 0.86])], { textDepth: 1_000 })).slice(0, 1),
    ).toEqual(['named']);
  });

  test('without vectors the order of the text ranking is kept', () => {
    expect(ids(combineScores(scored(['b', 3], ['a', 2], ['c', 1]), [], { textDepth: 1_000 }))).toEqual(['b', 'a', 'c']);
  });
});

test('vectors count least in a question of codes or of one word, little in one of three words, and half in any other', () => {
  for (const question of ['EPOLL_CLOEXEC', '--block-size', 'SL-40', 'EINVAL', 'ERR_42 2024'])
    expect(computeVectorWeight(question)).toBe(0.1);
  for (const question of ['NIS', 'Pegel', ' pyclbr ', 'os.path']) expect(computeVectorWeight(question)).toBe(0.1);
  for (const question of ['tide gauge', 'error EINVAL', 'a SL-40 manual'])
    expect(computeVectorWeight(question)).toBe(0.2);
  // Japanese and Thai write sentences without blanks.
  for (const question of ['when is high tide', 'how to mount SL-40', '港の潮位を調べる', 'ระดับน้ำในท่าเรือ'])
    expect(computeVectorWeight(question)).toBe(0.5);
});

test('vectors count less where the best hits by words are in languages that the models do not know', () => {
  const hits = (...languages: (string | undefined)[]) =>
    languages.map((language, at) => ({ index: 'a', id: `${at}`, score: 1, ...(language ? { language } : {}) }));
  const weigh = (...languages: (string | undefined)[]) =>
    computeVectorWeight('le port est fermé', hits(...languages), [['en']]);
  expect([weigh('fr', 'fr', 'en'), weigh('fr', 'en'), weigh(undefined, undefined, 'fr')]).toEqual([0.25, 0.5, 0.5]);
  expect(computeVectorWeight('le port est fermé', hits('fr', 'fr'), [['en'], undefined])).toBe(0.5);
  expect(computeVectorWeight('le port est fermé', hits('fr', 'fr'), [])).toBe(0.5);
  expect(computeVectorWeight('le port', hits('fr', 'fr'), [['en']])).toBe(0.2);
});

test('vectors count more in a question with a question mark', () => {
  const weigh = (...questions: string[]) => questions.map((question) => computeVectorWeight(question));
  expect(weigh('How do I sort an array?', 'why is it slow ?', '港の潮位は？', 'هل الميناء مفتوح الآن؟')).toEqual(
    Array.from({ length: 4 }, () => 0.6),
  );
  expect(weigh('What is self?', 'Pegel defekt?')).toEqual([0.4, 0.4]);
  expect(weigh('EINVAL?', 'self?', 'ERR_42?')).toEqual([0.1, 0.1, 0.1]);
  expect(weigh('EINVAL ?', 'Docloom ?', 'ERR_42 SL-40?', ' ? ')).toEqual([0.1, 0.1, 0.1, 0.1]);
  expect(weigh('Pegel Hull Tide ?')).toEqual([0.4]);
  expect(computeVectorWeight('où est le port ?', [{ index: 'a', id: '1', score: 1, language: 'fr' }], [['en']])).toBe(
    0.25,
  );
});

test('vectors count most where the best hit by words has less than a quarter of the words', () => {
  const weigh = (coverage: number, language = 'en') =>
    computeVectorWeight('guided walk across the mud', [{ index: 'a', id: '1', score: 1, language }], [['en']], {
      coverage,
    });
  expect([weigh(0), weigh(0.2), weigh(0.25), weigh(1)]).toEqual([0.7, 0.7, 0.5, 0.5]);
  // The model does not know the language.
  expect(weigh(0, 'fr')).toBe(0.25);
});

test('vectors of models that know many languages carry the result where the best hit by words has less than a quarter of the words', () => {
  const weigh = (coverage: number | undefined, question = 'rent for the warehouse') =>
    computeVectorWeight(question, [{ index: 'a', id: '1', score: 1, language: 'en' }], [undefined], {
      coverage,
      isMultilingual: true,
    });
  expect([weigh(0), weigh(0.2), weigh(0.25), weigh(1), weigh(undefined)]).toEqual([0.85, 0.85, 0.5, 0.5, 0.5]);
  expect([weigh(0, 'recipe mussels'), weigh(0.5, 'recipe mussels')]).toEqual([0.85, 0.2]);
  expect(weigh(0, 'EPOLL_CLOEXEC')).toBe(0.1);
});
