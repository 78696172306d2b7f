import type { SourceChunk } from '../ask/source-chunks';
import { findLiteral } from '../provenance/provenance';
import { createTextIndex } from './text-index';

const chunk = (id: number, text: string): SourceChunk => ({ id, text, headings: [], pages: [], boxes: [] });

test('the index finds every text that contains a part', () => {
  const texts = Array.from(
    { length: 300 },
    (_, index) => `Entry ${index} of ${(index * 7919).toString(36)}; naïve 北京 ${index % 7}.`,
  );
  const find = createTextIndex(texts);
  for (const part of [
    'try 17',
    '北京 3',
    'ï',
    '',
    'naïve',
    `${(41 * 7919).toString(36)};`,
    texts[5]!,
    'nowhere at all',
  ]) {
    const holding = [...texts.keys()].filter((index) => texts[index]!.includes(part));
    expect([part, holding.filter((index) => !find(part).includes(index))]).toEqual([part, []]);
  }
  expect(find('nowhere at all').length).toBeLessThan(10);
  expect(find('try 17').length).toBeLessThan(60);
});

test('evidence is the same with and without the index, even where lower case is longer', () => {
  const chunks = Array.from({ length: 60 }, (_, id) =>
    chunk(id, id === 30 ? 'İstanbul, ITEM 30' : `Some text about Item ${id}.`),
  );
  const few = chunks.slice(25, 40);
  for (const text of ['item 30', 'ITEM 30', 'İstanbul', 'item 39', 'about', 'missing'])
    expect(findLiteral(text, chunks).filter((hit) => hit.chunk >= 25 && hit.chunk < 40)).toEqual(
      text === 'about' ? [] : findLiteral(text, few),
    );
  expect(findLiteral('Item 59', chunks)).toMatchObject([{ chunk: 59, span: [16, 23] }]);
});
