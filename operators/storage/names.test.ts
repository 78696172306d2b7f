import * as fc from 'fast-check';
import { documentRow } from '../../test/support/operators/operator-test-support';
import { defaultTemplate, buildName, findTemplateProblem } from './names';

const row = (relative_path: string, change = {}) =>
  documentRow('d1', '', { name: relative_path.split('/').at(-1) ?? '', metadata: { relative_path }, ...change });

test('folders and file name are those of the source, so that a.pdf and a.docx do not collide', () => {
  expect(buildName(defaultTemplate, row('2024/a.pdf'), 'md')).toBe('2024/a.pdf.md');
  expect(buildName(defaultTemplate, row('a.docx'), 'md')).toBe('a.docx.md');
  expect(buildName('{name}.{ext}', row('2024/a.b.pdf'), 'json')).toBe('a.b.json');
});

test('dates, ids and metadata can be part of the name; a missing value drops its folder', () => {
  const dated = row('x/a.pdf', {
    modified_time: '2024-05-06T07:08:09Z',
    metadata: { relative_path: 'x/a.pdf', dept: 'R/D' },
  });
  expect(buildName('{year}/{month}/{metadata.dept}/{id}.{ext}', dated, 'md')).toBe('2024/05/R_D/d1.md');
  expect(buildName('{year}/{metadata.none}/{id}.{ext}', row('a.pdf'), 'md')).toBe('d1.md');
});

test.each([
  ['../../etc/passwd', '_/_/etc/passwd.md'],
  ['.ssh/authorized_keys', '_ssh/authorized_keys.md'],
  ['a/.acl.json', 'a/_acl.json.md'],
  ['CON/nul.txt', '_CON/_nul.txt.md'],
  ['tab\tnew\nline.txt', 'tab_new_line.txt.md'],
  ['gepj\u202efdp.exe', 'gepj_fdp.exe.md'],
  ['trailing. /x .txt', 'trailing/x .txt.md'],
  ['C:\\Users\\x.txt', 'C_/Users/x.txt.md'],
  ['emoji 😀.txt', 'emoji 😀.txt.md'],
])('%j becomes %j', (value, expected) => {
  expect(buildName(defaultTemplate, row(value), 'md')).toBe(expected);
});

test('no document can choose a name outside the folder, hidden, empty or too long', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc.string({ unit: 'binary', maxLength: 400 }),
      (path, value) => {
        const name = buildName(
          '{folder}/{metadata.v}/{filename}.{ext}',
          row(path, { metadata: { relative_path: path, v: value } }),
          'md',
        );
        const segments = name.split('/');
        expect(
          segments.every((segment) => segment !== '' && !segment.startsWith('.') && Buffer.byteLength(segment) <= 124),
        ).toBe(true);
        expect(name).not.toMatch(/[\\\u0000-\u001f\u202e]/); // oxlint-disable-line no-control-regex
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(900);
        expect(name.endsWith('.md')).toBe(true);
        expect(Buffer.from(name).toString()).toBe(name);
      },
    ),
    { numRuns: 300 },
  );
});

test.each([
  ['{nme}.{ext}', 'not a placeholder'],
  ['{name}.txt', 'must end with'],
  ['/srv/{name}.{ext}', 'begins with a slash'],
  ['a/../{name}.{ext}', 'begins with a dot'],
  ['.git/{name}.{ext}', 'begins with a dot'],
  ['a|b/{name}.{ext}', 'cannot have'],
])('the template %j is rejected: %s', (template, problem) => {
  expect(findTemplateProblem(template)).toContain(problem);
});
