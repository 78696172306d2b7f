import { listProblems } from '../../model/validate';
import { listDocumentClasses } from '../../services/operator/document-classes';
import { contextFor, documentRow } from '../../test/support/operators/operator-test-support';
import { run } from './run';
import { config, entityCuration } from './schema';

const context = (change = {}) => contextFor({ documentClasses: { list: listDocumentClasses } }, change);
const invoice = {
  invoice_number: 'INV-7',
  issue_date: '5. März 2024',
  due_date: '30 days net',
  seller: { name: 'Nordlicht GmbH', tax_id: 'DE1' },
  buyer: { name: 'Blue Heron Ltd' },
  currency: 'EUR',
  subtotal: '1.042,00 €',
  tax_amount: null,
  total_amount: 1239.98,
  line_items: [
    { description: 'Bracket', quantity: '12', unit_price: '14,50', amount: '174,00 €' },
    { description: 'Delivery', quantity: 'one', amount: '(20.00)' },
  ],
};
const curated = async (entities: unknown, input = {}, row = {}) =>
  (await run([documentRow('a', 'text', { entities, document_type: 'Invoice', ...row })], input, context())).rows[0];

describe('entity_curation', () => {
  test('values are stored in the tables of the class in normalized form', async () => {
    const row = await curated(invoice);
    expect(row?.['transformed_entities']).toEqual({
      invoices: {
        invoice_number: 'INV-7',
        issue_date: '2024-03-05',
        due_date: null,
        seller_name: 'Nordlicht GmbH',
        seller_tax_id: 'DE1',
        buyer_name: 'Blue Heron Ltd',
        purchase_order_number: null,
        currency: 'EUR',
        subtotal: '1042.000000',
        tax_amount: null,
        total_amount: '1239.980000',
      },
      invoice_lines: [
        {
          invoice_number: 'INV-7',
          description: 'Bracket',
          quantity: 12,
          unit_price: '14.500000',
          amount: '174.000000',
        },
        { invoice_number: 'INV-7', description: 'Delivery', quantity: null, unit_price: null, amount: '-20.000000' },
      ],
    });
    expect(row?.['curation_problems']).toEqual(['invoices.due_date: 30 days net', 'invoice_lines.quantity: one']);
    expect(row).toMatchObject({ id: 'a', content: 'text', allowed_users: ['alice'] });
  });

  test('entities may be JSON text, a list may be one entry or none', async () => {
    const lines = async (line_items: unknown) => {
      const row = await curated(JSON.stringify({ invoice_number: 'I', line_items }));
      const tables = row?.['transformed_entities'] as { invoice_lines: unknown[] } | undefined;
      return tables?.invoice_lines.length;
    };
    expect(await lines({ description: 'one' })).toBe(1);
    expect(await lines([])).toBe(0);
    expect(await lines(null)).toBe(0);
  });

  test('an ambiguous day is read in the US order and counted, unless the order is configured', async () => {
    const rows = [documentRow('a', 'x', { entities: { issue_date: '03/05/2024' }, document_type: 'invoice' })];
    const free = await run(rows, {}, context());
    expect(free.rows[0]?.['transformed_entities']).toMatchObject({ invoices: { issue_date: '2024-03-05' } });
    expect(free.metrics).toMatchObject({ ambiguous_dates: 1 });
    expect(free.warnings).toEqual([expect.stringContaining('set date_order')]);
    const result = await run(rows, { date_order: 'dmy' }, context());
    expect(result.rows[0]?.['transformed_entities']).toMatchObject({ invoices: { issue_date: '2024-05-03' } });
    expect(result.warnings).toEqual([]);
  });

  test('tables may be configured, with every type of column', async () => {
    const path = (field: string) => ({ field: [field] });
    const columns = [
      ['text', 'string', 'n'],
      ['whole', 'int', 'n'],
      ['fraction', 'int', 'f'],
      ['real', 'float', 'f'],
      ['exact', 'decimal', 'f'],
      ['yes', 'boolean', 'y'],
      ['no', 'boolean', 'z'],
      ['kilo', 'float', 'w'],
    ].map(([name = '', type = 'string', field = '']) => ({
      name,
      type: type as 'string',
      description: name,
      source:
        name === 'kilo'
          ? {
              transform: {
                transform_name: 'weight_to_numeric' as const,
                arguments: [{ name: 'value', value: path(field) }],
              },
            }
          : path(field),
    }));
    const entities = { n: '1,234', f: '1.5', y: 'Ja', z: false, w: '500 g' };
    const row = await curated(entities, { target_tables: [{ name: 'facts', columns }] }, { document_type: null });
    expect(row?.['transformed_entities']).toEqual({
      facts: {
        text: '1,234',
        whole: 1234,
        fraction: null,
        real: 1.5,
        exact: '1.500000',
        yes: true,
        no: false,
        kilo: 0.5,
      },
    });
    expect(row?.['curation_problems']).toEqual(['facts.fraction: 1.5']);
  });

  test('rows without entities or class pass with a warning; a value that is not an object fails its document', async () => {
    const { rows, failed, warnings } = await run(
      [
        documentRow('a', 'x', { document_type: 'invoice' }),
        documentRow('b', 'x', { entities: {}, document_type: 'poem' }),
        documentRow('c', 'x', { entities: 'nonsense', document_type: 'invoice' }),
        documentRow('d', 'x', { entities: [1], document_type: 'invoice' }),
      ],
      {},
      context(),
    );
    expect(rows.map((row) => row['transformed_entities'])).toEqual([{}, {}]);
    expect(failed?.map(({ id, code }) => [id, code])).toEqual([
      ['c', 'OPERATOR_EXECUTION_FAILED'],
      ['d', 'OPERATOR_EXECUTION_FAILED'],
    ]);
    expect(warnings).toEqual([
      '1 document without entities got no tables.',
      '1 document of no known document class got no tables.',
    ]);
  });

  test('every class accepts its own examples, except dates without a day', async () => {
    const problems: unknown[] = [];
    for (const item of listDocumentClasses()) {
      const leaf = ({ examples }: { examples: string[] }) => examples[0];
      const entities = Object.fromEntries(
        item.fields.map((field) => [
          field.name,
          field.fields ? Object.fromEntries(field.fields.map((part) => [part.name, leaf(part)])) : leaf(field),
        ]),
      );
      const row = await curated(entities, {}, { document_type: item.document_type });
      problems.push(...(row?.['curation_problems'] as string[]));
    }
    expect(problems).toEqual([
      'bank_transactions.booking_date: 03 Jan',
      'case_studies.published_on: May 2023',
      'candidate_positions.start_date: 2018-04',
      'candidate_positions.end_date: 2022-12',
    ]);
  });

  test('input rows are not changed, no input rows mean no output rows, and an abort stops the operator', async () => {
    const row = documentRow('a', 'x', { entities: invoice, document_type: 'invoice' });
    const copy = structuredClone(row);
    await run([row], {}, context());
    expect(row).toEqual(copy);
    expect((await run([], {}, context())).rows).toEqual([]);
    const aborted = context({ signal: AbortSignal.abort(new Error('cancelled')) });
    await expect(run([row], {}, aborted)).rejects.toThrow('cancelled');
  });

  test('the configuration is checked', () => {
    expect(listProblems(config, { date_order: 'dmy', number_format: 'comma', document_type: 'invoice' })).toEqual([]);
    expect(listProblems(config, { date_order: 'german' })).not.toEqual([]);
    expect(entityCuration.validate({ output_column: 'content' })).toMatchObject([{ pointer: '/output_column' }]);
    expect(entityCuration.validate({ output_column: 'facts' })).toEqual([]);
  });
});
