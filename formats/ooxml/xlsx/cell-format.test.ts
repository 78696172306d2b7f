import { createCellFormats } from './cell-format';

function show(code: string, value: number | string, starts1904 = false): string {
  const formats = createCellFormats(new Map([['200', code]]), ['200'], starts1904);
  return typeof value === 'string' ? formats.text(value, 0) : formats.number(value, 0).text;
}
const date = 41_988; // 2014-12-15

test.each<[code: string, value: number | string, text: string]>([
  ['0.0 %', 0.062, '6.2 %'],
  ['#,##0.00 [$€-407]', 1234.5, '1,234.50 €'],
  ['#,##0.00\\ "€"', -1234.5, '-1,234.50 €'],
  ['d-mmm-yy', date, '15-Dec-14'],
  ['# ?/?', 3.25, '3 1/4'],
  ['# ??/16', 0.5, '8/16'],
  ['# ?/?', 2, '2'],
  ['0', 2.5, '3'],
  ['0.00', 1.005, '1.01'],
  ['0.00', -0.001, '0.00'],
  ['000-00-0000', 123_456_789, '123-45-6789'],
  ['(###) ###-####', 5_551_234_567, '(555) 123-4567'],
  ['#,##0_);(#,##0)', -1234, '(1,234)'],
  ['#,##0.0,,"M"', 12_345_678, '12.3M'],
  ['#,##0', 1_234_567, '1,234,567'],
  ['0,000', 12, '0,012'],
  ['0.00E+00', 12_345, '1.23E+04'],
  ['##0.0E+0', 12_345, '12.3E+3'],
  ['0.00E+00', 9.999, '1.00E+01'],
  ['.00', 0.5, '.50'],
  ['#.##', 7, '7'],
  ['$#,##0.00;[Red]-$#,##0.00', -3, '-$3.00'],
  ['[>=1000]0,"k";0', 2500, '3k'],
  ['[>=1000]0,"k";0', 12, '12'],
  ['[<0]"minus "0;0', -5, 'minus 5'],
  ['_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)', 0, '$-'],
  ['"days" 0.0', 7, 'days 7.0'],
  ['General" kg"', 2.5, '2.5 kg'],
  ['"No. "@', 'seven', 'No. seven'],
  ['0;-0;;@', 0, ''],
  [';;;', 5, '5'],
  ['yyyy-mm-dd hh:mm', 46_084.604166666664, '2026-03-03 14:30'],
  ['dddd, mmmm d, yyyy', date, 'Monday, December 15, 2014'],
  ['[$-407]d. mmmm yyyy', date, '15. Dezember 2014'],
  ['[$-F800]dddd, mmmm dd, yyyy', date, '2014-12-15'],
  ['h:mm AM/PM', 0.75, '6:00 PM'],
  ['mm:ss.0', 0.000_727, '01:02.8'],
  ['[h]:mm', 1.5, '36:00'],
  ['[h]:mm:ss', -0.085_462_962_962_962_96, '-2:03:04'],
  ['s:m" @ hour "[hh]', 3.141_59, '53:23 @ hour 75'],
  ['[s]" in all, "ss" of them"', 3.141_59, '271433 in all, 271433 of them'],
  ['[mm]:ss', 0.0625, '90:00'],
  ['yyyy"年"m"月"d"日"', date, '2014年12月15日'],
  ['m/d/yyyy', 59, '2/28/1900'],
  ['m/d/yyyy', -3, '-3'],
])('%s shows %s as %s', (code, value, text) => {
  expect(show(code, value)).toBe(text);
});

test('General shows as many digits as fit into eleven characters, and all digits of whole numbers', () => {
  const numbers = [0.1 + 0.2, 1 / 3, 1e-7, 123_456_789_012, 1e20, 12, -1.5, 1_234_567.891_234];
  expect(numbers.map((value) => show('General', value))).toEqual([
    '0.3',
    '0.333333333',
    '0.0000001',
    '123456789012',
    '1E+20',
    '12',
    '-1.5',
    '1234567.891',
  ]);
});

test('the value is added if the text is less precise', () => {
  const formats = createCellFormats(new Map([['200', '0.0%']]), ['200', '15', '0', '46'], false);
  expect(formats.number(0.062, 0)).toEqual({ text: '6.2%', value: 0.062 });
  expect(formats.number(date + 0.5, 1)).toEqual({ text: '15-Dec-14', value: '2014-12-15 12:00:00' });
  expect(formats.number(7.5, 2)).toEqual({ text: '7.5' });
  expect(formats.number(1 / 3, 2)).toEqual({ text: '0.333333333', value: 1 / 3 });
  expect(formats.number(1.5, 3)).toEqual({ text: '36:00:00' });
});

test.each([['0'], ['y'], ['"x"']])(
  'a format code of a million times %s does not make the text of every cell as long',
  (piece) => {
    const formats = createCellFormats(new Map([['1', `0${piece.repeat(1_000_000)}`]]), ['1'], false);
    expect(formats.number(5, 0)).toEqual({ text: '5' });
  },
);
