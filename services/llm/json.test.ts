import { findJson } from './json';

describe('the JSON in an answer', () => {
  test.each<[string, string, unknown]>([
    ['a whole one', '{"a": 1}', { a: 1 }],
    ['an array', ' [1, 2] ', [1, 2]],
    ['in a fence', 'Here you are:\n```json\n{"a": [1]}\n```\nBye {', { a: [1] }],
    ['in a fence without an end', '```\n{"a": 1}', { a: 1 }],
    ['after thoughts', '<think>maybe {"a": 0}?</think>{"a": 1}', { a: 1 }],
    ['after prose with brackets', 'As [you] say {so}: {"a": "}"}.', { a: '}' }],
    ['with trailing commas', '{"a": [1, 2,], "b": ", }",}', { a: [1, 2], b: ', }' }],
    ['cut off in a member', '{"a": 1, "b": {"c": [1, 2, 3', { a: 1, b: { c: [1, 2] } }],
    ['cut off in a string', '{"a": 1, "b": "long te', { a: 1 }],
    ['after a byte order mark', '\ufeff{"a": 1}', { a: 1 }],
  ])('is found: %s', (_name, answer, value) => {
    expect(findJson(answer)?.value).toEqual(value);
  });

  test.each(['', 'no', '42', '"text"', 'null', '{', '<html></html>', '{"a" 1}'])('is not found in %j', (answer) => {
    expect(findJson(answer)).toBeUndefined();
  });

  test('only unchanged input is not repaired', () => {
    expect(findJson('{"a": 1}')?.isMended).toBe(false);
    expect(findJson('x {"a": 1}')?.isMended).toBe(true);
  });

  test('a megabyte of brackets is fast', () => {
    const started = process.cpuUsage();
    expect(findJson('{['.repeat(500_000))).toBeUndefined();
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(2_000);
  });
});
