import { Type } from '@sinclair/typebox';
import * as fc from 'fast-check';
import { listProblems } from '../../validate';
import { checkValue } from './check-value';
import { ConvertOptions, buildDefaultConvertOptions } from './options';
import { readOlderShape } from './requests';
import { headerFields, oneOf, openObject, nullable } from './schema-parts';

const at = ['body'];

test('numbers and booleans are read from what clients write', () => {
  const schema = Type.Object({ a: Type.Boolean(), b: Type.Integer(), c: Type.Number() });
  for (const [a, b, c] of [
    ['True', '3', '2.5'],
    [1, 3, '25e-1'],
    [' on ', '+3', 2.5],
  ])
    expect(checkValue(schema, { a, b, c }, at)).toEqual({ value: { a: true, b: 3, c: 2.5 }, problems: [] });
});

test.each([
  [Type.Integer(), '3.5', 'int_from_float'],
  [Type.Integer(), 'three', 'int_parsing'],
  [Type.Integer(), null, 'int_type'],
  [Type.Number(), 'Infinity', 'float_parsing'],
  [Type.Number(), [], 'float_type'],
  [Type.Number({ minimum: 0 }), -1, 'greater_than_equal'],
  [Type.Number({ maximum: 1 }), 2, 'less_than_equal'],
  [Type.Number({ exclusiveMinimum: 0 }), 0, 'greater_than'],
  [Type.Boolean(), 'None', 'bool_parsing'],
  [Type.Boolean(), {}, 'bool_type'],
  [Type.String(), 1, 'string_type'],
  [Type.Array(Type.String(), { maxItems: 1 }), ['a', 'b'], 'too_long'],
  [openObject(), [], 'dict_type'],
  [oneOf(['a']), ['a'], 'enum'],
])('%j rejects %j as %s', (schema, value, type) => {
  expect(checkValue(schema, value, at).problems).toMatchObject([{ type, loc: at }]);
});

test('null is accepted where it is allowed, and means the default there', () => {
  const schema = Type.Object({ a: nullable(Type.Integer()) });
  expect(checkValue(schema, { a: null }, at).value).toEqual({ a: null });
  expect(checkValue(schema, {}, at).value).toEqual({ a: null });
  expect(checkValue(schema, { a: 'x' }, at).problems).toHaveLength(1);
});

test('headers have names of headers, and values without control characters', () => {
  const schema = Type.Object({ headers: headerFields() });
  const input = { 'X-Key_1.a': 'ünï\tcode', accept: '' };
  expect(checkValue(schema, { headers: input }, at)).toEqual({ value: { headers: input }, problems: [] });
  for (const name of ['', 'a b', 'a\u0000', 'ä', 'a:b'])
    expect(checkValue(schema, { headers: { [name]: 'x' } }, at).problems).toEqual([
      expect.objectContaining({ type: 'string_pattern_mismatch', loc: [...at, 'headers', name, '[key]'] }),
    ]);
  for (const value of ['a\r\nb: c', '\u0000', '\u007f'])
    expect(checkValue(schema, { headers: { a: value } }, at).problems).toEqual([
      expect.objectContaining({ type: 'string_pattern_mismatch', loc: [...at, 'headers', 'a'] }),
    ]);
});

test('members with dangerous names stay members', () => {
  const sent = JSON.parse('{"a":{"__proto__":{"admin":true}}}') as unknown;
  const { value } = checkValue(Type.Object({ a: openObject() }), sent, at);
  const { a } = value as { a: { admin?: boolean } };
  expect(a.admin).toBeUndefined();
  expect(Object.keys(a)).toEqual(['__proto__']);
  expect(checkValue(Type.Object({ constructor: Type.Optional(Type.String()) }), {}, at).value).toEqual({});
});

test('options that were checked fit their schema, and checking them again changes nothing', () => {
  const { value, problems } = checkValue(ConvertOptions, {}, at);
  expect(problems).toEqual([]);
  expect(value).toEqual(buildDefaultConvertOptions());
  expect(listProblems(ConvertOptions, structuredClone(value))).toEqual([]);
  expect(checkValue(ConvertOptions, value, at)).toEqual({ value, problems: [] });
});

test('for any options the result is options or problems, and accepted options match the schema', () => {
  const names = Object.keys(ConvertOptions.properties);
  const some = fc.dictionary(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 3 }));
  fc.assert(
    fc.property(some, (sent) => {
      const { value, problems } = checkValue(ConvertOptions, sent, at);
      const unfit = problems.length > 0 ? [] : listProblems(ConvertOptions, structuredClone(value));
      expect(unfit).toEqual([]);
      for (const { loc, msg } of problems) expect([loc[0], msg.length > 0]).toEqual(['body', true]);
    }),
    { numRuns: 500 },
  );
});

test('an empty password is a problem, as its schema says', () => {
  expect(checkValue(ConvertOptions, { password: '' }, at).problems).toEqual([
    { type: 'string_too_short', loc: [...at, 'password'], msg: 'String should have at least 1 character' },
  ]);
});

test('the older shape is converted only if there are no sources', () => {
  const file = { base64_string: 'QQ==', filename: 'a' };
  const http = { url: 'https://example.org/a' };
  expect(readOlderShape({ http_sources: [http], file_sources: [file], options: {} })).toMatchObject({
    sources: [
      { kind: 'http', ...http },
      { kind: 'file', ...file },
    ],
  });
  expect(readOlderShape({ sources: [], http_sources: [http] })).toMatchObject({ sources: [] });
  expect(readOlderShape({ file_sources: [file], options: { return_as_file: true } })).toMatchObject({
    target: { kind: 'zip' },
  });
  expect(readOlderShape({ file_sources: [file], return_as_file: true, target: { kind: 'inbody' } })).toMatchObject({
    target: { kind: 'inbody' },
  });
  for (const body of [null, [], 'x', { http_sources: 'x' }]) expect(readOlderShape(body)).toEqual(body);
});
