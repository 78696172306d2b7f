import { toPlainNumber } from './chart';

test.each([
  ['4.4000000000000004', '4.4'],
  ['0.30000000000000004', '0.3'],
  ['2.0', '2'],
  ['1.5', '1.5'],
  ['123456.7890123', '123456.7890123'],
  ['January', 'January'],
])('the chart number %s is shown as %s', (stored, shown) => expect(toPlainNumber(stored)).toBe(shown));
