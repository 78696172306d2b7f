import type { Ranked } from './fusion';
import { listLanguageWarnings } from './model-languages';

const builtin = { type: 'onnx', model_id: 'bge-small-en-v1.5' };
const embedded = [{ group: { embedding: { type: 'builtin' } } }];
const hits = (...languages: (string | undefined)[]): Ranked[] =>
  languages.map((language, at) => ({ index: 'a', id: `${at}`, score: 1, ...(language ? { language } : {}) }));
const near = [hits('en')];
const german = 'Wie hoch sind die Gebühren für den Hafen?';
const warn = (
  question: string,
  text: Ranked[] | undefined,
  others: Partial<Parameters<typeof listLanguageWarnings>[1]> = {},
) => listLanguageWarnings(question, { text, near, embedded, ...others }, { builtin });

test('a question in a language that the model does not know, with hits in another one, says what to install', () => {
  for (const text of [hits('en', 'en', 'de'), hits('en', 'fr'), hits(undefined), [], undefined])
    expect(warn(german, text)).toEqual([
      expect.stringMatching(/'bge-small-en-v1\.5' does not know German,.*docloom models add multilingual-e5-small/s),
    ]);
});

test('so does a question in a known language whose hits are in another one', () => {
  expect(warn('what is the fee of the harbour', hits('de', 'de', 'en'))).toEqual([expect.stringContaining('German')]);
});

test('there is nothing to say where words are enough, the model knows the language, or no vector of a readable record ranks', () => {
  expect(warn(german, hits('de', 'de', 'en'))).toEqual([]);
  expect(warn('what is the fee of the harbour', hits('en'))).toEqual([]);
  expect(warn('Hafengebühren', hits('en'))).toEqual([]);
  for (const model of ['multilingual-e5-small', 'my-own'])
    expect(warn(german, [], { embedded: [{ group: { embedding: { type: 'onnx', model_id: model } } }] })).toEqual([]);
  expect(warn(german, [], { near: [[]] })).toEqual([]);
  expect(warn(german, [], { near: [], embedded: [] })).toEqual([]);
});
