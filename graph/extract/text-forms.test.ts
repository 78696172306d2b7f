import { templateFrom } from '../template/template';
import { extractWithRules } from './rules';

const declaration = templateFrom({
  root: 'Declaration',
  classes: {
    Declaration: {
      graph_id_fields: ['number'],
      fields: {
        number: { type: 'str', labels: ['declaration no'] },
        sender: { model: 'Party', labels: ['exporter'] },
        address: { type: 'str', labels: ['business address'] },
        holder: { type: 'str', labels: ['hereby confers upon', 'certify that'] },
        text: { type: 'str', labels: ['description'] },
        total: { type: 'decimal', labels: ['total value', 'total invoice value'] },
        goods: { model: 'Good', is_list: true },
        invoices: { model: 'Invoice', is_list: true, labels: ['covering invoices'] },
        people: { model: 'Person', is_list: true },
      },
    },
    Party: { graph_id_fields: ['name'], fields: { name: { type: 'str' } } },
    Person: { graph_id_fields: ['id'], fields: { id: { type: 'str', labels: ['person id'] }, name: { type: 'str' } } },
    Invoice: { graph_id_fields: ['number'], fields: { number: { type: 'str' } } },
    Good: {
      is_entity: false,
      fields: {
        item: { type: 'str' },
        code: { type: 'str', labels: ['hs code'] },
        value: { type: 'decimal', labels: ['total value'] },
      },
    },
  },
});
const read = (...lines: string[]) => extractWithRules(declaration, lines.join('\n')).instance;

test('the lines below a label are one value; of a party, the first is its name', () => {
  expect(read('Declaration no: 7', '', 'EXPORTER:', 'Fjord Kayaks AS', '4 Quay, Bergen', 'Tel: 55')).toMatchObject({
    sender: { name: 'Fjord Kayaks AS' },
  });
  expect(read('BUSINESS ADDRESS:', '1 Quay', 'Bergen', 'Phone: 55')).toEqual({ address: '1 Quay, Bergen' });
});

test('a label above labelled lines is their heading, up to the next blank line', () => {
  expect(read('EXPORTER:', 'Name: Fjord Kayaks AS', '', 'Declaration no: 7')).toEqual({
    number: '7',
    sender: { name: 'Fjord Kayaks AS' },
  });
  expect(read('EXPORTER:', 'Tel: 55', '', 'Name: Somebody')).not.toHaveProperty('sender');
});

test('blocks with the same labels are the entries of a list, and say nothing about the whole document', () => {
  const item = (at: number, value: string) => [`Item ${at}:`, `HS code: 84.${at}`, `Total value: USD ${value}`, ''];
  const goods = [
    { code: '84.1', value: '142500.00' },
    { code: '84.2', value: '33750.00' },
  ];
  const lines = [...item(1, '142,500.00'), ...item(2, '33,750.00')];
  expect(read(...lines, 'TOTAL INVOICE VALUE: USD 176,250.00')).toEqual({ total: '176250.00', goods });
  expect(read(...lines)).toEqual({ goods });
  expect(read(...item(1, '142,500.00'))).toEqual({ total: '142500.00' });
});

test('a label within a sentence has its value behind it or in the next line', () => {
  expect(read('The University hereby confers upon', '', 'JANE SMITH', '', 'a degree')).toEqual({
    holder: 'JANE SMITH',
  });
  expect(read('Certify that Ada Quill')).toEqual({ holder: 'Ada Quill' });
  expect(read('Declaration no: 7', 'We certify that', 'this text is true')).toEqual({ number: '7' });
});

test('a long value goes on in the lines below it that have no label', () => {
  const long = 'The sudden jolt threw the driver of the loader forward, against the';
  expect(read(`Description: ${long}`, 'wheel.', 'Cause: loader')).toEqual({ text: `${long} wheel.` });
  expect(read('Description: Short', 'Other text')).toEqual({ text: 'Short' });
});

test('numbers behind one label are several things, and texts are one', () => {
  expect(read('Covering invoices: INV-8821, INV-8834')).toEqual({
    invoices: [{ number: 'INV-8821' }, { number: 'INV-8834' }],
  });
  expect(read('Covering invoices: Acme, Inc.')).toEqual({ invoices: [{ number: 'Acme, Inc.' }] });
  expect(read('Declaration no 123-45-6789')).toEqual({ number: '123-45-6789' });
});

test('first and last names in two columns are one name', () => {
  const table = [
    '| Person id | First name | Last name |',
    '| --- | --- | --- |',
    '| 1 | Ada | Quill |',
    '| 2 | Ben | Reed |',
  ];
  expect(read(...table)).toEqual({
    people: [
      { id: '1', name: 'Ada Quill' },
      { id: '2', name: 'Ben Reed' },
    ],
  });
});

test('a text of a megabyte in one line, and one of 20,000 labels, are read in a few seconds', () => {
  const start = process.cpuUsage();
  read('certify that '.repeat(80_000));
  read('Description: '.repeat(80_000));
  read(...Array.from({ length: 20_000 }, (_, at) => `HS code: ${at}\nTotal value: ${at}\n`));
  expect(process.cpuUsage(start).user).toBeLessThan(10_000_000);
});
