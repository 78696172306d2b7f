import { createDistinctNames, toSafeFileName } from './file-names';

test.each([
  ['report.docx', 'report.docx'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\users\\me\\a b.pdf', 'a b.pdf'],
  ['/', 'file'],
  ['..', 'file'],
  ['.htaccess', 'htaccess'],
  ['a\u0000b\n.md', 'a_b_.md'],
  ['evil\u202Etxt.md', 'evil_txt.md'],
  ['über größe.md', 'über größe.md'],
])('%j becomes %j', (value, expected) => {
  expect(toSafeFileName(value)).toBe(expected);
});

test('a long name keeps its extension', () => {
  const name = toSafeFileName(`${'x'.repeat(500)}.docx`);
  expect(name).toHaveLength(200);
  expect(name.endsWith('.docx')).toBe(true);
});

test('equal names are numbered, regardless of letter case', () => {
  const name = createDistinctNames();
  expect(['a', 'A', 'a', 'a_2'].map((stem) => name(stem, '.md'))).toEqual(['a.md', 'A_2.md', 'a_3.md', 'a_2_2.md']);
});
