import { templateFrom } from '../template/template';
import { extractWithRules } from './rules';

/**
 * Layouts found in public sample documents: labels above values, several on a line, heads below the first row, no
 * labels at all.
 */
const minutes = templateFrom({
  root: 'Meeting',
  classes: {
    Meeting: {
      graph_id_fields: ['title'],
      fields: {
        title: { type: 'str' },
        meeting_date: { type: 'date' },
        attendees: { type: 'str', labels: ['present'] },
        absentees: { type: 'str', labels: ['absent'] },
      },
    },
  },
});

test('several labels on a line, emphasis and a date without a label are read', () => {
  const text =
    '## Department\n\nMinutes for October 5, 2011\n\n**Present:** A. Smart, B. Brave **Absent:** B. Gone *(ill)*\n';
  expect(extractWithRules(minutes, text).instance).toEqual({
    title: 'Department',
    meeting_date: '2011-10-05',
    attendees: 'A. Smart, B. Brave',
    absentees: 'B. Gone (ill)',
  });
  expect(extractWithRules(minutes, '# Board\n\nHeld on 1 May 2025, before that on 2 April 2025.').instance).toEqual({
    title: 'Board',
  });
});

test('bold text in the cells of a table is read without its marks; other asterisks and underscores stay', () => {
  const order = templateFrom({
    root: 'Order',
    classes: {
      Order: {
        graph_id_fields: ['number'],
        fields: {
          number: { type: 'str', description: 'Order number' },
          supplier: { type: 'str' },
          size: { type: 'str' },
          file: { type: 'str' },
          mark: { type: 'str' },
          lines: { model: 'Line', is_list: true },
        },
      },
      Line: { graph_id_fields: ['article'], fields: { article: { type: 'str' }, price: { type: 'decimal' } } },
    },
  });
  const text = `| **Order number:** | **PO-9** |
|---|---|
| __Supplier__ | ***Acme Ltd*** |
| Size | 2**3**4 mm |
| **File** | a__b__c |
| Mark | \\*\\*x\\*\\* |

| **Article** | **Price** |
|---|---|
| **Widget** | **1.50** |
| Gadget | 2 |
`;
  expect(extractWithRules(order, text).instance).toEqual({
    number: 'PO-9',
    supplier: 'Acme Ltd',
    size: '2**3**4 mm',
    file: 'a__b__c',
    mark: '**x**',
    lines: [
      { article: 'Widget', price: '1.50' },
      { article: 'Gadget', price: '2' },
    ],
  });
});

const statement = templateFrom({
  root: 'Statement',
  classes: {
    Statement: {
      graph_id_fields: ['iban'],
      fields: {
        iban: { type: 'str' },
        opening_balance: { type: 'decimal', labels: ['anfangssaldo'] },
        holder: { model: 'Party', labels: ['kontoinhaber'] },
        movements: { model: 'Movement', is_list: true },
      },
    },
    Party: { graph_id_fields: ['name'], fields: { name: { type: 'str' } } },
    Movement: {
      graph_id_fields: ['text'],
      graph_scope: 'document',
      fields: { day: { type: 'date', labels: ['datum'] }, text: { type: 'str' }, amount: { type: 'decimal' } },
    },
  },
});

test('reads values below their labels and two-digit years, and does not take an opening balance for a transaction', () => {
  const table =
    '| Datum | Text | Amount (EUR) |\n|---|---|---|\n| | Anfangssaldo | -12,34 |\n| 01.12.14 | Fee | -2,50 |\n';
  const text = `**Kontoinhaber**\n\nJosef Kleber\n\n**IBAN**\n\nDE70\n\n${table}`;
  expect(extractWithRules(statement, text).instance).toEqual({
    iban: 'DE70',
    opening_balance: '-12.34',
    holder: { name: 'Josef Kleber' },
    movements: [{ day: '2014-12-01', text: 'Fee', amount: '-2.50' }],
  });
});

test('the heads of a table may be below other cells; of two labels side by side, neither is the value of the other', () => {
  const rows = ['| Holder: | Iban: |', '|---|---|', '| Marmot | DE70 |', '', '| Carrier | | |', '|---|---|---|'];
  const heads = ['| Day | Text | Amount |', '| 2 May 2025 | Ducks | 10.00 |'];
  expect(extractWithRules(statement, [...rows, ...heads].join('\n')).instance).toEqual({
    iban: 'DE70',
    holder: { name: 'Marmot' },
    movements: [{ day: '2025-05-02', text: 'Ducks', amount: '10.00' }],
  });
});

test('a CV begins with a name and has one mail address without a label; two addresses belong to nobody', () => {
  const resume = templateFrom({
    root: 'Resume',
    classes: {
      Resume: { graph_id_fields: ['full_name'], fields: { full_name: { type: 'str' }, email: { type: 'str' } } },
    },
  });
  expect(
    extractWithRules(resume, '# William Shakespeare\n\n[bill@globe.org](mailto:bill@globe.org)\n').instance,
  ).toEqual({
    full_name: 'William Shakespeare',
    email: 'bill@globe.org',
  });
  expect(extractWithRules(resume, '# Personal Information\n\na@b.org c@d.org').instance).toEqual({});
  expect(extractWithRules(resume, `# Jane Eyre\n\n${'a'.repeat(200_000)}`).instance).toEqual({
    full_name: 'Jane Eyre',
  });
});

test('a note in brackets after a label does not hide it, and one that belongs to the label stays', () => {
  const source = 'Date of birth (DD/MM/YYYY): 1985-06-15\n\nWeight (kg): 70\n\nHeight (cm): 180\n';
  const template = templateFrom({
    root: 'Patient',
    classes: {
      Patient: {
        fields: {
          date_of_birth: { type: 'date', description: 'Date of birth' },
          weight: { type: 'int', description: 'Weight (kg)' },
          size: { type: 'int', description: 'Size' },
        },
      },
    },
  });
  expect(extractWithRules(template, source).instance).toEqual({ date_of_birth: '1985-06-15', weight: 70 });
});
