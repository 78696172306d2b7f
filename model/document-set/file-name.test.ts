import { findFileNameProblem, getNameKey, toStoredName } from './file-name';

test.each([
  ['', 'empty'],
  ['..', 'dot'],
  ['.acl.json', 'dot'],
  ['../x', 'slash'],
  ['a/b.pdf', 'slash'],
  ['a\\b.pdf', 'slash'],
  ['C:x.pdf', 'characters'],
  ['con', 'device'],
  ['CON.pdf', 'device'],
  ['ＣＯＮ.pdf', 'device'],
  ['com1.txt', 'device'],
  ['a\u0000.pdf', 'control'],
  ['a\n.pdf', 'control'],
  ['a\u202efdp.exe', 'control'],
  ['a\u200b.pdf', 'control'],
  ['a\ud800.pdf', 'control'],
  ['a.pdf ', 'blank'],
  ['a.', 'dot'],
  ['é'.repeat(150), '300 bytes'],
])('%j is rejected', (name, reason) => {
  expect(findFileNameProblem(name)).toContain(reason);
});

test.each(['a.pdf', 'Übersicht (neu).docx', '报告 2026.pdf', 'console.txt', 'a..b.pdf', 'x'.repeat(255)])(
  '%j is accepted',
  (name) => expect(findFileNameProblem(name)).toBeUndefined(),
);

test('two encodings of one character are the same name, and letter case makes no difference', () => {
  expect(toStoredName('e\u0301.pdf')).toBe('\u00e9.pdf');
  expect(getNameKey('ÉTÉ.PDF')).toBe(getNameKey('e\u0301te\u0301.pdf'));
  expect(getNameKey('ﬁle.pdf')).toBe(getNameKey('FILE.pdf'));
  // Letters of other scripts that look alike are other letters.
  expect(getNameKey('\u0430.pdf')).not.toBe(getNameKey('a.pdf'));
});
