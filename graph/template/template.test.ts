import { ConfigurationError } from '../core/errors';
import { buildFieldType } from './annotation';
import { getClass, templateFrom } from './template';
import { invoiceTemplate } from './test-support';

describe('templates', () => {
  test('a JSON Schema with graph members is a template', () => {
    const template = templateFrom({
      title: 'Order',
      type: 'object',
      'x-graph-id-fields': ['no'],
      required: ['no'],
      properties: {
        no: { type: 'string' },
        at: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] },
        items: { type: 'array', items: { $ref: '#/$defs/Item' }, edge_label: 'HAS' },
        kind: { $ref: '#/$defs/Kind' },
      },
      $defs: {
        Item: {
          type: 'object',
          is_entity: false,
          properties: { price: { anyOf: [{ type: 'number' }, { type: 'string' }] } },
        },
        Kind: { type: 'string', enum: ['a', 'b'] },
      },
    });
    expect(getClass(template, 'Order')).toMatchObject({ idFields: ['no'], isEntity: true });
    expect(getClass(template, 'Order').fields).toMatchObject([
      { name: 'no', type: 'str', isRequired: true },
      { name: 'at', type: 'datetime' },
      { name: 'items', type: 'model', isList: true, model: 'Item', edgeLabel: 'HAS' },
      { name: 'kind', choices: { name: 'Kind', values: ['a', 'b'] } },
    ]);
    expect(getClass(template, 'Item')).toMatchObject({ isEntity: false, fields: [{ type: 'decimal' }] });
  });

  test('the schema of a template reads back as the same template', () => {
    const again = templateFrom(invoiceTemplate.schema);
    for (const name of ['Invoice', 'Party', 'Address', 'Line']) {
      const { fields, ...rest } = getClass(invoiceTemplate, name);
      const { fields: fieldsAgain, ...restAgain } = getClass(again, name);
      expect(restAgain).toEqual(rest);
      expect(fieldsAgain.map(({ name, type, model, isList }) => ({ name, type, model, isList }))).toEqual(
        fields.map(({ name, type, model, isList }) => ({ name, type: type === 'any' ? 'str' : type, model, isList })),
      );
    }
  });

  test.each([
    ['no object', 7, /must be an object/],
    ['an unknown root', { root: 'X', classes: {} }, /root 'X'/],
    [
      'an unknown class',
      { root: 'A', classes: { A: { fields: { b: { model: 'B' } } } } },
      /class 'B', which does not exist/,
    ],
    ['an unknown id field', { root: 'A', classes: { A: { graph_id_fields: ['x'], fields: {} } } }, /id field 'x'/],
    ['a bound of zero', { root: 'A', classes: { A: { graph_max_instances: 0, fields: {} } } }, /graph_max_instances/],
    ['a schema without properties', { type: 'object' }, /no properties/],
    ['no classes', { root: 'A', classes: {} }, /the root 'A' is not among the classes: there are none$/],
    ['a broken reference', { properties: { a: { $ref: '#/$defs/Z' } } }, /#\/\$defs\/Z/],
  ])('%s is a ConfigurationError that explains the mistake', (_case, value, message) => {
    expect(() => templateFrom(value)).toThrow(ConfigurationError);
    expect(() => templateFrom(value)).toThrow(message);
  });

  test.each([
    ["<class 'datetime.date'>", { type: 'date', isList: false }],
    ['Optional[decimal.Decimal]', { type: 'decimal' }],
    ['List[str]', { type: 'str', isList: true }],
    ["<enum 'Kind'>", { type: 'any', name: 'Kind' }],
    ['Dict[str, Part]', { container: { kind: 'dict', items: [{ name: 'Part' }] } }],
    [
      'Optional[Tuple[datetime.date, int]]',
      { container: { kind: 'tuple', items: [{ type: 'date' }, { type: 'int' }] } },
    ],
    ['Union[int, str]', { type: 'any' }],
    ['list[str] | None', { type: 'str', isList: true }],
  ])('the annotation %s', (annotation, expected) => {
    expect(buildFieldType(annotation)).toMatchObject(expected);
  });
});
