import { labelled, prose, readDrawn } from '../pdf-test-support';

const page = (head: string, at: { size: number; y: number }, foot = '') =>
  readDrawn(
    (pdf) => {
      pdf.fontSize(at.size).text(head, 72, at.y, { lineBreak: false });
      pdf.fontSize(11).text(prose, 72, 110, { width: 450 }).moveDown().text(prose, { width: 450 });
      if (foot) pdf.fontSize(11).text(foot, 72, 790, { lineBreak: false });
    },
    { margin: 20 },
  );

test('a row of small type in the margin above a single page is its head; in the size of the text it is text', async () => {
  const head = 'Reports of the harbour office 2024';
  expect(labelled(await page(head, { size: 8, y: 36 }), 'page_header')).toEqual([head]);
  expect(labelled(await page(head, { size: 11, y: 36 }), 'page_header')).toEqual([]);
  expect(labelled(await page(head, { size: 8, y: 98 }), 'page_header')).toEqual([]);
});

test('the stamp of a server at the edge of a page is furniture, in whatever size', async () => {
  const stamp = 'Downloaded from the library of the harbour on 3 May';
  const document = await page('The harbour', { size: 18, y: 60 }, stamp);
  expect(labelled(document, 'page_footer')).toEqual([stamp]);
});
