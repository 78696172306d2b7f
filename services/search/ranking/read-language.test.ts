import { readLanguage } from './read-language';

test('a language with a region is the language; other texts are none', () => {
  expect(['en', 'EN', 'en-US', 'de_DE', 'zh-Hant', 'yue'].map(readLanguage)).toEqual([
    'en',
    'en',
    'en',
    'de',
    'zh',
    'yue',
  ]);
  for (const other of ['n/a', 'x', 'xx', 'und', 'English (US)', '', undefined, 7])
    expect(readLanguage(other)).toBeUndefined();
});
