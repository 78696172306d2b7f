import { readTexSymbol } from './signs';

test('small letters in symbol fonts of TeX are its signs; letters of other fonts and capitals are not', () => {
  const read = (letter: string, font: string) => readTexSymbol(letter.charCodeAt(0), font);
  expect(['h', 'i', 'r', 'x', 'z'].map((letter) => read(letter, 'LMMathSymbols10-Regular'))).toEqual([
    '⟨',
    '⟩',
    '∇',
    '§',
    '‡',
  ]);
  expect(read('j', 'CMSY10')).toBe('|');
  expect([read('A', 'CMSY10'), read('h', 'CMR10'), read('h', 'CMSYmbols')]).toEqual([undefined, undefined, undefined]);
});
