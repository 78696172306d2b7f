import { toAllowedName } from './allowed-name';

test.each([
  ['report.pdf', 'report.pdf'],
  ['What is X?.pdf', 'What is X_.pdf'],
  ['<img src=x onerror=1>.md', '_img src=x onerror=1_.md'],
  ['a/b\\c:d.txt', 'a_b_c_d.txt'],
  ['.hidden', '_hidden'],
  [' blank .', 'blank'],
  ['invoice\u202efdp.exe', 'invoicefdp.exe'],
  ['...', '_'],
])('%j is kept as %j', (name, kept) => {
  expect(toAllowedName(name)).toBe(kept);
});
