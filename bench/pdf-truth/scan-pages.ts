import { capital, longWord, paragraph, sentence, title } from '../support/prose';
import type { Random } from '../support/random';
import { createColumnPage, createInvoice, createReport, type MadePage, Page } from './html-pages';
import { createIdeographPage } from './ideograph-pages';
import type { ScanSettings } from './scan-image';
import type { TruthCell } from './truth';

/** Pages that are printed and drawn as an image. */
export const scannedKinds: Record<string, ScanSettings & { make: (random: Random) => MadePage }> = {
  'scanned letter': { make: createLetter, dpi: 150, from: 'scanner' },
  'scanned receipt': { make: createReceipt, dpi: 150, from: 'scanner' },
  'scanned statement': { make: createStatement, dpi: 150, from: 'scanner' },
  'coarse scan of a receipt': { make: createReceipt, dpi: 96, from: 'scanner' },
  'coarse scan of a statement': { make: createStatement, dpi: 96, from: 'scanner' },
  'coarse scan of a bill': { make: createBill, dpi: 96, from: 'scanner' },
  'coarse scan of a letter': { make: createLetter, dpi: 96, from: 'scanner' },
  'fine scan of a letter': { make: createLetter, dpi: 300, from: 'scanner' },
  'fine scan of a statement': { make: createStatement, dpi: 300, from: 'scanner' },
  'pale print of a letter': { make: createLetter, dpi: 150, from: 'pale print' },
  'pale print of a receipt': { make: createReceipt, dpi: 150, from: 'pale print' },
  'pale print of a bill': { make: createBill, dpi: 150, from: 'pale print' },
  'photo of a letter': { make: createLetter, dpi: 150, from: 'phone' },
  'photo of a receipt': { make: createReceipt, dpi: 150, from: 'phone' },
  'photo of a statement': { make: createStatement, dpi: 200, from: 'phone' },
  'turned scan of a statement': { make: createStatement, dpi: 150, from: 'scanner', isTurned: true },
  'scanned report': { make: createReport, dpi: 150, from: 'scanner' },
  'scanned columns': { make: (random) => createColumnPage(random, 2), dpi: 150, from: 'scanner' },
  'scanned invoice': { make: createInvoice, dpi: 150, from: 'scanner' },
  'scanned note': { make: createNote, dpi: 150, from: 'scanner' },
  'scanned slip': { make: createSlip, dpi: 150, from: 'scanner' },
  'scanned ticket': { make: createTicket, dpi: 150, from: 'scanner' },
  'coarse scan of a note': { make: createNote, dpi: 96, from: 'scanner' },
  'coarse scan of a slip': { make: createSlip, dpi: 96, from: 'scanner' },
  'coarse scan of a ticket': { make: createTicket, dpi: 96, from: 'scanner' },
  'pale print of a note': { make: createNote, dpi: 150, from: 'pale print' },
  'pale print of a slip': { make: createSlip, dpi: 150, from: 'pale print' },
  'photo of a note': { make: createNote, dpi: 150, from: 'phone' },
  'photo of a slip': { make: createSlip, dpi: 150, from: 'phone' },
  'scan of Chinese': { make: createChinese, dpi: 150, from: 'scanner', languages: ['zh'] },
  'scan of Japanese': { make: createJapanese, dpi: 150, from: 'scanner', languages: ['ja'] },
  'screenshot of a letter': { make: createLetter, dpi: 96, from: 'screen' },
  'screenshot of a bill': { make: createBill, dpi: 96, from: 'screen' },
  'screenshot of a statement': { make: createStatement, dpi: 96, from: 'screen' },
};

const drawAmount = (random: Random, locale = 'en-US') =>
  (random.integer(1, 999_999) / 100).toLocaleString(locale, { minimumFractionDigits: 2 });
const drawWords = (random: Random, count: number) =>
  capital(Array.from({ length: count }, () => longWord(random)).join(' '));
const createCell = (text: string): TruthCell => ({ text });

function createChinese(random: Random): MadePage {
  return createIdeographPage(random, 'chinese');
}

function createJapanese(random: Random): MadePage {
  return createIdeographPage(random, 'japanese');
}

/** Notes, slips and tickets are a quarter of a page, so that many can be read in little time. */
const small = '@page{size:A6;margin:8mm}';

