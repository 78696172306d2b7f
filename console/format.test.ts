import { formatLanguage } from './format';

test('languages have their English names; what is no code of a language stays', () => {
  expect(['en', 'de', 'pt-BR'].map(formatLanguage)).toEqual(['English', 'German', 'Brazilian Portuguese']);
  expect(['x', 'not a code'].map(formatLanguage)).toEqual(['x', 'not a code']);
});
