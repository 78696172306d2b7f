import { type TSchema, Type } from '@sinclair/typebox';
import { problemsOf } from './validate';

const said = (schema: TSchema, value: unknown) =>
  problemsOf(schema, value).map(({ pointer, message }) => `${pointer} ${message}`);
const words = (...values: string[]) => Type.Union(values.map((value) => Type.Literal(value)));

describe('a union reports one problem per value', () => {
  test.each([
    ['words', words('all', 'failed'), 'x', 'must be one of "all", "failed"'],
    ['an enum', Type.Unsafe({ enum: ['a', 'b'] }), 'x', 'must be one of "a", "b"'],
    ['a single word', Type.Literal('a'), 'x', 'must be "a"'],
    ['text or null', Type.Union([Type.String(), Type.Null()]), 5, 'must be string or null'],
    ['words or null', Type.Union([words('a', 'b'), Type.Null()]), 5, 'must be "a", "b" or null'],
    [
      'texts, numbers and lists of them',
      Type.Union([Type.String(), Type.Number(), Type.Array(Type.Union([Type.String(), Type.Number()]))]),
      null,
      'must be string, number or array',
    ],
  ])('%s', (_what, schema, value, message) => {
    expect(said(schema, value)).toEqual([` ${message}`]);
  });

  test('of the member that was meant: the text is too long, not "no null"', () => {
    expect(said(Type.Union([Type.String({ maxLength: 2 }), Type.Null()]), 'long')).toEqual([
      ' must NOT have more than 2 characters',
    ]);
  });

  test('inside lists, each place for itself', () => {
    const schema = Type.Array(Type.Union([Type.String(), Type.Array(words('a', 'b'))]));
    expect(said(schema, [1, ['a', 'c'], 'fine', null])).toEqual([
      '/0 must be string or array',
      '/1/1 must be one of "a", "b"',
      '/3 must be string or array',
    ]);
  });
});

describe('a union of objects', () => {
  const schema = Type.Union([
    Type.Object({ kind: Type.Literal('http'), url: Type.String() }, { additionalProperties: false }),
    Type.Object({ kind: Type.Literal('file'), name: Type.String() }, { additionalProperties: false }),
  ]);
  test('whose kind matches a member reports what that member misses', () => {
    const [problem, ...more] = problemsOf(schema, { kind: 'file' });
    expect(problem).toMatchObject({ pointer: '', missing: 'name' });
    expect(more).toEqual([]);
  });
  test('whose kind matches no member lists the kinds', () => {
    expect(said(schema, { kind: 'ftp', url: 'x' })).toEqual(['/kind must be one of "http", "file"']);
  });
  test('is not meant by a text', () => {
    expect(said(schema, 'x')).toEqual([' must be object']);
  });
  test('without a discriminator reports the problems of each member', () => {
    const either = Type.Union([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]);
    expect(problemsOf(either, {}).map(({ missing }) => missing)).toEqual(['a', 'b']);
  });
});
