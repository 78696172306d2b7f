import { findLoosePairs, splitKnownLabels } from './loose-pairs';

test('a bold line, a heading and a label with a colon have the text below as their value', () => {
  const text = '**Kontoinhaber**\n\nJosef Kleber\n\n## Objective\nTo do\nthings.\n\nSkills:\n\n- Pumps\n- Valves\n';
  expect(findLoosePairs(text, [])).toEqual([
    { title: 'Kontoinhaber', value: 'Josef Kleber' },
    { title: 'Objective', value: 'To do things.' },
    { title: 'Skills', value: 'Pumps; Valves' },
  ]);
});

test('labels above labels, tables, images and the end have no value', () => {
  for (const below of ['**BIC**\n\nX', '| a | b |\n|---|---|', '<!-- image -->', ''])
    expect(findLoosePairs(`**IBAN**\n\n${below}`, []).filter(({ title }) => title === 'IBAN')).toEqual([]);
});

test('column heads that all end with a colon name the cells below, and a row of two cells is a pair', () => {
  const addresses = [
    ['From:', 'To:'],
    ['The Marmot Company', 'Paulo Cereda'],
    ['Some Avenue', 'Rua Bonita'],
  ];
  expect(findLoosePairs('', [addresses])).toEqual([
    { title: 'From:', value: 'The Marmot Company' },
    { title: 'To:', value: 'Paulo Cereda' },
  ]);
  const movements = [
    ['Date', 'Details', 'Amount'],
    ['', 'Opening balance', '-12.34'],
    ['1 May', 'Fee', '-2.50'],
  ];
  expect(findLoosePairs('', [movements])).toEqual([{ title: 'Opening balance', value: '-12.34' }]);
});

test('a line is cut in front of each known label', () => {
  const isKnown = (title: string) => ['Present', 'Absent', 'Your ref'].includes(title);
  expect(splitKnownLabels('Present: B. Smart, D. Claire Absent: B. Gone', isKnown)).toEqual([
    { title: 'Present', value: 'B. Smart, D. Claire' },
    { title: 'Absent', value: 'B. Gone' },
  ]);
  expect(splitKnownLabels('Present: see note: the second', isKnown)).toBeUndefined();
  const long = `${'word: '.repeat(20_000)}Present: A Absent: B`;
  expect(splitKnownLabels(long, isKnown)?.map(({ title }) => title)).toEqual(['Present', 'Absent']);
});

test('a text of ten megabytes in one line is read in one pass', () => {
  expect(findLoosePairs('Ten letters'.repeat(1_000_000), [])).toEqual([]);
});
