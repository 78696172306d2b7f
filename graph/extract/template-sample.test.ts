import { templateToFile } from '../template/file';
import { isLabel, toPlural, toSingular, splitWords } from './template-names';
import { templateFromSamples } from './template-sample';
import { detectFieldType } from './template-types';

const draft = (markdown: string, name = 'sample') => templateToFile(templateFromSamples([{ name, markdown }]));
const table = (...rows: string[]) => [rows[0], rows[0]?.replace(/[^|]+/g, '---'), ...rows.slice(1)].join('\n');

describe('the kind of documents', () => {
  test.each([
    ['57272_scan', '# PURCHASE ORDER No. 4500012345\n\nBuyer: Acme', 'PurchaseOrder'],
    ['56611_fails', 'From: a@b.example\n\nTo: c@d.example\n\nDate: 2024-01-31', 'Message'],
    ['www.some.example_data_assets_word_doc_0003', '# Travel request\n\nCity: Leith', 'TravelRequest'],
    ['0003', '# A successful year overall\n\nCity: Leith', 'Document'],
    ['INVOICE_2024', 'City: Leith', 'Invoice'],
  ])('of %s is derived from its title, or else from its name', (name, markdown, root) => {
    expect(draft(markdown, name).root).toBe(root);
  });
});

describe('labelled values', () => {
  test.each([
    ['Vendor No.', true],
    ['Date of birth (dd/mm/yyyy)', true],
    ['14. Equipment Data', true],
    ['How to send back what you bought from us', false],
    ['This is a table', false],
    ['Hepatology 2001;33', false],
    ['0887 621 994 E-mail', false],
    ['1-Feb-11', false],
    ['Note', false],
    ['https', false],
  ])('%j as a label: %p', (label, is) => {
    expect(isLabel(label)).toBe(is);
  });

  test('labels and heads in bold have no marks, and name the columns of a table like others', () => {
    const { classes } = draft(
      `${table('| **Order number:** | **PO-9** |', '| **Supplier** | Acme |')}\n\n${table('| **Article** | **Price** |', '| **Widget** | **1.50** |', '| Gadget | 2 |')}`,
      'order',
    );
    expect(classes['Order']?.fields['supplier']?.description).toBe('Supplier');
    expect(classes['Article']?.fields).toMatchObject({ article: { type: 'str' }, price: { type: 'decimal' } });
    const { Order } = draft(table('| Photo | | |', '| | | #######   - **size: 40 mm** |'), 'order').classes;
    expect(Object.keys(Order?.fields ?? {})).toEqual(['size']);
  });

  test('fields are named without numbering and brackets, and letters of other scripts stay whole', () => {
    const { classes } = draft('14. Equipment data (new): yes\n\nBirthPlace: x\n\nДата крайняя: z\n\nNOx: 3', 'memo');
    expect(Object.keys(classes['Memo']?.fields ?? {})).toEqual([
      'equipment_data',
      'birth_place',
      'дата_крайняя',
      'nox',
    ]);
    expect(splitWords('ソースコードレビュー é')).toEqual(['ソースコードレビュー', 'e']);
  });

  test('two labels with the same words in another order are two fields, with the same names in every sample', () => {
    const samples = ['1 week: 3\n\nweek 1: 4', 'week 1: 5\n\n1 week: 6\n\n2 weeks: 7', '1 week: 8\n\n2 weeks: 9'];
    const { classes } = templateToFile(templateFromSamples(samples.map((markdown) => ({ name: 'memo', markdown }))));
    const fields = Object.entries(classes['Memo']?.fields ?? {}).map(([name, { description }]) => [name, description]);
    expect(Object.fromEntries(fields)).toEqual({ n_1_week: '1 week', week_1: 'week 1', weeks_2: '2 weeks' });
  });

  test('so are the columns of a table', () => {
    const { classes } = draft(
      `# Rates\n\n${table('| Bank | 1 week | week 1 |', '| Nord | 3.5 | 4.5 |', '| Ost | 2.5 | 1.5 |')}`,
    );
    expect(Object.keys(classes['Bank']?.fields ?? {})).toEqual(['bank', 'n_1_week', 'week_1']);
  });

  test.each([
    ['total', ['3', '4.50'], 'decimal'],
    ['quantity', ['3', '', '40'], 'int'],
    ['paid', ['Yes', 'no'], 'bool'],
    ['terms', ['Net 30'], 'str'],
    ['phone', ['5551234'], 'str'],
    ['item_code', ['17'], 'str'],
    ['due', ['31 January 2024', '2024-02-01'], 'date'],
    ['started', ['2024-02-01 10:30'], 'datetime'],
    ['mixed', ['3', 'three'], 'str'],
  ])('%s with %j is %s', (name, values, type) => {
    expect(detectFieldType(name, values)).toBe(type);
  });

  test('a section whose title cannot name a class adds its values to the document', () => {
    const { classes } = draft(
      '# Order\n\n## Ayios Spyridonas 3051 Limassol\n\nTel: 1\n\nFax: 2\n\n## Buyer\n\nName: a\n\nCity: b',
    );
    expect(Object.keys(classes)).toEqual(['Sample', 'Buyer']);
    expect(Object.keys(classes['Sample']?.fields ?? {})).toEqual(['tel', 'fax', 'buyer']);
  });

  test('rows of data in two columns are not properties', () => {
    const rows = Array.from({ length: 12 }, (_, index) => `| County ${'abcdefghijkl'[index]} | ${index} |`);
    expect(Object.keys(draft(`Year: 2024\n\n${table(...rows)}`).classes['Sample']?.fields ?? {})).toEqual(['year']);
  });
});

