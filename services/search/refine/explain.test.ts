import { findMatchedWords } from './explain';

const explain = (...descriptions: string[]) => ({
  description: 'sum of:',
  details: descriptions.map((description) => ({
    description: `weight(${description}) [PerFieldSimilarity], result of:`,
  })),
});

test('the words of a phrase are listed, as of a synonym with two words', () => {
  expect(findMatchedWords(explain('words.en:"tide gaug" in 16', 'titles.en:"tide (gaug gauge)"~2 in 3'))).toEqual([
    { field: 'content', terms: ['gaug', 'tide'] },
    { field: 'title', terms: ['gaug', 'gauge', 'tide'] },
  ]);
});

test('a word in several fields of one text is listed once', () => {
  expect(findMatchedWords(explain('words.en:tide in 16', 'content:tide in 16', 'metadata_text:hull in 1'))).toEqual([
    { field: 'content', terms: ['tide'] },
    { field: 'metadata', terms: ['hull'] },
  ]);
});
