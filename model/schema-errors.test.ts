import { type TSchema, Type } from '@sinclair/typebox';
import { listProblems } from './validate';

const said = (schema: TSchema, value: unknown) =>
  listProblems(schema, value).map(({ pointer, message }) => `${pointer} ${message}`);
const words = (...values: string[]) => Type.Union(values.map((value) => Type.Literal(value)));

describe('a union reports one problem per value', () => {
  test.each([
    ['words', words('all', 'failed'), 'x', 'must be one of "all", "failed"'],
    ['an enum', Type.Unsafe({ enum: ['a', 'b'] }), 'x', 'must be one of "a", "b"'],
    ['a single word', Type.Literal('a'), 'x', 'must be "a"'],
    ['text or null', Type.Union([Type.String(), Type.Null()]), 5, 'must be a string or null'],
    ['words or null', Type.Union([words('a', 'b'), Type.Null()]), 5, 'must be "a", "b" or null'],
    [
      'texts, numbers and lists of them',
      Type.Union([Type.String(), Type.Number(), Type.Array(Type.Union([Type.String(), Type.Number()]))]),
      null,
      'must be a string, a number or a list',
    ],
  ])('%s', (_name, schema, value, message) => {
    expect(said(schema, value)).toEqual([` ${message}`]);
  });

  test('describes the intended member: the text is too long, not "no null"', () => {
    expect(said(Type.Union([Type.String({ maxLength: 2 }), Type.Null()]), 'long')).toEqual([
      ' must have at most 2 characters',
    ]);
  });

  test('problems inside lists are reported for each item', () => {
    const schema = Type.Array(Type.Union([Type.String(), Type.Array(words('a', 'b'))]));
    expect(said(schema, [1, ['a', 'c'], 'fine', null])).toEqual([
      '/0 must be a string or a list',
      '/1/1 must be one of "a", "b"',
      '/3 must be a string or a list',
    ]);
  });
});

test.each<[TSchema, unknown, string]>([
  [Type.String({ minLength: 1 }), '', 'must not be empty'],
  [Type.String({ minLength: 3 }), 'a', 'must have at least 3 characters'],
  [Type.Array(Type.String(), { minItems: 1 }), [], 'must not be empty'],
  [Type.Array(Type.String(), { maxItems: 1 }), ['a', 'b'], 'must have at most 1 item'],
  [
    Type.Array(Type.String(), { uniqueItems: true }),
    ['a', 'b', 'a'],
    'must not repeat an item (items 1 and 3 are equal)',
  ],
  [Type.Integer({ minimum: 1 }), 0, 'must be at least 1'],
  [Type.Integer({ maximum: 100 }), 101, 'must be at most 100'],
  [Type.String({ format: 'uuid' }), 'x', 'must be a UUID'],
  [Type.String({ pattern: '\\S' }), ' ', 'must not be blank'],
  [
    Type.String({ pattern: '^(?=.*\\S)[^\\u0000-\\u001f]*$', description: 'Unique.' }),
    '\n',
    'must not be blank and must not contain control characters',
  ],
  [
    Type.String({ pattern: '^-?(name|created_on)$' }),
    '-x',
    'must be one of name, created_on, with a leading - for descending order',
  ],
  [Type.String({ pattern: '^[a-z]$', description: 'A letter.' }), '1', 'must match pattern "^[a-z]$" (A letter)'],
])('a violation is described in plain English: %j', (schema, value, message) => {
  expect(said(schema, value)).toEqual([` ${message}`]);
});

describe('a union of objects', () => {
  const schema = Type.Union([
    Type.Object({ kind: Type.Literal('http'), url: Type.String() }, { additionalProperties: false }),
    Type.Object({ kind: Type.Literal('file'), name: Type.String() }, { additionalProperties: false }),
  ]);
  test('whose kind matches a member reports what that member misses', () => {
    const [problem, ...more] = listProblems(schema, { kind: 'file' });
    expect(problem).toMatchObject({ pointer: '', missing: 'name' });
    expect(more).toEqual([]);
  });
  test('whose kind matches no member lists the kinds', () => {
    expect(said(schema, { kind: 'ftp', url: 'x' })).toEqual(['/kind must be one of "http", "file"']);
  });
  test('is not reported for a text', () => {
    expect(said(schema, 'x')).toEqual([' must be an object']);
  });
  test('without a discriminator reports the problems of each member', () => {
    const either = Type.Union([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]);
    expect(listProblems(either, {}).map(({ missing }) => missing)).toEqual(['a', 'b']);
  });
});
