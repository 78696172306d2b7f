import { z } from 'zod';
import { buildGraph } from '../build/build';
import { ConfigurationError } from '../core/errors';
import { edgesOf } from '../core/knowledge-graph';
import { extractWithRules } from '../extract/rules';
import { templateFromInstance } from '../extract/template-instance';
import { kindOf } from '../extract/template-names';
import { templateFromSample, templateFromSamples } from '../extract/template-sample';
import { describeTemplate } from './describe';
import { templateFromText, templateToFile, templateToYaml } from './file';
import { templateFromAny as templateFrom } from './template-or-zod';
import { invoiceTemplate } from './test-support';
import { component, decimal, entity, relation } from './zod';

const Address = component('Address', { city: z.string() }, 'Where it is');
const Party = entity('Party', { name: z.string(), address: Address.nullish() }, { idFields: ['name'] });
const Line = entity(
  'Line',
  {
    position: z.int(),
    price: decimal().nullish(),
    kind: z.enum(['goods', 'service']).nullish(),
    day: z.iso.date().nullish(),
  },
  { idFields: ['position'], maxInstances: 2 },
);
const Invoice = entity(
  'Invoice',
  {
    number: z.string().describe('Invoice number'),
    rate: z.number().nullish(),
    at: z.date().nullish(),
    seller: relation('ISSUED_BY', Party, { reverse: 'ISSUED', isRequired: true }),
    buyer: relation('SENT_TO', Party),
    lines: relation('CONTAINS', Line, { cardinality: 'many', isClosedCatalog: true }),
    get replaces(): z.ZodType {
      return relation('REPLACES', Invoice);
    },
  },
  { idFields: ['number'], description: 'An invoice' },
);

describe('a zod template', () => {
  const template = templateFrom(Invoice);

  test('has entities with id fields, components, and relations with label, cardinality and the way back', () => {
    expect([...template.classes.keys()]).toEqual(['Invoice', 'Party', 'Address', 'Line']);
    expect(template.classes.get('Invoice')).toMatchObject({
      isEntity: true,
      idFields: ['number'],
      description: 'An invoice',
      fields: [
        { name: 'number', type: 'str', isRequired: true, description: 'Invoice number' },
        { name: 'rate', type: 'float' },
        { name: 'at', type: 'datetime' },
        {
          name: 'seller',
          model: 'Party',
          edgeLabel: 'ISSUED_BY',
          reverseLabel: 'ISSUED',
          isRequired: true,
          isList: false,
        },
        { name: 'buyer', model: 'Party', edgeLabel: 'SENT_TO', isRequired: false },
        { name: 'lines', model: 'Line', edgeLabel: 'CONTAINS', isList: true, isClosedCatalog: true },
        { name: 'replaces', model: 'Invoice', edgeLabel: 'REPLACES' },
      ],
    });
    expect(template.classes.get('Address')?.isEntity).toBe(false);
    expect(template.classes.get('Line')).toMatchObject({
      maxInstances: 2,
      fields: [{ type: 'int' }, { type: 'decimal' }, { choices: { values: ['goods', 'service'] } }, { type: 'date' }],
    });
  });

  test('builds graphs with reverse edges, also for recursive classes', () => {
    const instance = { number: '2', seller: { name: 'Acme' }, replaces: { number: '1', seller: { name: 'Acme' } } };
    const labels = edgesOf(buildGraph(template, [instance] as never)).map(({ attributes }) => attributes['label']);
    expect(labels).toEqual(['ISSUED_BY', 'REPLACES', 'ISSUED_BY', 'ISSUED', 'ISSUED']);
  });

  test('with a value that JSON cannot express accepts any value', () => {
    const odd = entity('Odd', { f: z.map(z.string(), z.string()).nullish(), n: z.bigint() });
    expect(templateFrom(odd).classes.get('Odd')?.fields).toMatchObject([{ type: 'any' }, { type: 'int' }]);
  });
});

