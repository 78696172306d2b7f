import { createHash } from 'node:crypto';
import { hashBlake2b } from '../peer/blake2b';
import { writePythonRepr, writePythonText } from '../peer/python-text';
import { jsonText, parseJsonText } from './json-text';
import { formatFloat, floatValue, TypedValue } from './value';

describe('texts', () => {
  test('BLAKE2b of any length agrees with the 64 bytes that node knows, over block borders', () => {
    for (const size of [0, 1, 127, 128, 129, 256, 300]) {
      const bytes = Buffer.alloc(size, 7);
      expect(hashBlake2b(bytes, 64)).toBe(createHash('blake2b512').update(bytes).digest('hex'));
    }
    expect(hashBlake2b('abc', 16)).toBe('cf4ab791c62b8d2b2109c90275287816');
  });

  test.each([
    [2, '2.0'],
    [0.1, '0.1'],
    [1e-7, '1e-07'],
    [1e16, '1e+16'],
    [123456789012345680, '1.2345678901234568e+17'],
    [0.0001, '0.0001'],
    [-0, '-0.0'],
    [1.5e300, '1.5e+300'],
    [Number.NaN, 'nan'],
  ])('the float %p is spelled %s', (value, expected) => {
    expect(formatFloat(value)).toBe(expected);
  });

  test('values print as in Python', () => {
    const time = new TypedValue('datetime', '2024-01-31T09:05:00');
    expect(writePythonText(time)).toBe('2024-01-31 09:05:00');
    expect(writePythonRepr([null, true, "it's", 'a"\'', floatValue(3), time, new TypedValue('decimal', '1.0')])).toBe(
      "[None, True, \"it's\", 'a\"\\'', 3.0, datetime.datetime(2024, 1, 31, 9, 5), Decimal('1.0')]",
    );
  });

  test('JSON keeps values that JSON.parse loses, and is formatted as in Python', () => {
    const text = '{"b": 2.0, "a": [1e-07, 12345678901234567890, "é\\ud83d\\ude42"]}';
    const value = parseJsonText(text);
    expect(jsonText(value)).toBe('{"b": 2.0, "a": [1e-07, 12345678901234567890, "é🙂"]}');
    expect(jsonText(value, { isSorted: true, isAscii: true })).toBe(
      '{"a": [1e-07, 12345678901234567890, "\\u00e9\\ud83d\\ude42"], "b": 2.0}',
    );
    for (const broken of ['{', '[1,]', '{"a" 1}', '01', '"\u0001"', 'tru', '1 2', '{a:1}', '"\\x"'])
      expect(() => parseJsonText(broken)).toThrow(SyntaxError);
  });
});
