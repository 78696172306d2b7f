import type { OcrPage } from '../../../model/page/ocr';
import { writeFontPage } from '../../../test/support/documents/raw-pdf-page';
import { convertBytes } from '../../convert';
import { defaultLimits } from '../../format';
import { cleanGlyphs } from '../engine/characters';
import type { Font, Glyph, RawPage } from '../geometry/page';
import { paragraphs } from '../pdf-test-support';
import { read } from '../read';
import { fillSigns, findUnknownSigns } from './recognized-signs';

const font: Font = { name: 'Harbour', bold: false, italic: false, mono: false };
const own: Font = { ...font, name: 'MSTT31c4fe00' };

/** Signs of 6 points each; `~` stands for an unnamed one. */
function getPage(text: string, unnamedFont = own): RawPage {
  const glyphs = Array.from(text, (sign, index): Glyph => {
    const box = { l: 20 + index * 6, r: 26 + index * 6, b: 98, t: 108 };
    const glyph = { text: sign, box, baseline: 100, size: 10, font, rotation: 0, invisible: false };
    return sign === '~' ? { ...glyph, text: '\u0001', font: unnamedFont, isUnnamed: true } : glyph;
  });
  return { pageNo: 1, width: 2000, height: 800, glyphs, rules: [], fills: [], drawings: [], images: [], links: [] };
}

const clean = (text: string, unnamedFont?: Font) =>
  cleanGlyphs(getPage(text, unnamedFont))
    .map((glyph) => glyph.text)
    .join('');

test.each([
  ['20 ~g/kg of mercury', '20 \ufffdg/kg of mercury'],
  ['intelligence ~IA~ pour', 'intelligence \ufffdIA\ufffd pour'],
  ['5 ~ 3 and o~ice', '5 \ufffd 3 and o\ufffdice'],
  ['~5 or ~ 5', '\ufffd5 or \ufffd 5'],
])('a sign without name in text is U+FFFD: %s', (text, expected) => {
  expect(clean(text)).toBe(expected);
});

test('bullets, icons, big brackets and accents without name are left out', () => {
  expect(clean('~   The pier')).toBe('   The pier');
  expect(clean('The pier   ~')).toBe('The pier   ');
  expect(clean('~~~~')).toBe('');
  expect(clean('a~b', { ...own, name: 'Wingdings-Regular' })).toBe('ab');
  expect(clean('a~b', { ...own, name: 'CMEX10' })).toBe('ab');
  const { glyphs, ...rest } = getPage('cafe~s');
  glyphs[4]!.box = glyphs[3]!.box;
  expect(cleanGlyphs({ ...rest, glyphs }).map(({ text }) => text)).toEqual(['c', 'a', 'f', 'e', 's']);
});

const line = 'A dose of 20 \u00b5g/kg is safe (so they say).';
const raw = writeFontPage([
  {
    entries: '/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding',
    toUnicode: new Map([0xb5, 0x28, 0x29].map((code) => [code, '\ufffd'])),
    lines: [line],
  },
]);
const unknown = 'A dose of 20 \ufffdg/kg is safe \ufffdso they say\ufffd.';

test('words with such a sign are in the text, and are counted and warned of', async () => {
  const { document, coverage, warnings } = await convertBytes({ bytes: raw, name: 'dose.pdf' });
  expect(paragraphs(document)).toEqual([unknown]);
  expect(coverage).toContainEqual({ kind: 'unreadable text', count: 1, words: 3, in_json: false });
  expect(warnings).toEqual(['3 words have characters that the file does not name, shown as \ufffd: page 1.']);
});

/** The image of a page of one line as recognised: words of these texts over the first place of each in the line. */
const recognize = (page: Pick<RawPage, 'glyphs' | 'height'>, words: [printed: string, text: string][]): OcrPage => {
  const text = page.glyphs.map((glyph) => (glyph.isUnnamed ? '~' : glyph.text)).join('');
  return {
    words: words.map(([printed, read]) => {
      const signs = page.glyphs.slice(text.indexOf(printed), text.indexOf(printed) + printed.length);
      const [x0, x1] = [signs[0]!.box.l, signs.at(-1)!.box.r];
      const box = { x0, x1, y0: page.height - signs[0]!.box.t, y1: page.height - signs[0]!.box.b };
      return { text: read, box, baseline: 0, line: 1, height: 10, confidence: 0.9 };
    }),
    turned: 0,
    width: 2000,
    height: 800,
  };
};

test.each([
  ['~IA~', '(IA)', '(IA)'],
  ['o~ice', 'office', 'office'],
  ['caf~s', 'caf\u00e9s', 'caf\u00e9s'],
  ['~g/kg', 'ug/kg', '\ufffdg/kg'],
  ['~mol/L', 'pmol/L', '\ufffdmol/L'],
  ['~5', '<5', '\ufffd5'],
  ['5~3', '5-3', '5\ufffd3'],
  ['~IA~', '(TA)', '\ufffdIA\ufffd'],
])(
  'recognition names signs of a word only where it cannot give another amount: %s read as %s',
  (printed, read, expected) => {
    const page = getPage(printed);
    const filled = fillSigns(page, findUnknownSigns(page), recognize(page, [[printed, read]]), 1);
    expect(
      cleanGlyphs(filled)
        .map(({ text }) => text)
        .join(''),
    ).toBe(expected);
  },
);

test('a page with such a sign is recognised, and a page without is not', async () => {
  let count = 0;
  const ocr = {
    mode: 'auto' as const,
    recognize: async (): Promise<OcrPage> => {
      count += 1;
      return { words: [], turned: 0, isUnreadable: true, width: 100, height: 100 };
    },
  };
  const options = { name: 'dose.pdf', limits: defaultLimits, ocr };
  expect(paragraphs(await read(raw, options))).toEqual([unknown]);
  expect(count).toBe(1);
  await read(writeFontPage([{ entries: '/Subtype/Type1/BaseFont/Helvetica', lines: ['A dose of 20 mg.'] }]), options);
  expect(count).toBe(1);
});
