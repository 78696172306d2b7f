import { readSymbolGreek, readTexSymbol, readTexText } from './signs';

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

test('digits in symbol fonts of TeX and letters in those of the AMS are signs', () => {
  const read = (letter: string, font: string) => readTexSymbol(letter.charCodeAt(0), font);
  expect(['0', '2', '8'].map((letter) => read(letter, 'CMSY10'))).toEqual(['′', '∈', '∀']);
  expect(['I', 'X', '6'].map((letter) => read(letter, 'MSAM7'))).toEqual(['▶', '✓', '≤']);
  expect([read('2', 'CMR10'), read('I', 'MSBM10'), read('A', 'MSAM10')]).toEqual([undefined, undefined, undefined]);
});

test('ligatures and quotes in fonts of TeX without names are letters; control codes of other fonts are not', () => {
  expect([0x1b, 0x1e, 0x0c, 0x10, 0x88].map((code) => readTexText(code, ''))).toEqual(['ff', 'ffi', 'fi', '"', '·']);
  expect([readTexText(0x1b, 'Arial'), readTexText(0x41, '')]).toEqual([undefined, undefined]);
});

test('private characters of a Symbol font are Greek letters; those of other fonts, and bullets of OpenSymbol, are not', () => {
  const read = (letter: string, font: string) =>
    readSymbolGreek(String.fromCharCode(0xf000 + letter.charCodeAt(0)), font);
  expect(['m', 'a', 'W', 'l'].map((letter) => read(letter, 'SymbolMT'))).toEqual(['μ', 'α', 'Ω', 'λ']);
  expect(['m', 'l', 'n'].map((letter) => read(letter, 'OpenSymbol'))).toEqual(['μ', undefined, undefined]);
  expect([read('m', 'Wingdings-Regular'), read('!', 'Symbol'), readSymbolGreek('m', 'Symbol')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