describe('tables', () => {
  const listed = (heading: string, ...rows: string[]) => {
    const { classes } = draft(`# Report\n\n${heading}\n\n${table(...rows)}`);
    return Object.entries(classes)[1] ?? [];
  };

  test.each([
    ['', '| Recorder ID | Hour |', 'Recorder'],
    ['', '| Date | Amount |', 'Entry'],
    ['', '| Category | Question | Score |', 'Question'],
    ['## Line items', '| Code | Price |', 'LineItem'],
    ['## Opening of 2024', '| Species | Price |', 'Species'],
  ])('under %j with the header %s give a class %s', (heading, head, name) => {
    const row = head.replace(/[A-Z][^|]+/g, '1 ');
    const other = head.replace(/[A-Z][^|]+/g, '2 ');
    expect(listed(heading, head, row, other)[0]).toBe(name);
  });

  test('only a column whose values differ identifies rows', () => {
    const [, one] = listed('', '| Item | Code | Price |', '| Rope | A | 3 |', '| Rope | B | 4 |');
    expect(one?.graph_id_fields).toEqual(['code']);
    const [, other] = listed('', '| Item | Price |', '| Rope | 3 |', '| Rope | 4 |');
    expect(other?.graph_id_fields).toBeUndefined();
  });
});

test.each([
  ['status', 'statuses'],
  ['category', 'categories'],
  ['box', 'boxes'],
  ['item', 'items'],
  ['day', 'days'],
  ['река', 'река'],
])('the plural of %s is %s', (value, many) => {
  expect(toPlural(value)).toBe(many);
});

test.each([
  ['species', 'species'],
  ['categories', 'category'],
  ['status', 'status'],
  ['boxes', 'box'],
  ['expenses', 'expense'],
  ['this', 'this'],
])('the singular of %s is %s', (many, value) => {
  expect(toSingular(many)).toBe(value);
});

test('heads of two lines become one, and one row of amounts below its heads belongs to the document', () => {
  const rows = ['| Transaction | Posting | | |', '|---|---|---|---|', '| Date | Date | Reference | Amount |'];
  const entries = ['| 07/26 | 07/27 | 1042 | 12.75 |', '| 07/29 | 07/30 | 2271 | 84.30 |'];
  const totals = ['| TOTAL HT | TOTAL TVA | TOTAL TTC |', '|---|---|---|', '| 100,00 | 4,90 | 104,90 |'];
  const text = ['# Account Statement', '', 'Facture n: F20', '', 'ID: 123', '', ...rows, ...entries, '', ...totals];
  const { root, classes } = templateToFile(templateFromSamples([{ name: 'x.pdf', markdown: text.join('\n') }]));
  expect(root).toBe('AccountStatement');
  expect(classes['AccountStatement']?.graph_id_fields).toEqual(['facture_n']);
  expect(Object.keys(classes['AccountStatement']?.fields ?? {})).toEqual([
    'facture_n',
    'id',
    'references',
    'total_ht',
    'total_tva',
    'total_ttc',
  ]);
  expect(Object.keys(classes['Reference']?.fields ?? {})).toEqual([
    'transaction_date',
    'posting_date',
    'reference',
    'amount',
  ]);
});

test.each([
  ['Retainer Agreement', 'RetainerAgreement'],
  ['ANNUAL REPORT 2024', 'AnnualReport'],
  ['A report about the weather of the north', 'Scan'],
])('the title %s makes the class %s', (title, root) => {
  const markdown = `# ${title}\n\nDate: 2025-01-02\n`;
  expect(templateFromSamples([{ name: 'scan', markdown }]).root).toBe(root);
});
