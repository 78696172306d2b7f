import { listDocumentClasses } from '../../services/operator/document-classes';
import { getClassKey, listClassFields, listSchemaFields } from './entity-fields';

const field = (type: string, name: string) => {
  const found = listDocumentClasses().find(({ document_type }) => document_type === type);
  return (found ? listClassFields(found) : []).find((entityField) => entityField.name === name);
};

describe('fields of a class', () => {
  test('have the types of their columns', () => {
    expect(field('invoice', 'issue_date')?.type).toBe('date');
    expect(field('invoice', 'total_amount')?.type).toBe('money');
    expect(field('invoice', 'invoice_number')?.type).toBe('string');
    expect(field('invoice', 'line_items')?.fields?.map(({ name, type }) => [name, type])).toEqual([
      ['description', 'string'],
      ['quantity', 'number'],
      ['unit_price', 'money'],
      ['amount', 'money'],
    ]);
  });

  test('with parts are lists, unless parts of several are in one row of a table', () => {
    expect(field('invoice', 'line_items')?.isList).toBe(true);
    expect(field('invoice', 'seller')?.isList).toBe(false);
    expect(field('bank_statements', 'transactions')?.isList).toBe(true);
  });

  test('keep their allowed values', () => {
    expect(field('invoice', 'currency')?.options).toContain('EUR');
  });

  test.each(listDocumentClasses().map((item) => [item.document_type, item] as const))(
    '%s has a field for each of its members',
    (_n, value) => {
      expect(listClassFields(value).map(({ name }) => name)).toEqual(value.fields.map(({ name }) => name));
    },
  );
});

describe('fields of a schema of a flow', () => {
  test('nest and repeat', () => {
    const problems: string[] = [];
    const fields = listSchemaFields(
      { name: 'string', total: 'float', tags: ['string'], seller: { city: 'str' }, lines: [{ count: 'int' }] },
      problems,
    );
    expect(problems).toEqual([]);
    expect(fields).toMatchObject([
      { name: 'name', type: 'string' },
      { name: 'total', type: 'number' },
      { name: 'tags', type: 'string', isList: true },
      { name: 'seller', fields: [{ name: 'city', type: 'string' }] },
      { name: 'lines', isList: true, fields: [{ name: 'count', type: 'integer' }] },
    ]);
  });

  test('of an unknown type are reported by name', () => {
    const problems: string[] = [];
    listSchemaFields({ a: 'text', b: { c: 5 }, d: [] }, problems);
    expect(problems).toEqual(['/a', '/b/c', '/d']);
  });
});

test('names of classes are compared by letters and digits', () => {
  expect([' Purchase Order', 'purchase-order', 'PURCHASE_ORDER!'].map(getClassKey)).toEqual(
    Array.from({ length: 3 }, () => 'purchase_order'),
  );
});
