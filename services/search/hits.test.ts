import { toDocument } from './hits';

const getContent = (highlight: Record<string, string[]>) =>
  toDocument({ _id: 'a', _index: 'i', _source: {}, highlight }, { highlight: true }).highlights?.['content'];

test('the passages with most marks are shown: of all forms of a word, or of a corrected typing error', () => {
  const [tides, gauges] = [
    ['<em>Tides</em> and the <em>tide</em>'],
    ['the <em>tide</em> <em>gauge</em> of <em>tides</em>'],
  ];
  expect(getContent({ content: ['the <em>tide</em>'], 'words.en': tides })).toEqual(tides);
  expect(getContent({ content: gauges, 'words.en': ['the <em>tide</em> gauge of <em>tides</em>'] })).toEqual(gauges);
  expect(getContent({ title: ['<em>Tides</em>'] })).toBeUndefined();
});