describe('a template as a file', () => {
  test('is the same as YAML and as JSON', () => {
    const file = templateToFile(invoiceTemplate);
    expect(templateToFile(templateFromText(JSON.stringify(file), 'a.json'))).toEqual(file);
    expect(templateToFile(templateFromText(templateToYaml(invoiceTemplate), 'a.yaml'))).toEqual(file);
  });

  test.each<[string, string, RegExp]>([
    ['that is not YAML', 'a: [', /cannot be read/],
    ['that is not an object', '- 1', /must be an object/],
    ['with a missing class', 'root: A\nclasses: {A: {fields: {b: {model: B}}}}', /class 'B', which does not exist/],
    ['with an unknown type', 'root: A\nclasses: {A: {fields: {b: {type: money}}}}', /fields\/b\/type/],
    ['with a missing id field', 'root: A\nclasses: {A: {graph_id_fields: [x], fields: {}}}', /'x', which it does not/],
    ['without its root', 'root: Z\nclasses: {A: {fields: {}}}', /the root 'Z'/],
    [
      'that multiplies itself',
      `a: &a [1]\n${Array.from({ length: 200 }, (_, i) => `k${i}: *a`).join('\n')}`,
      /cannot be read/,
    ],
  ])('%s is a ConfigurationError with an explanation', (_case, text, message) => {
    expect(() => templateFromText(text, 'a.yaml')).toThrow(ConfigurationError);
    expect(() => templateFromText(text, 'a.yaml')).toThrow(message);
  });
});

describe('a template with cycles', () => {
  test('describes, builds and stops', () => {
    const person = templateFrom({
      root: 'Person',
      classes: {
        Person: {
          graph_id_fields: ['name'],
          fields: { name: { type: 'str' }, knows: { model: 'Person', is_list: true, edge_label: 'KNOWS' } },
        },
      },
    });
    const bob: Record<string, unknown> = { name: 'Bob' };
    const instance = { name: 'Ann', knows: [{ ...bob, knows: [{ name: 'Ann', knows: [] }] }] };
    expect(edgesOf(buildGraph(person, [instance] as never))).toHaveLength(2);
    expect(describeTemplate(person)).toContain('- Person `KNOWS` Person (many)');
  });
});

const sample = `# Invoice
Invoice number: INV-2024/001
Issued: 31 January 2024
Total: 1,234.50 EUR

## Seller
Name: Acme Ltd
City: London

| Article | Price | Quantity |
|---|---|---|
| Widget | 1,000.00 | 3 |
| Gadget | 234.50 | 1 |
`;

describe('a template of a sample', () => {
  const template = templateFromSample(sample, 'invoice');

  test('has labelled values, sections and tables as classes, and types of the values', () => {
    expect(templateToFile(template)).toMatchObject({
      root: 'Invoice',
      classes: {
        Invoice: {
          graph_id_fields: ['invoice_number'],
          fields: {
            invoice_number: { type: 'str' },
            issued: { type: 'date' },
            total: { type: 'decimal' },
            seller: { model: 'Seller', edge_label: 'HAS_SELLER' },
            articles: { model: 'Article', is_list: true },
          },
        },
        Seller: { graph_id_fields: ['name'], fields: { name: { type: 'str' }, city: { type: 'str' } } },
        Article: {
          graph_id_fields: ['article'],
          fields: { article: { type: 'str' }, price: { type: 'decimal' }, quantity: { type: 'int' } },
        },
      },
    });
  });

  test('finds the facts in the sample that it was derived from', () => {
    expect(extractWithRules(template, sample).instance).toMatchObject({
      invoice_number: 'INV-2024/001',
      issued: '2024-01-31',
      seller: { name: 'Acme Ltd', city: 'London' },
      articles: [{ article: 'Widget' }, { article: 'Gadget' }],
    });
  });

  test('of an instance has its objects as classes', () => {
    const graphTemplate = templateFromInstance(
      { no: 'A1', day: '2024-01-31', party: { name: 'x' }, lines: [{ n: 1 }, { n: 2, tags: ['a'] }] },
      'order',
    );
    expect(templateToFile(graphTemplate)).toEqual({
      root: 'Order',
      classes: {
        Order: {
          graph_id_fields: ['no'],
          fields: {
            no: { type: 'str' },
            day: { type: 'date' },
            party: { model: 'Party', edge_label: 'HAS_PARTY' },
            lines: { model: 'Line', edge_label: 'HAS_LINES', is_list: true },
          },
        },
        Party: { graph_id_fields: ['name'], fields: { name: { type: 'str' } } },
        Line: { graph_id_fields: ['n'], fields: { n: { type: 'int' }, tags: { type: 'str', is_list: true } } },
      },
    });
  });
});

