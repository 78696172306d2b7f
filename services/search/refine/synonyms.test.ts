import { findReadableAlternatives, type Synonyms } from './synonyms';

const groups = (name: string, count: number) => [
  ['gauge', ...Array.from({ length: count }, (_, at) => `${name}${at}`)],
];
const synonyms: Synonyms = new Map([
  ['hidden', groups('secret', 20)],
  ['own', groups('Pegel', 2)],
]);

test('synonyms of indexes without readable records add nothing, and do not displace those of others', async () => {
  const readable = () => Promise.resolve(new Set(['own']));
  expect(await findReadableAlternatives('tide gauge', synonyms, readable)).toEqual([
    { indexes: ['own'], text: 'Pegel0' },
    { indexes: ['own'], text: 'Pegel1' },
  ]);
});

test('a query gets at most ten synonyms', async () => {
  const readable = () => Promise.resolve(new Set(['own', 'hidden']));
  expect(await findReadableAlternatives('tide gauge', synonyms, readable)).toHaveLength(10);
});

test('readable indexes are not listed for a query without synonyms', async () => {
  const readable = () => Promise.reject(new Error('asked'));
  expect(await findReadableAlternatives('engine', synonyms, readable)).toEqual([]);
});
