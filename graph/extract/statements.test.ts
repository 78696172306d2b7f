import { templateFrom } from '../template/template';
import { findDecimal } from './fit-answer';
import { extractWithRules } from './rules';

const card = templateFrom({
  root: 'Card',
  classes: {
    Card: {
      graph_id_fields: ['number'],
      fields: {
        number: { type: 'str', labels: ['account number'] },
        closing: { type: 'date', labels: ['closing date'] },
        due: { type: 'date', labels: ['payment due date'] },
        limit: { type: 'decimal', labels: ['credit limit'] },
        purchases: { type: 'decimal' },
        fees: { type: 'decimal', labels: ['charges'] },
        entries: { model: 'Entry', is_list: true },
      },
    },
    Entry: {
      graph_id_fields: ['day', 'shop'],
      graph_scope: 'document',
      fields: {
        day: { type: 'date', labels: ['date', 'transaction date'] },
        shop: { type: 'str', labels: ['description', 'transaction'] },
        amount: { type: 'decimal', labels: ['total'] },
      },
    },
  },
});
const read = (...lines: string[]) => extractWithRules(card, lines.join('\n')).instance;

test('heads of two lines name the columns; titles and totals are no rows, and the first value of a field counts', () => {
  const total = 'TOTAL PAYMENTS FOR THIS PERIOD';
  const facts = read(
    'Account number: 4417',
    'Closing date: 08/22/2023',
    '',
    '| Transaction | Posting | | | |',
    '|---|---|---|---|---|',
    '| Date | Date | Description | Amount | Total |',
    '| PURCHASES | PURCHASES | PURCHASES | PURCHASES | PURCHASES |',
    '| 07/26 | 07/27 | Blue Bottle | -$12.75 | |',
    `| ${total} | ${total} | ${total} | | 12.75 |`,
  );
  expect(facts).toEqual({
    number: '4417',
    closing: '2023-08-22',
    entries: [{ day: '2023-07-26', shop: 'Blue Bottle', amount: '-12.75' }],
  });
});

test('a column of dates belongs to a date, whatever its head says', () => {
  const rows = ['| Transaction | Description | Amount |', '|---|---|---|', '| 03/14/2025 | Ducks | (15.00) |'];
  expect(read(...rows)).toEqual({ entries: [{ day: '2025-03-14', shop: 'Ducks', amount: '-15.00' }] });
});

test('other dates decide the order of month and day; a day without a year is the last such day of the statement', () => {
  const head = ['| Date | Description | Amount |', '|---|---|---|'];
  const usual = read('Closing date: 01/07/26', '', ...head, '| 12/25 | A | 1.00 |', '| 12/28 | B | 2.00 |');
  expect(usual['closing']).toBe('2026-01-07');
  expect(usual['entries']).toMatchObject([{ day: '2025-12-25' }, { day: '2025-12-28' }]);
  const british = read('Closing date: 01/07/26', '', ...head, '| 25/06 | A | 1.00 |', '| 28/06 | B | 2.00 |');
  expect(british['closing']).toBe('2026-07-01');
  expect(british['entries']).toMatchObject([{ day: '2026-06-25' }, { day: '2026-06-28' }]);
  expect(read('Closing date: 01/07/26', '', ...head, '| 5 Feb | A | 1.00 |')).toEqual({ entries: [{ shop: 'A', amount: '1.00' }] }); // prettier-ignore
  expect(read('Closing date: 2026-03-02', '', ...head, '| 29 Feb | A | 1.00 |')['entries']).toMatchObject([
    { day: '2024-02-29' },
  ]);
});

test('labels without a colon have a date or an amount in the line, the next paragraph, the next cell or below', () => {
  expect(read('CREDIT LIMIT $10,000.00', '', 'Payment due date', '', 'April 6, 2022')).toEqual({
    limit: '10000.00',
    due: '2022-04-06',
  });
  expect(read('| (20) | x | Credit limit | $9,000.00 |', '|---|---|---|---|')).toEqual({ limit: '9000.00' });
  expect(read('| Purchases | Charges |', '|---|---|', '| 5.00 | 1.00 |')).toEqual({ purchases: '5.00', fees: '1.00' });
});

test('labels and values in columns, and the texts of a list, do not become facts', () => {
  expect(read('PURCHASES', '', 'CHARGES', '', '420.00', '', '315.00')).toEqual({});
  expect(read('ADVANCES', '', 'CHARGES', '', '420.00', '', '315.00')).toEqual({});
  const list = read('| Date | Description | Amount |', '|---|---|---|', '| 2 May 2025 | Charges | 3.00 |');
  expect(list).toEqual({ entries: [{ day: '2025-05-02', shop: 'Charges', amount: '3.00' }] });
});

test('a table without heads is read by the kinds of its columns if each is the only one of the class', () => {
  const rows = ['| | BALANCE | 420.00 |', '|---|---|---|'];
  const entries = ['| 03 FEB | Diner | 18.50 |', '| 05 FEB | Metro | 24.00 |', '| 08 FEB | Grocer | (2.35) |'];
  const facts = read('Closing date: 12 March 2022', '', ...rows, ...entries);
  expect(facts['entries']).toEqual([
    { day: '2022-02-03', shop: 'Diner', amount: '18.50' },
    { day: '2022-02-05', shop: 'Metro', amount: '24.00' },
    { day: '2022-02-08', shop: 'Grocer', amount: '-2.35' },
  ]);
});

test('labels with accents are found by labels without, and the other way round', () => {
  const template = templateFrom({
    root: 'R',
    classes: {
      R: { fields: { due: { type: 'date', labels: ['fallig am'] }, no: { type: 'str', labels: ['facture n'] } } },
    },
  });
  const text = 'Fällig am: 01.02.2025\n\nFACTURE N° : F20\n';
  expect(extractWithRules(template, text).instance).toEqual({ due: '2025-02-01', no: 'F20' });
});

test.each([
  ['(1,234.50)', '-1234.50'],
  ['-$5.00', '-5.00'],
  ['\u2212 € 5,00', '-5.00'],
  ['$5.00', '5.00'],
  ['No. 5', '5'],
])('the amount %s is %s', (text, value) => {
  expect(findDecimal(text)).toBe(value);
});
