import { treeProblems } from '../../../document/validate';
import { toHtml } from '../../../document/write/html';
import { toMarkdown } from '../../../document/write/markdown';
import type { Profile } from '../../format';
import { type Drawing as Page, readDrawn } from '../pdf-test-support';

/** The functions of pdfkit that its types omit. */
type Drawing = Page & {
  annotate(x: number, y: number, width: number, height: number, options: object): void;
  ref(data: object): { end(): void };
};

const plain = 'The gauge at the northern pier is read every morning before the tide turns.';
const read = (content: (pdf: Drawing) => void, profile: Profile = 'reader') =>
  readDrawn(
    (pdf) => {
      pdf.font('Times-Roman').fontSize(11).text(plain, 72, 500, { lineBreak: false });
      content(pdf as Drawing);
    },
    {},
    profile,
  );
/** Draws pieces of a line side by side, each in its own font. */
function pieces(pdf: Drawing, y: number, ...parts: [font: string, text: string][]): void {
  let x = 72;
  for (const [font, text] of parts) {
    pdf.font(font).fontSize(11).text(text, x, y, { lineBreak: false });
    x += pdf.widthOfString(`${text} `);
  }
}

test('bold and italic words of a paragraph are marked, within one line and across two', async () => {
  const document = await read((pdf) => {
    pieces(
      pdf,
      100,
      ['Times-Roman', 'Each reading is'],
      ['Times-Bold', 'compared with the table of the'],
      ['Times-Roman', ''],
    );
    pieces(
      pdf,
      114,
      ['Times-Bold', 'tides'],
      ['Times-Roman', 'as in the'],
      ['Times-Italic', 'Harbour Rules'],
      ['Times-Roman', 'since long.'],
    );
  });
  expect(toMarkdown(document)).toContain(
    'Each reading is **compared with the table of the tides** as in the *Harbour Rules* since long.',
  );
  expect(toHtml(document)).toContain('<strong>compared with the table of the tides</strong>');
  expect(treeProblems(document)).toEqual([]);
});

/** Draws parts of a line without space between them, each in its own font. */
function adjacent(pdf: Drawing, y: number, ...parts: [font: string, text: string][]): void {
  let x = 72;
  for (const [font, text] of parts) {
    pdf.font(font).fontSize(11).text(text, x, y, { lineBreak: false });
    x += pdf.widthOfString(text);
  }
}

test('brackets, commas and prefixes in plain type are not marked with the styled word beside them', async () => {
  const document = await read((pdf) => {
    const [roman, italic, bold] = ['Times-Roman', 'Times-Italic', 'Times-Bold'] as const;
    adjacent(
      pdf,
      100,
      [roman, 'It is kept in one number ('],
      [italic, '23'],
      [roman, ') as before'],
      [bold, ' now'],
      [roman, ', and'],
    );
    adjacent(
      pdf,
      114,
      [roman, 'so is the non-'],
      [italic, 'Harbour'],
      [roman, ' rule if '],
      [italic, 'n'],
      [roman, ' = 30.'],
    );
  });
  expect(toMarkdown(document)).toContain(
    'It is kept in one number (*23*) as before **now**, and so is the non-*Harbour* rule if *n* = 30.',
  );
  expect(toHtml(document)).toContain('number (<em>23</em>) as before');
  expect(treeProblems(document)).toEqual([]);
});

test('a word with letters in two weights is not split', async () => {
  const document = await read((pdf) =>
    adjacent(pdf, 100, ['Times-Roman', 'The sign is '], ['Times-Bold', 'Nor'], ['Times-Roman', 'thern on the map.']),
  );
  expect(toMarkdown(document)).toContain('The sign is Northern on the map.');
});

test('a full stop beside a link is not a part of it', async () => {
  const document = await read((pdf) => {
    pdf.font('Times-Roman').fontSize(11).text('See the page of the harbour', 72, 100, { lineBreak: false });
    const start = 72 + pdf.widthOfString('See the page of the ');
    pdf.link(start, 98, pdf.widthOfString('harbour'), 14, 'https://example.org/harbour');
    pdf.text('. It is read daily.', 72 + pdf.widthOfString('See the page of the harbour'), 100, { lineBreak: false });
  });
  expect(toMarkdown(document)).toContain(
    'See the page of the [harbour](https://example.org/harbour). It is read daily.',
  );
});

test('the reference does not carry styles over', async () => {
  const draw = (pdf: Drawing) =>
    pieces(pdf, 100, ['Times-Roman', 'It is'], ['Times-Bold', 'not'], ['Times-Roman', 'so in the rules.']);
  expect(toMarkdown(await read(draw))).toContain('It is **not** so in the rules.');
  expect(toMarkdown(await read(draw, 'reference'))).toContain('It is not so in the rules.');
});

