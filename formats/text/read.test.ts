import { toMarkdown } from '../../document';
import { convertBytes } from '../convert';

const convert = async (text: string) => (await convertBytes({ bytes: Buffer.from(text), name: 'a.txt' })).document;
const markdown = async (text: string) => toMarkdown(await convert(text), { compactTables: true });

describe('headings', () => {
  test('underlined headings have the level of their style, in order of occurrence', async () => {
    const text = '======\nManual\n======\n\nFirst\n=====\nText below.\n\nPart\n----\n\nSecond\n======\n\nEnd.';
    const { texts } = await convert(text);
    expect(texts.map(({ label, level, text: one }) => [label, level, one])).toEqual([
      ['section_header', 1, 'Manual'],
      ['section_header', 2, 'First'],
      ['text', undefined, 'Text below.'],
      ['section_header', 3, 'Part'],
      ['section_header', 2, 'Second'],
      ['text', undefined, 'End.'],
    ]);
  });
  test('numbered headings are consecutive and have text between them', async () => {
    const text = '1. Scope\n\nWords.\n\n1.1 Terms\n\nWords.\n\n2. Rules\n\nWords.\n\n4. Not the next\n\nWords.';
    const { texts } = await convert(text);
    expect(texts.filter(({ label }) => label === 'section_header').map((text) => [text.level, text.text])).toEqual([
      [1, '1. Scope'],
      [2, '1.1 Terms'],
      [1, '2. Rules'],
    ]);
  });
  test.each([
    ['a list with empty lines between its items', '1. Bread\n\n2. Milk\n\n3. Eggs\n\nThat is all.'],
    ['sentences with numbers', '1. This is a sentence.\n\nText.\n\n2. This is another.\n\nText.\n\n3. And this too.'],
    ['a rule that is longer than the line above', 'Name\n--------------------\nmore'],
    ['a rule alone', '-----\n\nText'],
  ])('%s are not headings', async (_, text) => {
    expect((await convert(text)).texts.filter(({ label }) => label === 'section_header')).toEqual([]);
  });
});

describe('lists', () => {
  test('bullets and numbers nest by indentation, with continuation lines, below their introductory line', async () => {
    const text = 'To do:\n- first\n  goes on\n  * inner\n  * another\n- last\n\n1) one\n2) two\n   (still)\n3) three';
    expect(await markdown(text)).toBe(
      'To do:\n\n- first goes on\n    * inner\n    * another\n- last\n\n- 1) one\n- 2) two (still)\n- 3) three',
    );
  });
  test.each([
    ['one dash', '- said nobody'],
    ['lines that do not continue with an item', '- one\ntwo\n- three'],
    ['years', '1984. A year\n1985. Another'],
    ['numbers that are not consecutive', '3. three\n7. seven'],
    ['a dialogue in dashes within prose', 'He said:\n-Yes\n-No'],
  ])('%s are not lists', async (_, text) => {
    const { texts } = await convert(text);
    expect(texts.map(({ label, text: one }) => [label, one])).toEqual([['text', text]]);
  });
});

describe('tables', () => {
  test.each([
    ['of a database', '+----+-------+\n| id | name  |\n+----+-------+\n|  1 | Ann   |\n|  2 | Ben   |\n+----+-------+'],
    ['of Markdown', 'id | name\n---|-----\n1 | Ann\n2 | Ben'],
    ['in boxes', '┌────┬──────┐\n│ id │ name │\n├────┼──────┤\n│ 1  │ Ann  │\n│ 2  │ Ben  │\n└────┴──────┘'],
    ['of reStructuredText', '==  ====\nid  name\n==  ====\n1   Ann\n2   Ben\n==  ===='],
    ['with tabs', 'id\tname\n1\tAnn\n2\tBen'],
  ])('%s', async (_, text) => {
    expect(await markdown(text)).toBe('| id | name |\n| - | - |\n| 1 | Ann |\n| 2 | Ben |');
  });
  test('a grid whose rows have several lines', async () => {
    const text =
      '+---+------+\n| a | one  |\n|   | two  |\n+===+======+\n| b | 3    |\n+---+------+\n| c | 4    |\n+---+------+';
    expect(await markdown(text)).toBe('| a | one two |\n| - | - |\n| b | 3 |\n| c | 4 |');
  });
  test('aligned columns with missing cells and right-aligned numbers', async () => {
    const text = 'Item       Price   Stock\nBread       2.50      12\nMilk        1.10\nEggs       12.00       3';
    expect(await markdown(text)).toBe(
      '| Item | Price | Stock |\n| - | - | - |\n| Bread | 2.50 | 12 |\n| Milk | 1.10 |  |\n| Eggs | 12.00 | 3 |',
    );
  });
  test.each([
    ['prose', 'It was the best of times,\nit was the worst of times,\nit was the age of wisdom.'],
    ['justified prose', 'It  was the best of times,\nit was  the worst of times,\nit  was the age of wisdom.'],
    ['a program with comments', 'a = 1;     // one\nbb = 2;    // two\nccc = 3;   // three\nd = 4;     // four'],
    ['a drawing', '╔══╗  ┌──┐  ▊\n║  ║  │  │  ▋\n╚══╝  └──┘  ▌'],
  ])('%s is not a table', async (_, text) => {
    expect((await convert(text)).tables).toEqual([]);
    expect((await convert(text)).texts.map(({ text: one }) => one)).toEqual([text]);
  });
});

describe('code', () => {
  test('an indented block with program syntax, including empty lines', async () => {
    const { texts } = await convert('Run this:\n\n    int main() {\n      go();\n\n      return 0;\n    }\n\nIt ends.');
    expect(texts.map(({ label, text }) => [label, text])).toEqual([
      ['text', 'Run this:'],
      ['code', 'int main() {\n  go();\n\n  return 0;\n}'],
      ['text', 'It ends.'],
    ]);
  });
  test('an indented quotation, and a completely indented text, are not code', async () => {
    const quoted = await convert('He wrote:\n\n    All is well that\n    ends well.\n\nSo it is.');
    const whole = await convert(
      'NAME\n\n       tool - does it;\n\n       $ tool\n\n       int tool(void);\n\nSYNOPSIS',
    );
    for (const { texts } of [quoted, whole]) expect(texts.filter(({ label }) => label === 'code')).toEqual([]);
  });
});

test('a text without any of these is unchanged', async () => {
  const text = 'Dear Ann,\n\nthe train leaves at 10:40 - do not be late!\nBring:  umbrella\n\n  Yours\n   Ben';
  expect((await convert(text)).texts.map(({ text: one }) => one).join('\n\n')).toBe(text);
});
