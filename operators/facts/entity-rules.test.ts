import { type EntityField, listClassFields, listSchemaFields } from '../../model/entity/entity-fields';
import { listDocumentClasses } from '../../services/operator/document-classes';
import { extractByRules } from './entity-rules';
import { createQuoteFinder } from './quotes';

const classFields = (type: string): EntityField[] => {
  const documentClass = listDocumentClasses().find((item) => item.document_type === type);
  return documentClass ? listClassFields(documentClass) : [];
};
const invoice = `# INVOICE #INV-2024-001

**Invoice Date:** March 5, 2024   **Due Date:** 04/04/2024

From:
Nexus Solutions Inc.

**Bill To:** Blue Heron Ltd

| Description | Qty | Unit Price | Total |
| --- | ---: | ---: | ---: |
| Steel bracket \\| 40 mm | 12 | $14.50 | $174.00 |
| Delivery | 1 | $6,626.00 | $6,626.00 |
| Subtotal | | | $6,800.00 |
| Tax (5%) | | | $340.00 |
| **Total** | | | **$7,140.00** |

Currency: USD
Payment terms: 30 days net
PO Number: PO-7719
`;

describe('facts by rules', () => {
  const { entities, evidence } = extractByRules(invoice, classFields('invoice'));

  test('stand after their labels, in lines and in tables', () => {
    expect(entities).toMatchObject({
      invoice_number: 'INV-2024-001',
      issue_date: 'March 5, 2024',
      due_date: '04/04/2024',
      seller: { name: 'Nexus Solutions Inc.', address: null },
      buyer: { name: 'Blue Heron Ltd' },
      purchase_order_number: 'PO-7719',
      currency: 'USD',
      subtotal: '$6,800.00',
      total_amount: '$7,140.00',
      payment_terms: '30 days net',
    });
    expect(entities['line_items']).toEqual([
      { description: 'Steel bracket \\| 40 mm', quantity: '12', unit_price: '$14.50', amount: '$174.00' },
      { description: 'Delivery', quantity: '1', unit_price: '$6,626.00', amount: '$6,626.00' },
    ]);
  });

  test('each has its evidence in the text', () => {
    expect(evidence.length).toBeGreaterThan(15);
    for (const { quote, start, end } of evidence) expect(invoice.slice(start, end)).toBe(quote);
    const byField = new Map(evidence.map(({ field, quote }) => [field, quote]));
    expect(byField.get('line_items/1/amount')).toBe('$6,626.00');
    expect(byField.get('seller/name')).toBe('Nexus Solutions Inc.');
  });

  test('in German, French and Spanish too', () => {
    const german = 'Rechnungsnummer: R-17\nRechnungsdatum: 5. März 2024\nGesamtbetrag: 1.042,00 €\nMwSt.: 166,37 €';
    expect(extractByRules(german, classFields('invoice')).entities).toMatchObject({
      invoice_number: 'R-17',
      issue_date: '5. März 2024',
      total_amount: '1.042,00 €',
      tax_amount: '166,37 €',
    });
    const french = "Facture n° : F-9\nDate d'échéance : 05/04/2024\nTotal TTC : 12,50 €";
    expect(extractByRules(french, classFields('invoice')).entities).toMatchObject({
      invoice_number: 'F-9',
      due_date: '05/04/2024',
      total_amount: '12,50 €',
    });
    const spanish = 'Número de factura: E-3\nFecha: 5 de marzo de 2024\nImporte total: 99,00 €';
    expect(extractByRules(spanish, classFields('invoice')).entities).toMatchObject({
      invoice_number: 'E-3',
      issue_date: '5 de marzo de 2024',
      total_amount: '99,00 €',
    });
  });

  test('are found in one line too, such as the joined lines of a paragraph', () => {
    const text =
      'Rechnungsnummer: R-17 Rechnungsdatum: 14. Februar 2025 Fällig am: 16.03.2025\n\n**Seller:** North Ltd **Bill to:** Harbour Board **PO No.:** 7';
    expect(extractByRules(text, classFields('invoice')).entities).toMatchObject({
      invoice_number: 'R-17',
      issue_date: '14. Februar 2025',
      due_date: '16.03.2025',
      seller: { name: 'North Ltd' },
      buyer: { name: 'Harbour Board' },
      purchase_order_number: '7',
    });
  });

  test('drop values that do not match the type of their field', () => {
    const text =
      'Invoice number: none yet\nDue date: on receipt\nTotal: see below\nTax: 19 %\nCurrency: gold\nTotal 12.50 EUR';
    expect(extractByRules(text, classFields('invoice')).entities).toMatchObject({
      invoice_number: null,
      due_date: null,
      tax_amount: null,
      currency: null,
      total_amount: '12.50 EUR',
      seller: null,
      line_items: [],
    });
  });

  test('fields that a flow defines', () => {
    const fields = listSchemaFields({
      ticket_id: 'string',
      priority: 'int',
      tags: ['string'],
      guests: [{ name: 'string', room: 'int' }],
    });
    const text =
      'Ticket #4711\nPriority: 2\nTags: red, blue\n\n| Name | Room |\n|---|---|\n| Anna | 12 |\n| Bert | 14 |';
    expect(extractByRules(text, fields).entities).toEqual({
      ticket_id: '4711',
      priority: '2',
      tags: ['red', 'blue'],
      guests: [
        { name: 'Anna', room: '12' },
        { name: 'Bert', room: '14' },
      ],
    });
  });

  test.each(['', '|', '|||\n|-|', ':', '# :\n', '**:**', '| a |\n'.repeat(5), '\ud800: \udfff'])(
    '%j gives nothing',
    (text) => {
      const byRules = extractByRules(text, classFields('invoice'));
      expect(byRules.evidence).toEqual([]);
    },
  );

  test.each([
    'a: 1 '.repeat(100_000),
    '| x '.repeat(100_000),
    'Total 1\n'.repeat(50_000),
    '\\'.repeat(200_000),
    'x'.repeat(10_000_000),
  ])('a long text is fast', (text) => {
    const started = process.cpuUsage();
    extractByRules(text, classFields('invoice'));
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(10_000);
  });
});

describe('quotations', () => {
  const text = 'The **Total** is\n| 1,234.50 | EUR |\nin İstanbul_2012 and 12 more.';
  const find = (quote: string, from?: number) => {
    const place = createQuoteFinder(text).find(quote, from);
    return place && text.slice(place.start, place.end);
  };

  test('are found regardless of case, white space and marks', () => {
    expect(find('the total IS 1,234.50 eur')).toBe('The **Total** is\n| 1,234.50 | EUR');
    expect(find('i̇stanbul 2012')).toBe('İstanbul_2012');
  });

  test('are whole words, and missing if they are not', () => {
    expect(find('12')).toBe('12');
    expect(createQuoteFinder(text).find('12')?.start).toBe(text.indexOf('12 more'));
    expect(find('2013')).toBeUndefined();
    expect(find('| ** |')).toBeUndefined();
    expect(find('')).toBeUndefined();
  });

  test('are searched from a position on, then from the start', () => {
    const twice = createQuoteFinder('a b a');
    expect(twice.find('a', 1)?.start).toBe(4);
    expect(twice.find('b', 4)?.start).toBe(2);
  });
});
