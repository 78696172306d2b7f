import { findIndexNameProblem } from './index-name';

describe('indexNameProblem', () => {
  test.each(['documents', 'docs-2024', 'a', '0-x', 'größe', 'a.b_c', 'x'.repeat(255)])('%s is allowed', (name) => {
    expect(findIndexNameProblem(name)).toBeUndefined();
  });

  test.each([
    ['', 'empty'],
    ['Documents', 'capital letters'],
    ['my docs', 'blanks'],
    ['a/b', '"/"'],
    ['a*', '"*"'],
    ['a,b', '","'],
    ['a:b', '":"'],
    ['a\u0000b', 'u0000'],
    ['_all', "begins with '_'"],
    ['-a', "begins with '-'"],
    ['.kibana', "begins with '.'"],
    ['..', "begins with '.'"],
    ['ä'.repeat(128), '256 bytes'],
  ])('%j is rejected with the reason', (name, reason) => {
    expect(findIndexNameProblem(name)).toContain(reason);
  });

  test('a very long name is shortened in the message', () => {
    expect(findIndexNameProblem('X'.repeat(10_000))?.length).toBeLessThan(200);
  });
});
