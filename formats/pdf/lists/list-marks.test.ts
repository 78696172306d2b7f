import { describeFont } from '../engine/glyphs';
import { labelled, paragraphs, readDrawn } from '../pdf-test-support';
import { findListMark } from './lists';

const read = (lines: readonly string[], step = 14) =>
  readDrawn((pdf) =>
    lines.forEach((line, index) => pdf.fontSize(11).text(line, 72, 100 + step * index, { lineBreak: false })),
  );

test('a number that starts a line by chance does not start a list item', async () => {
  const document = await read([
    'In calculating the dose for wildlife the first report used a factor of',
    '2. This report used a factor of 1, as explained in the section on factors',
    'and in the notes below.',
  ]);
  expect(labelled(document, 'list_item')).toEqual([]);
  expect(paragraphs(document)).toEqual([
    'In calculating the dose for wildlife the first report used a factor of 2. This report used a factor of 1, as explained in the section on factors and in the notes below.',
  ]);
});

test('consecutive numbers start list items regardless of the text above', async () => {
  const document = await read([
    'The steps of the procedure are in the order of the table',
    '1. read the gauge',
    '2. write it down',
  ]);
  expect(labelled(document, 'list_item')).toEqual(['read the gauge', 'write it down']);
});

test('a single line with a dash or an asterisk is a note, two are items', async () => {
  const note = await read(['The table ends here, and below it stands a note.', '\u2014 Not available.'], 30);
  expect(labelled(note, 'list_item')).toEqual([]);
  expect(paragraphs(note)[1]).toBe('\u2014 Not available.');
  const list = await read(['- first', '- second'], 20);
  expect(labelled(list, 'list_item')).toEqual(['first', 'second']);
});

test('a letter that starts a single line is not a list mark, two consecutive letters are', async () => {
  const note = await read(['Levels of the piers are in metres above the datum.', '(X) Not applicable.'], 30);
  expect(labelled(note, 'list_item')).toEqual([]);
  expect(paragraphs(note)[1]).toBe('(X) Not applicable.');
  const list = await read(['(c) read the gauge', '(d) write it down'], 20);
  expect(labelled(list, 'list_item')).toEqual(['read the gauge', 'write it down']);
});

test('initials after a Roman number are names in a list, and a proxy in a signature', async () => {
  const list = await read(['i. V. Kumar, chair', 'ii. S. Patel, clerk', 'iii. A. Smith, pilot']);
  expect(labelled(list, 'list_item')).toEqual(['V. Kumar, chair', 'S. Patel, clerk', 'A. Smith, pilot']);
  expect(labelled(await read(['i. V. Hella Dornbusch', 'Leiterin Netzbetrieb']), 'list_item')).toEqual([]);
});

test('the day of a date is no number of an item, even above another day', async () => {
  const dates = ['28. November 2026', '29. November 2026', '3. März 2027'];
  const document = await read(dates, 40);
  expect(labelled(document, 'list_item')).toEqual([]);
  expect(paragraphs(document)).toEqual(dates);
  expect(labelled(await read(['28. November storms', '29. November tides'], 40), 'list_item')).toHaveLength(2);
});

test('numbers before names with e-mail addresses are those of items', async () => {
  const names = ['1. Hella Dornbusch hella@harbour.org', '2. Vera Kumar vera@harbour.org'];
  expect(labelled(await read(names), 'list_item')).toEqual(names.map((name) => name.slice(3)));
});

test('a Greek letter of a Symbol font is no bullet, another sign of it is', () => {
  const font = describeFont('SymbolMT', { flags: 0, weight: 400, angled: false });
  const box = { l: 0, r: 5, b: 0, t: 10 };
  const findMark = (...texts: string[]) =>
    findListMark({ words: texts.map((text) => ({ text, font, box, size: 10, raised: false })) });
  expect(findMark('α', 'between')).toBeUndefined();
  expect(findMark('¨', 'between')).toMatchObject({ marker: '¨' });
});
