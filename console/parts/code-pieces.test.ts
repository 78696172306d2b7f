import { splitCode } from './code-pieces';

test('names between backticks are code, single backticks are text', () => {
  expect(splitCode('Set `paths`, or `a b`.')).toEqual([
    { value: 'Set ', isCode: false },
    { value: 'paths', isCode: true },
    { value: ', or ', isCode: false },
    { value: 'a b', isCode: true },
    { value: '.', isCode: false },
  ]);
  for (const text of ['a ` b', '``', 'a `b\nc` d']) expect(splitCode(text)).toEqual([{ value: text, isCode: false }]);
  expect(splitCode('')).toEqual([]);
});
