import { Type } from '@sinclair/typebox';
import { listUnknownSettings } from './unknown-settings';

const schema = Type.Object(
  {
    name: Type.String(),
    host: Type.Object({ port: Type.Integer() }, { additionalProperties: true }),
    open: Type.Object({ type: Type.String() }, { additionalProperties: Type.Unknown() }),
    free: Type.Object({}, { additionalProperties: true }),
    each: Type.Record(Type.String(), Type.Object({ size: Type.Integer() }, { additionalProperties: true })),
  },
  { additionalProperties: true },
);
const pointers = (value: unknown) => listUnknownSettings(schema, value).map(({ pointer }) => pointer);

test('members that no schema declares are reported at every depth, with their JSON pointer and the known names', () => {
  expect(listUnknownSettings(schema, { name: 'x', host: { port: 1, 'po/r~t': 2 } })).toEqual([
    { pointer: '/host/po~1r~0t', name: 'po/r~t', known: ['port'] },
  ]);
  expect(pointers({ nam: 'x', each: { one: { size: 1 }, other: { sise: 1 } } })).toEqual(['/nam', '/each/other/sise']);
});

test('objects that accept any member have no unknown ones; names inherited by every object are ignored', () => {
  expect(pointers({ open: { type: 'x', more: 1 }, free: { any: 1 }, each: { whatever: {} } })).toEqual([]);
  expect(pointers({ constructor: 1 })).toEqual(['/constructor']);
  expect(pointers({ host: 'no object' })).toEqual([]);
  expect(pointers([1])).toEqual([]);
});

test('an operator without settings has none that are known', () => {
  expect(listUnknownSettings(Type.Object({}), { any: 1 })).toEqual([{ pointer: '/any', name: 'any', known: [] }]);
});