describe('a template of several samples', () => {
  const order = (number: string, via: string, more = '') => `# Purchase Order

| Order Date: | 2026-01-12 | Vendor No.: | ${number} |
|---|---|---|---|
| ${via}: | Truck | Terms: | Net 30 |

| # | Item | Qty |
|---|---|---|
| 1 | Rope | 3 |
${more}`;
  const samples = [
    { name: 'PurchaseOrderPCH202649507', markdown: order('V-100', 'Ship Via') },
    { name: 'purchase_order-PCH-26', markdown: order('V-200', 'Ship Via', '\nRemark: call first\n') },
    { name: 'Purchase Order 3', markdown: order('V-300', 'Contact') },
  ];

  test('is named after the kind of documents, and has the fields that most of them have', () => {
    expect(templateToFile(templateFromSamples(samples))).toEqual({
      root: 'PurchaseOrder',
      classes: {
        PurchaseOrder: {
          graph_id_fields: ['vendor_no'],
          fields: {
            order_date: { type: 'date', description: 'Order Date' },
            vendor_no: { type: 'str', description: 'Vendor No.' },
            ship_via: { type: 'str', description: 'Ship Via' },
            terms: { type: 'str', description: 'Terms' },
            items: { model: 'Item', is_list: true, edge_label: 'HAS_ITEM' },
          },
        },
        Item: {
          graph_id_fields: ['item'],
          fields: { item: { type: 'str', description: 'Item' }, qty: { type: 'int', description: 'Qty' } },
        },
      },
    });
  });

  test('finds the values that are beside their labels in a table', () => {
    const template = templateFromSamples(samples);
    expect(extractWithRules(template, samples[2]?.markdown ?? '').instance).toMatchObject({
      order_date: '2026-01-12',
      vendor_no: 'V-300',
      items: [{ item: 'Rope', qty: 3 }],
    });
  });

  test.each([
    [['InvoiceINV2024001'], 'Invoice'],
    [['2024-q4'], 'Document'],
    [['supplier invoice 7', 'Invoice_supplier_X1'], 'supplier invoice'],
    [['letter', 'memo'], 'Document'],
  ])('the kind of %j is %s', (names, kind) => {
    expect(kindOf(names)).toBe(kind);
  });
});

describe('a description of a template', () => {
  test('has a chapter for each class and a line for each relation', () => {
    const text = describeTemplate(templateFrom(Invoice));
    expect(text).toContain('## Invoice (root)');
    expect(text).toContain('| `number` | str | required | Invoice number |');
    expect(text).toContain('- Invoice `ISSUED_BY` Party (one, back `ISSUED`)');
    expect(text).toContain('Component: stays inside its owner.');
  });

  test('escapes descriptions', () => {
    const odd = templateFrom({
      root: 'A',
      classes: { A: { fields: { f: { type: 'str', description: 'a|b\n<i>' } } } },
    });
    expect(describeTemplate(odd)).toContain('a\\|b &lt;i>');
  });
});
