import { contextFor, documentRow } from '../../test/support/operators/operator-test-support';
import { run } from './run';

const judge = async (text: string, config = {}, change = {}) =>
  (await run([documentRow('a', text, change)], config, contextFor())).rows[0];
const terms = async (text: string, config = {}, change = {}) =>
  (await judge(text, config, change))?.['profanity_terms'];

test.each([
  ['What the FUCKING hell, you sh1t!', ['fuck*', 'shit']],
  ['f**k this', ['fuck']],
  ['shiiiiit', ['shit']],
  ['So eine Scheiße', ['scheiss*']],
  ['Fils de pute !', ['fils de pute']],
  ['Hijo de puta, gilipollas', ['hijo de puta', 'gilipollas']],
])('%j contains %j', async (text, expected) => {
  expect(await terms(text)).toEqual(expected);
});

test.each([
  'The people of Scunthorpe and Penistone',
  'Matsushita shiitake, cockpit and Essex',
  'a * b ** c, 5 * 4',
  'Ein Arschgeweih ist ein Tattoo',
  'Dickens wrote Bleak House',
  'The assassin passed the class',
])('%j contains none', async (text) => {
  expect(await terms(text)).toEqual([]);
});

test('the list depends on the language of the row; words can be added and allowed', async () => {
  expect(await terms('merde and shit', {}, { lang_name: 'fr' })).toEqual(['merde']);
  expect(await terms('merde', { languages: ['en'] }, { lang_name: 'fr' })).toEqual([]);
  expect(await terms('darn it, darned', { languages: [], words: ['darn*'] })).toEqual(['darn*']);
  expect(await terms('Bastard Feudalism', { allowed_words: ['bastard'] })).toEqual([]);
});

test('passages are masked, and rows with too many are dropped', async () => {
  expect(await judge('Oh shit, no.', { action: 'mask' }, { document_ref: 'r' })).toEqual(
    expect.not.objectContaining({ document_ref: 'r' }),
  );
  expect((await judge('Oh shit, no.', { action: 'mask' }))?.content).toBe('Oh ****, no.');
  expect(await judge('shit shit', {})).toMatchObject({ profanity_count: 2, profanity_ratio: 1 });
  const rows = [documentRow('a', 'shit'), documentRow('b', 'shit shit'), documentRow('c', 'fine')];
  const { rows: kept, skipped } = await run(rows, { action: 'remove', max_count: 2 }, contextFor());
  expect(kept.map(({ id }) => id)).toEqual(['a', 'c']);
  expect(skipped).toEqual([{ id: 'b', name: 'b.md', reason: 'It holds 2 passages of profanity' }]);
});