function createNote(random: Random): MadePage {
  const page = new Page().heading(2, title(random).slice(0, 30));
  for (let index = 0; index < 2; index += 1)
    page.text(`${paragraph(random, 2)} ${capital(longWord(random))} ${drawAmount(random)} ${sentence(random)}`);
  return page.build('note', random, small);
}

/** Articles with quantity and price, without rulings. */
function createSlip(random: Random): MadePage {
  const rows = Array.from({ length: random.integer(4, 8) }, () => [
    createCell(drawWords(random, 1)),
    createCell(String(random.integer(1, 40))),
    createCell(drawAmount(random)),
  ]);
  rows.push([createCell('Total'), createCell(''), createCell(drawAmount(random))]);
  const page = new Page().text(drawWords(random, 2)).table(rows, 0).text(sentence(random));
  const align = 'td:nth-child(n+2){text-align:right}';
  return page.build('slip', random, `${small}table{width:100%}${align}`);
}

/** A ruled table of amounts with decimal commas. */
function createTicket(random: Random): MadePage {
  const rows = Array.from({ length: random.integer(4, 8) }, () => [
    createCell(drawWords(random, 1)),
    createCell(drawAmount(random, 'de-DE')),
    createCell(drawAmount(random, 'de-DE')),
  ]);
  const page = new Page().text(drawWords(random, 2)).table(rows, 0);
  const css = 'table{width:100%;border-collapse:collapse}td{border:1px solid #666;padding:3px}';
  return page.build('ticket', random, `${small}${css}td:nth-child(n+2){text-align:right}`);
}

function createLetter(random: Random): MadePage {
  const page = new Page().text(`${drawWords(random, 2)} Ltd`).heading(1, title(random));
  for (let index = 0; index < 4; index += 1)
    page.text(`${paragraph(random, 3)} ${capital(longWord(random))} ${drawAmount(random)} ${sentence(random)}`);
  return page.build('scanned letter', random, '');
}

/** Articles with their prices at the right edge, and the sum. */
function createReceipt(random: Random): MadePage {
  const rows = Array.from({ length: random.integer(5, 12) }, () => [
    createCell(drawWords(random, 2)),
    createCell(drawAmount(random)),
  ]);
  rows.push(
    [createCell('Total'), createCell(drawAmount(random))],
    [createCell('Cash'), createCell(drawAmount(random))],
  );
  const page = new Page().text(drawWords(random, 3)).table(rows, 0).text(sentence(random));
  return page.build('scanned receipt', random, 'body{width:90mm}table{width:100%}td:last-child{text-align:right}');
}

function createStatement(random: Random): MadePage {
  const rows = [
    ['Item', '2025', '2024', 'Change'].map(createCell),
    ...Array.from({ length: random.integer(6, 12) }, () =>
      [drawWords(random, 2), drawAmount(random), drawAmount(random), drawAmount(random)].map(createCell),
    ),
  ];
  const page = new Page().heading(1, title(random)).text(paragraph(random, 2)).table(rows).text(paragraph(random, 2));
  const css =
    'table{width:100%;border-collapse:collapse}th,td{text-align:right;padding:3px 6px;border-bottom:1px solid #888}th:first-child,td:first-child{text-align:left}';
  return page.build('scanned statement', random, css);
}

/** A table with rulings around its cells, amounts with decimal commas, and prices of one to three digits. */
function createBill(random: Random): MadePage {
  const euros = (most: number) =>
    createCell((random.integer(1, most) / 100).toLocaleString('de-DE', { minimumFractionDigits: 2 }));
  const page = new Page()
    .heading(1, `${drawWords(random, 1)} ${random.integer(1000, 9999)}`)
    .text(paragraph(random, 1));
  const rows = [
    ['Article', 'Number', 'Price', 'Amount'].map(createCell),
    ...Array.from({ length: random.integer(3, 9) }, () => [
      createCell(drawWords(random, 2)),
      createCell(String(random.integer(1, 40))),
      euros(9_999),
      euros(999_999),
    ]),
    [createCell('Sum'), createCell(''), createCell(''), euros(9_999_999)],
  ];
  const look = random.chance(0.5) ? 'border-collapse:collapse' : 'border-spacing:2px';
  const css = `table{${look};border:1px solid #666}th,td{border:1px solid #666;padding:${random.integer(2, 6)}px}`;
  return page
    .table(rows)
    .text(sentence(random))
    .build('bill', random, `${css}table td:nth-child(n+2){text-align:${random.chance(0.5) ? 'right' : 'left'}}`);
}
