import { Type } from '@sinclair/typebox';
import { writeSchemaLines, getType } from './schema-lines';

test('members show type, bounds, default and description; required ones are marked with a star', () => {
  const schema = Type.Object({
    size: Type.Integer({ minimum: 500, maximum: 5000, default: 2048, description: 'Characters.' }),
    kind: Type.Optional(Type.Union([Type.Literal('simple'), Type.Literal('hybrid')])),
  });
  expect(writeSchemaLines(schema)).toEqual([
    '  size*: integer, at least 500, at most 5000 (default 2048)',
    '      Characters.',
    '  kind: "simple" | "hybrid"',
  ]);
});

test('nested objects in members, lists and choices are indented below them', () => {
  const inner = Type.Object({ host: Type.String() });
  const schema = Type.Object({ one: inner, many: Type.Array(inner), either: Type.Union([Type.Null(), inner]) });
  expect(writeSchemaLines(schema)).toEqual([
    '  one*: object',
    '    host*: string',
    '  many*: list of object',
    '    host*: string',
    '  either*: null | object',
    '    host*: string',
  ]);
});

test('an empty object is described as such, and a schema without a type accepts anything', () => {
  expect(writeSchemaLines(Type.Object({}))).toEqual(['  (no members)']);
  expect(getType(Type.Unknown())).toBe('anything');
});
