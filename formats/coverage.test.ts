import { readFileSync } from 'node:fs';
import path from 'node:path';
import { zipSync } from 'fflate';
import { iterateTexts } from '../document/all-texts';
import { treeProblems } from '../document/validate';
import { toMarkdown } from '../document/write/markdown';
import { convertBytes } from './convert';
import { defaultLimits } from './format';
import { officeFile, relationshipsXml, rootXml, wordFile } from './ooxml/test-support';
import { openZip } from './zip/zip';

const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const many = 'one two three four five six seven';

test('content of a Word document besides its text is counted, and reported if it is text', async () => {
  const body =
    `<w:p>${run('kept')}<w:del><w:r><w:delText>${many}</w:delText></w:r></w:del></w:p>` +
    '<w:sectPr><w:headerReference w:type="default" r:id="rIdH"/></w:sectPr>';
  const bytes = wordFile(body, {
    parts: {
      'header1.xml': rootXml('w:hdr', `<w:p>${run(`Secret paper ${many}`)}</w:p>`),
      'afchunk.html': '<html><body><p>inserted words</p></body></html>',
      'embeddings/oleObject1.bin': 'x',
      // The workbook of a chart, whose data are in the document.
      'embeddings/Workbook1.xlsx': 'x',
      'charts/_rels/chart1.xml.rels': '<Relationship Target="../embeddings/Workbook1.xlsx"/>',
      'vbaProject.bin': 'x',
    },
    relationships: [
      ['rIdH', 'header', 'header1.xml'],
      ['rIdA', 'aFChunk', 'afchunk.html'],
    ],
  });
  const { coverage, warnings } = await convertBytes({ bytes, name: 'a.docx' });
  expect(coverage).toEqual([
    { kind: 'header or footer', count: 1, words: 9, in_json: true },
    { kind: 'embedded object', count: 1, words: 0, in_json: false },
    { kind: 'macro', count: 1, words: 0, in_json: false },
    { kind: 'deleted text', count: 1, words: 7, in_json: false },
    { kind: 'inserted document', count: 1, words: 2, in_json: false },
  ]);
  expect(warnings).toEqual(['Left out: 1 deleted text (7 words).']);
});

test('documents inserted into a Word document appear in place, once; unreadable ones are counted', async () => {
  const chunk = (id: string) => `<w:altChunk r:id="${id}"/>`;
  const inner = wordFile(`<w:p>${run('inner word')}</w:p>${chunk('rIdX')}`, {
    parts: { 'deeper.html': `<p>${many}</p>` },
    relationships: [['rIdX', 'aFChunk', 'deeper.html']],
  });
  const body = `<w:p>${run('before')}</w:p>${chunk('rIdA')}${chunk('rIdB')}${chunk('rIdA')}<w:p>${run('after')}</w:p>${chunk('rIdC')}`;
  const bytes = wordFile(body, {
    parts: {
      'a.html': '<h1>Inserted</h1><ul><li>item</li></ul><table><tr><td>cell</td></tr></table>',
      'b.docx': inner,
      'c.docx': 'damaged',
    },
    relationships: [
      ['rIdA', 'aFChunk', 'a.html'],
      ['rIdB', 'aFChunk', 'b.docx'],
      ['rIdC', 'aFChunk', 'c.docx'],
      ['rIdS', 'subDocument', 'file:///c:/part.docx'],
    ],
  });
  const { document, coverage } = await convertBytes({ bytes, name: 'a.docx' });
  expect(treeProblems(document)).toEqual([]);
  expect(toMarkdown(document)).toBe('before\n\n# Inserted\n\n- item\n\n| cell   |\n|--------|\n\ninner word\n\nafter');
  expect(coverage).toEqual([
    { kind: 'inserted document', count: 2, words: 7, in_json: false },
    { kind: 'linked document', count: 1, words: 0, in_json: false },
  ]);
  const reference = await convertBytes({ bytes, name: 'a.docx', profile: 'reference' });
  expect(toMarkdown(reference.document)).toBe('before\n\nafter');
});

test('hidden sheets and comments are counted as content that only the JSON contains', async () => {
  const sheet = (text: string) =>
    rootXml(
      'x:worksheet',
      `<x:sheetData><x:row><x:c t="inlineStr"><x:is><x:t>${text}</x:t></x:is></x:c></x:row></x:sheetData>`,
    );
  const bytes = officeFile('xl/workbook.xml', {
    'xl/workbook.xml': rootXml(
      'x:workbook',
      '<x:sheets><x:sheet name="A" r:id="rId1"/><x:sheet name="B" state="hidden" r:id="rId2"/></x:sheets>',
    ),
    'xl/_rels/workbook.xml.rels': relationshipsXml([
      ['rId1', 'worksheet', 'a.xml'],
      ['rId2', 'worksheet', 'b.xml'],
    ]),
    'xl/a.xml': sheet('shown'),
    'xl/b.xml': sheet(many),
  });
  const { coverage, warnings } = await convertBytes({ bytes, name: 'a.xlsx' });
  expect(coverage).toEqual([{ kind: 'hidden sheet', count: 1, words: 7, in_json: true }]);
  expect(warnings).toEqual(['Markdown, HTML and text leave out 1 hidden sheet (7 words), which the JSON has.']);
});

