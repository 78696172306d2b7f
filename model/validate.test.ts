import { type TSchema, Type } from '@sinclair/typebox';
import { FlowCreate } from './flow/wire-flows';
import { SearchRequestBody } from './search/wire';
import { listProblems } from './validate';

const many = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`name-${index}`, value]));

test('every violation of a small value is listed', () => {
  const schema = Type.Object({ a: Type.Integer(), b: Type.Integer() }, { additionalProperties: false });
  expect(listProblems(schema, { a: 'x', c: 1 }).map(({ pointer, message }) => `${pointer} ${message}`)).toEqual([
    " must have the member 'b'",
    " has the unknown member 'c'",
    '/a must be an integer',
  ]);
});

// Each blocked the event loop for more than a second, the first two for minutes. Measured as processor time, since tests share
// the machine.
test.each<[string, TSchema, unknown]>([
  ['filters of 200,000 names', SearchRequestBody, { filters: many(200_000, {}) }],
  ['a filter of 400,000 values', SearchRequestBody, { filters: { name: Array(400_000).fill({}) } }],
  ['a flow with 200,000 unknown names', FlowCreate, { flow_name: 'f', flow: [], ...many(200_000, 1) }],
  ['a flow of 200,000 operators', FlowCreate, { flow_name: 'f', flow: Array(200_000).fill({}) }],
])('%s are rejected within half a second of processor time', (_name, schema, value) => {
  listProblems(schema, {});
  const before = process.cpuUsage();
  expect(listProblems(schema, value).length).toBeGreaterThan(0);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(500);
});

test('a schema of a caller is checked before it is used, one of the product is not', () => {
  const foreign = { type: 'object', properties: { a: { type: 'text' } } } as unknown as TSchema;
  expect(() => listProblems(foreign, {})).toThrow('schema is invalid: data/properties/a/type must be equal to one of');
});
