import { toFieldName } from './template-names';

test.each([
  ['Order Date', 'order_date'],
  ['1 week', 'week_1'],
  ['2nd row', 'row_2nd'],
  ['30 days net', 'days_30_net'],
  ['week 1', 'week_1'],
  // Without a word, a prefix makes it a name.
  ['2024', 'n_2024'],
])('the field of the label %s is %s', (label, name) => {
  expect(toFieldName(label)).toBe(name);
});
