import { type TSchema, Type } from '@sinclair/typebox';
import { listProblems } from '../../model/validate';
import { createResponseFormat, createStrictSchema, omitAddedNulls } from './strict-schema';

const plain = (schema: TSchema) => JSON.parse(JSON.stringify(schema)) as Record<string, unknown>;
const nullable = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });

describe('strict mode', () => {
  test('requires every member and no others: optional members become nullable', () => {
    const schema = plain(
      Type.Object({
        name: Type.String({ minLength: 1, default: 'x' }),
        total: Type.Optional(Type.Number({ minimum: 0 })),
        kind: Type.Optional(Type.Union([Type.Literal('a'), Type.Null()])),
        lines: Type.Array(Type.Object({ text: Type.Optional(Type.String()) }), { uniqueItems: true }),
      }),
    );
    expect(createStrictSchema(schema)).toEqual({
      type: 'object',
      additionalProperties: false,
      required: ['name', 'total', 'kind', 'lines'],
      properties: {
        name: { type: 'string' },
        total: nullable({ type: 'number', minimum: 0 }),
        kind: { anyOf: [{ const: 'a', type: 'string' }, { type: 'null' }] },
        lines: {
          type: 'array',
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['text'],
            properties: { text: nullable({ type: 'string' }) },
          },
        },
      },
    });
  });

  test('definitions are also made strict, and may be recursive', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/node', description: 'gone' } } };
    expect(
      createStrictSchema({ type: 'object', properties: { first: { $ref: '#/$defs/node' } }, $defs: { node } }),
    ).toEqual({
      type: 'object',
      properties: { first: nullable({ $ref: '#/$defs/node' }) },
      required: ['first'],
      additionalProperties: false,
      $defs: {
        node: {
          type: 'object',
          properties: { next: nullable({ $ref: '#/$defs/node' }) },
          required: ['next'],
          additionalProperties: false,
        },
      },
    });
  });

  test('oneOf becomes anyOf, enums have a type, and keywords that hosts do not enforce are checked here', () => {
    const strict = createStrictSchema({
      type: 'object',
      required: ['a', 'b', 'c'],
      properties: {
        a: { oneOf: [{ type: 'string', maxLength: 3, pattern: '^(?=a).*$' }, { type: 'integer' }] },
        b: { enum: ['x', null] },
        c: { allOf: [{ type: 'string', format: 'date' }], description: 'When.' },
      },
    });
    expect(strict?.['properties']).toEqual({
      a: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
      b: { enum: ['x', null], type: ['string', 'null'] },
      c: { type: 'string', format: 'date', description: 'When.' },
    });
  });

  test.each([
    ['a list at the top', { type: 'array', items: { type: 'string' } }],
    ['an object with any members', { type: 'object', properties: { a: { type: 'object', additionalProperties: {} } } }],
    ['further members', { type: 'object', properties: {}, additionalProperties: true }],
    ['anything', { type: 'object', properties: { a: {} } }],
    ['lists of anything', { type: 'object', properties: { a: { type: 'array' } } }],
    ['exclusions', { type: 'object', properties: { a: { type: 'string', not: { const: 'x' } } } }],
    ['several at once', { type: 'object', properties: { a: { allOf: [{ type: 'string' }, { minLength: 1 }] } } }],
    [
      'too many values',
      { type: 'object', properties: { a: { enum: Array.from({ length: 1_001 }, (_, at) => `${at}`) } } },
    ],
    [
      'too much depth',
      Array.from({ length: 12 }).reduce<object>((inner) => ({ type: 'object', properties: { a: inner } }), {
        type: 'null',
      }),
    ],
  ])('does not support %s, which is sent unchanged', (_name, schema) => {
    expect(createResponseFormat({ name: 'a form!', schema: { ...schema } })).toEqual({
      type: 'json_schema',
      json_schema: { name: 'a_form_', schema, strict: false },
    });
  });
});

describe('nulls for members that are absent', () => {
  const schema = plain(
    Type.Object({
      name: Type.String(),
      total: Type.Optional(Type.Number()),
      remark: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      other: Type.Optional(Type.Unknown()),
      lines: Type.Optional(Type.Array(Type.Object({ text: Type.Optional(Type.String()) }))),
    }),
  );
  test('are removed, and the value matches the schema', () => {
    const value = { name: 'n', total: null, remark: null, other: null, lines: [{ text: null }, { text: 'x' }, null] };
    expect(omitAddedNulls(schema, value)).toEqual({
      name: 'n',
      remark: null,
      other: null,
      lines: [{}, { text: 'x' }, null],
    });
    expect(listProblems(schema as never, omitAddedNulls(schema, { name: 'n', total: null, lines: null }))).toEqual([]);
  });
  test('of requested members stay, and so do members that the schema does not declare', () => {
    expect(omitAddedNulls(schema, { name: null, unknown: null })).toEqual({ name: null, unknown: null });
  });
  test('are found behind references and in unions', () => {
    const node = { type: 'object', properties: { text: { type: 'string' }, next: { $ref: '#/$defs/node' } } };
    const list = {
      anyOf: [{ $ref: '#/$defs/node' }, { type: 'array', items: { $ref: '#/$defs/node' } }],
      $defs: { node },
    };
    expect(omitAddedNulls(list, { text: 'a', next: { text: null, next: null } })).toEqual({ text: 'a', next: {} });
    expect(omitAddedNulls(list, [{ next: null }])).toEqual([{}]);
  });
});
