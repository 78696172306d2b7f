import { collectPlainNames, toFieldName } from './template-names';

test.each([
  ['Order Date', 'order_date'],
  ['1 week', 'week_1'],
  ['2nd row', 'row_2nd'],
  ['30 days net', 'days_30_net'],
  ['week 1', 'week_1'],
  ['Invoice #', 'invoice_no'],
  ['PO#', 'po_no'],
  ['№ договора', 'no_договора'],
  // Without a word, a prefix makes it a name.
  ['2024', 'n_2024'],
])('the field of the label %s is %s', (label, name) => {
  expect(toFieldName(label)).toBe(name);
});

test('a label with a leading number keeps its order where its name is that of another label', () => {
  const plainNames = collectPlainNames(['1 week', 'week 1', '2 weeks']);
  expect(['1 week', 'week 1', '2 weeks'].map((label) => toFieldName(label, plainNames))).toEqual([
    'n_1_week',
    'week_1',
    'weeks_2',
  ]);
});