test('a raised number is superscript in HTML, and a ruling through or below words marks them', async () => {
  const document = await read((pdf) => {
    pieces(pdf, 100, ['Times-Roman', 'It was reported to the engineer'], ['Times-Roman', 'and struck']);
    const end = 72 + pdf.widthOfString('It was reported to the engineer');
    pdf.fontSize(7).text('3', end, 98, { lineBreak: false });
    pdf.fontSize(11);
    const struck = 72 + pdf.widthOfString('It was reported to the engineer and ');
    pdf
      .moveTo(struck, 104.7)
      .lineTo(struck + pdf.widthOfString('struck'), 104.7)
      .lineWidth(0.5)
      .stroke();
    pdf.text('The second paragraph has an underlined word.', 72, 140, { lineBreak: false });
    const under = 72 + pdf.widthOfString('The second paragraph has an ');
    pdf
      .moveTo(under, 149.5)
      .lineTo(under + pdf.widthOfString('underlined'), 149.5)
      .lineWidth(0.5)
      .stroke();
  });
  const html = toHtml(document);
  expect(html).toContain('<sup>3</sup>');
  expect(html).toContain('<del>struck</del>');
  expect(html).toContain('<u>underlined</u>');
});

test('a link on some of the words is one link, even if only partly underlined', async () => {
  const document = await read((pdf) => {
    pieces(
      pdf,
      100,
      ['Times-Roman', 'The rules are kept'],
      ['Times-Roman', 'in the archive'],
      ['Times-Roman', 'of the harbour.'],
    );
    const from = 72 + pdf.widthOfString('The rules are kept ');
    pdf.link(from, 98, pdf.widthOfString('in the archive'), 14, 'https://harbour.example/rules');
    pdf
      .moveTo(from, 109.5)
      .lineTo(from + pdf.widthOfString('in the'), 109.5)
      .lineWidth(0.5)
      .stroke();
  });
  expect(toMarkdown(document)).toContain(
    'The rules are kept [in the archive](https://harbour.example/rules) of the harbour.',
  );
});

