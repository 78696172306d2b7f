import * as fc from 'fast-check';
import picomatch from 'picomatch';
import { isGlob } from '../../model/glob';
import { createGlobMatcher } from './glob';

const getSpeaks = (glob: string, path: string) => createGlobMatcher(glob)(path);

test.each<[string, string, boolean]>([
  ['*.md', 'a/b.md', true],
  ['*', 'a/b', true],
  ['a/*', 'a/b', true],
  ['a/*', 'a/b/c', false],
  ['a/**', 'a', true],
  ['a/**', 'a/b/c', true],
  ['a/**', 'ab', false],
  ['**/b', 'b', true],
  ['**/b', 'a/x/b', true],
  ['a/**/b', 'a/b', true],
  ['a/**/b', 'a/x/y/b', true],
  ['a**', 'a/ab', true],
  ['x?z', 'xyz', true],
  ['x?z', 'x/z', false],
  ['[ab].txt', 'b.txt', true],
  ['[!ab].txt', 'b.txt', false],
  ['[a-c]1', 'b1', true],
  ['[]-]', ']', true],
  ['a[+-9]b', 'a/b', false],
  ['a[+-9]b', 'a.b', true],
  ['a[+-9]b', 'a0b', true],
  ['[z-a]', '[z-a]', true],
  ['[', '[', true],
  ['*.{md,t{x,s}t}', 'a.tst', true],
  ['{a,b/**}/c', 'b/x/y/c', true],
  ['p{1..12}.pdf', 'p10.pdf', true],
  ['p{1..12}.pdf', 'p13.pdf', false],
  ['{a}', '{a}', true],
  ['{a,b', '{a,b', true],
  ['+(ab)c', 'ababc', true],
  ['@(a|b|c*)', 'cde', true],
  ['a?(b)c', 'ac', true],
  ['\\*.md', '*.md', true],
  ['\\*.md', 'a.md', false],
  ['a+b(c)^$.|', 'a+b(c)^$.|', true],
  ['!*.md', 'a.txt', true],
  ['!*.md', 'a.md', false],
  ['ünï*', 'x/ünïcode 😀', true],
  ['?', '😀', true],
])('%s matches %s: %s', (glob, path, expected) => {
  expect(getSpeaks(glob, path)).toBe(expected);
});

test('common globs match the same paths as in a well-known library', () => {
  const name = fc
    .array(fc.constantFrom('a', 'b', '.', '-', '*', '?', '[ab]', '[^a]', '{a,b}', '{b,.a}'), {
      minLength: 1,
      maxLength: 4,
    })
    .map((list) => list.join(''));
  const globs = fc.array(fc.oneof({ weight: 3, arbitrary: name }, fc.constant('**')), { minLength: 1, maxLength: 4 });
  const plain = fc
    .array(fc.constantFrom('a', 'b', '.', '-'), { minLength: 1, maxLength: 4 })
    .map((list) => list.join(''));
  const isName = (text: string) => !/^\.{1,2}$/.test(text);
  const paths = fc.array(plain.filter(isName), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(globs, paths, (list, names) => {
      const [glob, path] = [list.join('/'), names.join('/')];
      // The library handles these differently: several stars side by side, a leading dot, `*/**` (`a/**` also matches `a`).
      fc.pre(!/\*\*(?![/]|$)|(?<!^|\/)\*\*|^\.\/|\*\?|\?\*|[*?\]}]\/\*\*$/.test(glob));
      const known = picomatch(glob, { dot: true, basename: !glob.includes('/') });
      expect({ glob, path, matches: getSpeaks(glob, path) }).toEqual({ glob, path, matches: known(path) });
    }),
    { numRuns: 1_000, seed: 14 },
  );
});

test('every pattern is matched quickly, however many stars it has', () => {
  const before = process.cpuUsage();
  expect(getSpeaks('*a*a*a*a*a*a*a*a*b', 'a'.repeat(250))).toBe(false);
  expect(getSpeaks(`${'**/a/'.repeat(20)}b`, 'a/'.repeat(500))).toBe(false);
  expect(getSpeaks('+(+(+(a|aa)))b', 'a'.repeat(250))).toBe(false);
  expect(getSpeaks(`${'{a,b,aa}'.repeat(40)}c`, 'a'.repeat(250))).toBe(false);
  expect(getSpeaks(`${'{'.repeat(1_000)}a`, 'a')).toBe(false);
  const { user } = process.cpuUsage(before);
  expect(user / 1e6).toBeLessThan(2);
});

test('an unusable glob is rejected with the reason', () => {
  expect(() => createGlobMatcher('!(a).md')).toThrow("'!(…)' is not supported");
  expect(() => createGlobMatcher('a'.repeat(5_000))).toThrow('5000 characters');
});

test('a name with glob characters is distinguished from one without', () => {
  expect(['*', 'a?', '[a]', '{a,b}', '+(a)'].map(isGlob)).toEqual([true, true, true, true, true]);
  expect(['a.md', 'a (1).md', 'a\\*', '!a'].map(isGlob)).toEqual([false, false, false, false]);
});
