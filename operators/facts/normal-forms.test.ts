import { findDate } from './dates';
import { normalizeCurrency, findNumber, roundHalfUp, toNumber } from './numbers';
import { weightToKilograms } from './weights';

describe('numbers', () => {
  test.each<[string, string | undefined]>([
    ['1,234.56', '1234.56'],
    ['1.234,56', '1234.56'],
    ['1 234,56', '1234.56'],
    ['1\u202f234\u00a0567,8', '1234567.8'],
    ["1'234'567.89", '1234567.89'],
    ['1’234.50', '1234.5'],
    ['12,34,567.00', '1234567'],
    ['1,234,567', '1234567'],
    ['1.234.567', '1234567'],
    ['1,234', '1234'],
    ['1.234', '1.234'],
    ['0,123', '0.123'],
    ['12,5', '12.5'],
    ['1234.5', '1234.5'],
    ['1234,567', '1234.567'],
    ['007', '7'],
    ['.5 or so', '5'],
    ['-12', '-12'],
    ['−12.50', '-12.5'],
    ['(1,234.50)', '-1234.5'],
    ['($12)', '-12'],
    ['12.50-', '-12.5'],
    ['2024-03', '2024'],
    ['٣٫١٤', '3.14'],
    ['١٬٢٣٤', '1234'],
    ['१२३', '123'],
    ['１２３．５', '123.5'],
    ['5k', '5000'],
    ['1.2 Mio. EUR', '1200000'],
    ['3,5 Mrd. €', '3500000000'],
    ['2.5B', '2500000000'],
    ['4 mil millones', '4000000000'],
    ['1.5 crore', '15000000'],
    ['3億', '300000000'],
    ['1.23456789M', '1234567.89'],
    ['5 m', '5'],
    ['no number', undefined],
    ['1,23,45', undefined],
    ['1.2.3,4,5', undefined],
    ['', undefined],
  ])('%j is %j', (text, expected) => {
    expect(findNumber(text)?.decimal).toBe(expected);
  });

  test('a format decides where digits do not', () => {
    expect(findNumber('1.234', { format: 'comma' })?.decimal).toBe('1234');
    expect(findNumber('1,234', { format: 'comma' })?.decimal).toBe('1.234');
    expect(findNumber('1,234', { format: 'point' })?.decimal).toBe('1234');
  });

  test.each([
    ['$1,234.56', '1234.560000'],
    ['1.234 €', '1234.000000'],
    ['EUR 1.234,5', '1234.500000'],
    ['CHF 1’250.00', '1250.000000'],
    ['₹ 12,34,567', '1234567.000000'],
    ['-€5', '-5.000000'],
    ['USD (5.10)', '-5.100000'],
    ['$1.5M', '1500000.000000'],
    ['99999999999999999999.99', '99999999999999999999.990000'],
    ['free', undefined],
  ])('an amount %j is %j', (text, expected) => {
    expect(normalizeCurrency(text)).toBe(expected);
  });

  test('decimals are rounded half away from zero, digit by digit', () => {
    expect([
      roundHalfUp('1.2345675', 6),
      roundHalfUp('-0.0000005', 6),
      roundHalfUp('-0.0000004', 6),
      roundHalfUp('2.5', 0),
    ]).toEqual(['1.234568', '-0.000001', '0.000000', '3']);
    expect(toNumber('12 %')).toBe(12);
  });

  test('a megabyte of digits and separators is fast', () => {
    const started = process.cpuUsage();
    for (const text of ['1,'.repeat(500_000), '1 '.repeat(500_000), '1'.repeat(1_000_000)]) findNumber(text);
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(3_000);
  });
});

describe('weights', () => {
  test.each([
    ['12 kg', 12],
    ['1.250,5 g', 1.2505],
    ['500g', 0.5],
    ['2 t', 2_000],
    ['3 tonnes', 3_000],
    ['10 lbs', 4.5359237],
    ['5 lb 3 oz', 2.35301041938],
    ['1 short ton', undefined],
    ['2 tons', 1_814.36948],
    ['3,5 кг', 3.5],
    ['2 Pfund', 1],
    ['12', 12],
    ['12 boxes', undefined],
    ['12 kg in 3 boxes', 12],
    ['heavy', undefined],
  ])('%j is %j kg', (text, expected) => {
    expect(weightToKilograms(text)).toBe(expected);
  });
});

describe('dates', () => {
  test.each<[string, string | undefined]>([
    ['2024-03-05', '2024-03-05'],
    ['2024-03-05T23:59:59Z', '2024-03-05'],
    ['2024/3/5', '2024-03-05'],
    ['20240305', '2024-03-05'],
    ['05.03.2024', '2024-03-05'],
    ['5.3.24', '2024-03-05'],
    ['5. 3. 2024', '2024-03-05'],
    ['03/05/2024', '2024-03-05'],
    ['25/03/2024', '2024-03-25'],
    ['25-03-2024', '2024-03-25'],
    ['3/25/99', '1999-03-25'],
    ['March 5, 2024', '2024-03-05'],
    ['Tuesday, Mar. 5th, 2024', '2024-03-05'],
    ['5 March 2024', '2024-03-05'],
    ['the 5th of March 2024', '2024-03-05'],
    ['05-Mar-2024', '2024-03-05'],
    ['5. März 2024', '2024-03-05'],
    ['1er août 2024', '2024-08-01'],
    ['5 de marzo de 2024', '2024-03-05'],
    ['5 marca 2024', '2024-03-05'],
    ['5 марта 2024 г.', '2024-03-05'],
    ['2024. március 5.', '2024-03-05'],
    ['12 Sept 2023', '2023-09-12'],
    ['2024年3月5日', '2024-03-05'],
    ['2024년 3월 5일', '2024-03-05'],
    ['Invoice date: 2024-02-29 (leap)', '2024-02-29'],
    ['2023-02-29', undefined],
    ['31/04/2024', undefined],
    ['30 days net', undefined],
    ['March 2024', undefined],
    ['13/13/2024', undefined],
    ['1.2.3.4', undefined],
    ['', undefined],
  ])('%j is %j', (text, expected) => {
    expect(findDate(text)?.day).toBe(expected);
  });

  test('an order is used where numbers are ambiguous; the default US order is reported as ambiguous', () => {
    expect(findDate('03/05/2024')).toEqual({ day: '2024-03-05', isAmbiguous: true });
    expect(findDate('03/05/2024', 'dmy')).toEqual({ day: '2024-05-03', isAmbiguous: false });
    expect(findDate('05/05/2024')).toEqual({ day: '2024-05-05', isAmbiguous: false });
    expect(findDate('03.05.2024')).toEqual({ day: '2024-05-03', isAmbiguous: false });
    expect(findDate('24/03/05', 'ymd')?.day).toBe('2024-03-05');
  });
});