test('list items and notes are styled; headings and an all-bold document are not', async () => {
  const document = await read((pdf) => {
    pieces(pdf, 100, ['Times-Roman', '-'], ['Times-Bold', 'Gauge'], ['Times-Roman', 'is read daily']);
    pieces(pdf, 116, ['Times-Roman', '-'], ['Times-Roman', 'Table is checked']);
    pdf.font('Times-Bold').fontSize(16).text('Rules of the harbour', 72, 60, { lineBreak: false });
  });
  const markdown = toMarkdown(document);
  expect(markdown).toContain('- **Gauge** is read daily\n- Table is checked');
  expect(markdown).toMatch(/^#+ Rules of the harbour$/m);
  const bold = await readDrawn((pdf) => {
    pdf.font('Times-Bold').fontSize(11).text(plain, 72, 100, { width: 400 });
  });
  expect(toMarkdown(bold)).toBe(plain);
});

test('a paragraph that continues in the next column keeps its styles', async () => {
  const line = (pdf: Page, x: number, y: number, text: string) => pdf.text(text, x, y, { lineBreak: false });
  const document = await readDrawn((pdf) => {
    pdf.font('Times-Roman').fontSize(11);
    for (let row = 0; row < 30; row += 1) {
      line(
        pdf,
        72,
        100 + 14 * row,
        row === 29 ? 'and the last of them went on to' : 'the tide was read and written down',
      );
      if (row > 0) line(pdf, 320, 100 + 14 * row, 'the gauge was seen and left alone');
    }
    pieces2(pdf);
  });
  expect(toMarkdown(document)).toContain('the last of them went on to **say that it** was so');
  expect(treeProblems(document)).toEqual([]);
});

function pieces2(pdf: Page): void {
  pdf.font('Times-Bold').text('say that it', 320, 100, { lineBreak: false });
  const end = 320 + pdf.widthOfString('say that it ');
  pdf.font('Times-Roman').text('was so', end, 100, { lineBreak: false });
}

test('a raised number keeps to its word, and the comma after it is not raised', async () => {
  const document = await read((pdf) => {
    const draw = (text: string, x: number, y: number, size: number) => {
      pdf.font('Times-Roman').fontSize(size).text(text, x, y, { lineBreak: false });
      return x + pdf.widthOfString(text);
    };
    const end = draw('The rates of deposition in the harbour', 72, 100, 11);
    const after = draw(', as was said before, are high.', draw('12', end, 99, 7), 100, 11);
    expect(after).toBeLessThan(500);
  });
  document.origin = { mimetype: 'application/pdf', filename: 'report.pdf', binary_hash: 1n };
  expect(toMarkdown(document)).toContain('in the harbour<sup>12</sup>, as was said before, are high.');
  expect(toMarkdown(document, { plain: true })).toContain('in the harbour 12, as was said');
  expect(toHtml(document)).toMatch(/in the harbour(?:<[^>]*>)*<sup>12<.sup>(?:<[^>]*>)*, as was said/);
});

/** Draws parts of a word in its line: the rise is the height above the baseline. */
function risen(pdf: Drawing, y: number, ...parts: [text: string, rise: number][]): void {
  let x = 72;
  for (const [text, rise] of parts) {
    pdf
      .font('Times-Roman')
      .fontSize(rise === 0 ? 11 : 7)
      .text(text, x, y - rise + (rise === 0 ? 0 : 2.8), { lineBreak: false });
    x += pdf.widthOfString(text);
  }
}

test('letters and signs that are raised or lowered within a word are marked, and plain text does not part them', async () => {
  const document = await read((pdf) => {
    risen(pdf, 100, ['The pier of Mr. Gal', 0], ['#+', 4], [', which is 10', 0], ['6', 4], [' mm long', 0]);
    risen(pdf, 200, ['The air contains CO', 0], ['2', -2], [' and Na', 0], ['+', 4], [' near the gauge', 0]);
  });
  document.origin = { mimetype: 'application/pdf', filename: 'report.pdf', binary_hash: 1n };
  expect(toMarkdown(document)).toContain('Mr. Gal<sup>#+</sup>, which is 10<sup>6</sup> mm long');
  expect(toMarkdown(document)).toContain('contains CO<sub>2</sub> and Na<sup>+</sup> near');
  expect(toMarkdown(document, { plain: true })).toContain('contains CO2 and Na+ near');
  expect(treeProblems(document)).toEqual([]);
});

test('a raised letter that the next one overlaps, as in a name set by TeX, is not marked', async () => {
  const document = await read((pdf) => {
    pdf.font('Times-Roman').fontSize(11).text('The manual was set in L', 72, 100, { lineBreak: false });
    const x = 72 + pdf.widthOfString('The manual was set in L');
    pdf.fontSize(8).text('A', x - 3, 99, { lineBreak: false });
    pdf.fontSize(11).text('TEX by the office', x + 1, 100, { lineBreak: false });
  });
  document.origin = { mimetype: 'application/pdf', filename: 'report.pdf', binary_hash: 1n };
  expect(toMarkdown(document)).toContain('LATEX by the office');
});

/** Corners of one area, from the upper left, as files list them. */
const quad = (l: number, t: number, r: number, b: number) => [l, t, r, t, l, b, r, b];

test('a link over parts of two lines covers these parts only', async () => {
  const document = await read((pdf) => {
    const text = [
      'The rules are in the harbour book, which',
      'the office keeps. It is open to all visitors of the pier.',
    ];
    pdf.font('Times-Roman').fontSize(11);
    text.forEach((line, index) => pdf.text(line, 72, 100 + 14 * index, { lineBreak: false }));
    const start = 72 + pdf.widthOfString('The rules are in the ');
    const action = pdf.ref({ S: 'URI', URI: new String('https://harbour.example/book') });
    action.end();
    const [first, second] = [72 + pdf.widthOfString(text[0]!), 72 + pdf.widthOfString('the office keeps.')];
    const top = pdf.page.height - 100;
    pdf.annotate(72, 100, Math.max(first, second) - 72, 26, {
      Subtype: 'Link',
      A: action,
      QuadPoints: [...quad(start, top, first, top - 12), ...quad(72, top - 14, second, top - 26)],
    });
  });
  expect(toMarkdown(document)).toContain(
    'The rules are in the [harbour book, which the office keeps.](https://harbour.example/book) It is open',
  );
});

test('text that a reviewer struck out is struck through, unless the mark is hidden', async () => {
  const strike = (pdf: Drawing, y: number, before: string, words: string, flags: number) => {
    pdf.font('Times-Roman').fontSize(11).text(`${before} ${words} of the harbour office`, 72, y, { lineBreak: false });
    const x = 72 + pdf.widthOfString(`${before} `);
    const [width, top] = [pdf.widthOfString(words), pdf.page.height - y];
    pdf.annotate(x, y, width, 11, {
      Subtype: 'StrikeOut',
      F: flags,
      QuadPoints: quad(x, top, x + width, top - 11),
    });
  };
  const document = await read((pdf) => {
    strike(pdf, 100, 'Send the reading to', 'the secretary', 4);
    strike(pdf, 140, 'Keep the book in', 'the archive', 2);
  });
  expect(toMarkdown(document)).toContain('Send the reading to ~~the secretary~~ of the harbour office');
  expect(toMarkdown(document)).toContain('Keep the book in the archive of the harbour office');
});