test('a damaged part is named, and the others are read', async () => {
  const bytes = wordFile(`<w:p>${run('kept')}</w:p>`, { parts: { 'footnotes.xml': 'n'.repeat(400) } });
  const at = Buffer.from(bytes).indexOf('word/footnotes.xml') + 'word/footnotes.xml'.length;
  bytes.fill(0xff, at, at + 4);
  const sheet = `<w:p>${run('kept')}<w:r><w:footnoteReference w:id="1"/></w:r></w:p>`;
  const { document } = await convertBytes({ bytes, name: 'a.docx' });
  expect(document.texts.map(({ text }) => text)).toEqual(['kept']);
  const asked = wordFile(sheet, { parts: { 'footnotes.xml': 'n'.repeat(400) } });
  const place = Buffer.from(asked).indexOf('word/footnotes.xml') + 'word/footnotes.xml'.length;
  asked.fill(0xff, place, place + 4);
  const converted = await convertBytes({ bytes: asked, name: 'a.docx' });
  expect(converted.warnings).toEqual(['The file is damaged. Missing or incomplete: word/footnotes.xml.']);
  expect(converted.coverage).toEqual([{ kind: 'damaged part', count: 1, words: 0, in_json: false }]);
});

const countWords = (texts: Iterable<string>) => {
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const [word] of text.matchAll(/[\p{L}\p{N}]+/gu)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
};

/** All texts of an office file from its parts, regardless of the readers; page numbers are omitted. */
function* rawTexts(bytes: Uint8Array): Generator<string> {
  const zip = openZip(bytes, defaultLimits);
  const isText =
    /^(?:word\/(?:document|header\d*|footer\d*|footnotes|comments)|ppt\/(?:slides|notesSlides)\/[^/]+|xl\/sharedStrings)\.xml$/;
  for (const name of zip.names.filter((name) => isText.test(name))) {
    const xml = Buffer.from(zip.read(name)!).toString('utf8');
    for (const paragraph of xml.split(/<\/(?:w:p|a:p|si)>/)) {
      if (name.includes('notesSlide') && paragraph.includes('type="slidenum"')) continue;
      const runs = paragraph.matchAll(/<(?:w:t|a:t|t|w:delText)(?: [^>]*)?>([^<]*)</g);
      yield [...runs]
        .map(([, text]) => text!.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&apos;', "'"))
        .join('');
    }
  }
}

const samples = path.join(__dirname, '..', 'samples', 'documents');

test.each([
  'public/company-profile.pptx',
  'finance/supply-contract.docx',
  'engineering/design-review-tg-300.docx',
  'finance/price-list-2025.xlsx',
])('no word of %s is lost unaccounted for', async (name) => {
  const bytes = new Uint8Array(readFileSync(path.join(samples, name)));
  const { document, coverage } = await convertBytes({ bytes, name });
  const found = countWords(iterateTexts(document));
  let missing = 0;
  for (const [word, count] of countWords(rawTexts(bytes))) missing += Math.max(0, count - (found.get(word) ?? 0));
  const accounted = coverage.reduce((sum, { words, in_json }) => sum + (in_json ? 0 : words), 0);
  expect(countWords(rawTexts(bytes)).size).toBeGreaterThan(20);
  expect(missing).toBeLessThanOrEqual(accounted);
});

test('attachments of a mail are counted', async () => {
  const mail =
    'From: a@b.example\r\nSubject: x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nHi\r\n' +
    '--b\r\nContent-Type: text/csv; name=a.csv\r\nContent-Disposition: attachment; filename=a.csv\r\n\r\nx;y\r\n--b--\r\n';
  const { coverage } = await convertBytes({ bytes: Buffer.from(mail), name: 'a.eml' });
  expect(coverage).toEqual([{ kind: 'attachment', count: 1, words: 0, in_json: false }]);
});

test('a container without damage reports nothing', async () => {
  const bytes = zipSync({ mimetype: new Uint8Array() });
  expect(openZip(bytes, defaultLimits).read('mimetype')).toHaveLength(0);
});
