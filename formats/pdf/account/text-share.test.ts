import { toMarkdown } from '../../../document/write/markdown';
import { convertBytes } from '../../convert';
import { computeTextShare, createCoverage } from '../../coverage';
import { draw, type Drawing, prose } from '../pdf-test-support';
import type { ReadPage } from '../text/upright';
import { addLetters, describeText } from './page-text';
import { accountForText, listShares } from './text-share';

/** Functions of pdfkit that its types omit. */
type Pdf = Drawing & {
  addContent(content: string): void;
  file(bytes: Buffer, options: object): void;
  annotate(x: number, y: number, width: number, height: number, options: object): void;
};

const convert = async (content: (pdf: Pdf) => void, profile: 'reader' | 'reference' = 'reader') =>
  convertBytes({ bytes: await draw((pdf) => content(pdf as Pdf)), name: 'report.pdf', profile });
const none = { hidden: [], outside: [], unnamed: [] };

/** A page with this text, as the comparison sees it. */
function getPage(pageNo: number, words: string): ReadPage {
  const letters = new Map<string, number>();
  addLetters(letters, words);
  return { page: { pageNo }, text: { ...describeText([], none), letters } } as unknown as ReadPage;
}

test('all letters of headings, lists, tables and paragraphs over two pages are found', async () => {
  const { shares, warnings } = await convert((pdf) => {
    pdf.fontSize(20).text('Water levels').fontSize(11).text(`\n${prose}\n\n• northern pier\n• southern pier\n\n`);
    for (let index = 0; index < 12; index += 1) pdf.text(`${prose}\n\n`);
  });
  expect(shares.length).toBeGreaterThan(1);
  for (const { letters, found } of shares) expect(found).toBe(letters);
  expect(computeTextShare(shares)).toEqual({ share: 1, incomplete: [] });
  expect(warnings).toEqual([]);
});

test('text that is in no item is counted by page, and a warning names the page', async () => {
  const { document } = await convert((pdf) => pdf.text('The first page.').addPage().text('The second page.'));
  const covered = createCoverage();
  const warnings: string[] = [];
  const pages = [getPage(1, 'The first page.'), getPage(2, `The second page. ${'lost words of a page '.repeat(3)}`)];
  accountForText(document, pages, {
    recordOmission: covered.recordOmission,
    warn: (message) => warnings.push(message),
  });
  expect(warnings).toEqual(['Text is missing: page 2 (21 % of its letters were read).']);
  expect(covered.listOmissions(document)).toEqual([{ kind: 'missing text', count: 1, words: 10, in_json: false }]);
  const shares = listShares(document, [
    { pageNo: 2, text: pages[1]!.text },
    { pageNo: 3, text: describeText([], none) },
  ]);
  expect(shares).toEqual([{ page: 2, letters: 61, found: 13 }]);
  expect(computeTextShare(shares)).toEqual({ share: 0.2131, incomplete: [{ page: 2, share: 0.2131 }] });
});

test('text beside the page and invisible text are counted and reported', async () => {
  const { coverage, warnings } = await convert((pdf) => {
    pdf.text(prose);
    pdf.text('seven words that the printer cuts off', 700, 100, { lineBreak: false });
    pdf.addContent('BT /F1 12 Tf 3 Tr 100 400 Td (nobody sees these six invisible words) Tj ET');
  });
  expect(coverage).toContainEqual({ kind: 'text outside the page', count: 1, words: 7, in_json: false });
  expect(coverage).toContainEqual({ kind: 'hidden text', count: 1, words: 6, in_json: false });
  expect(warnings).toEqual(['Left out: 1 hidden text (6 words), 1 text outside the page (7 words).']);
});

test('words without names for their characters are counted as unreadable', () => {
  const glyph = (text: string, l: number) => ({
    text,
    box: { l, r: l + 5, b: 0, t: 10 },
    baseline: 2,
    size: 10,
    font: { name: 'F', bold: false, italic: false, mono: false },
    rotation: 0,
    invisible: false,
  });
  const word = (text: string, from: number) => Array.from(text, (sign, index) => glyph(sign, from + 5 * index));
  const unnamed = [...word('\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd', 0), ...word('\ufffd', 100)];
  expect(describeText([], { ...none, unnamed }).unreadable).toBe(2);
  expect(describeText([...word('\ue001\ue002\ue003', 0), ...word('\ue010', 100)], none).unreadable).toBe(1);
});

test('comments are notes with author, time and place, and attachments are counted', async () => {
  const content = (pdf: Pdf) => {
    pdf.text(prose);
    pdf.file(Buffer.from('figures'), { name: 'figures.csv' });
    pdf.annotate(100, 100, 20, 20, {
      Subtype: 'Text',
      Contents: new String('Is this number right?'),
      T: new String('Ann Lee'),
      M: new String("D:20260104054807+01'00'"),
    });
    pdf.annotate(100, 130, 20, 20, { Subtype: 'Highlight', Contents: new String('never seen'), F: 2 });
    pdf.annotate(100, 160, 20, 20, { Subtype: 'Popup', Contents: new String('a repetition') });
  };
  const { document, coverage } = await convert(content);
  const notes = document.texts.filter(({ content_layer: layer }) => layer === 'notes');
  expect(notes.map(({ text }) => text)).toEqual([
    '[author: Ann Lee, time: 2026-01-04T04:48:07.000+00:00]: Is this number right?',
  ]);
  expect(notes[0]!.prov[0]).toMatchObject({ page_no: 1, bbox: { l: 100, r: 120 } });
  expect(toMarkdown(document)).not.toContain('Ann Lee');
  expect(coverage).toContainEqual({ kind: 'attachment', count: 1, words: 0, in_json: false });
  const reference = await convert(content, 'reference');
  expect(reference.document.texts.some(({ content_layer: layer }) => layer === 'notes')).toBe(false);
  expect(reference.coverage).toContainEqual({ kind: 'comment', count: 1, words: 4, in_json: false });
});
