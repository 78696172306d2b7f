import { toMarkdown } from '../../document';
import { toHtml } from '../../document/write/html';
import { type Drawing, labelled, paragraphs, prose, readDrawn } from './pdf-test-support';

const put = (pdf: Drawing, text: string, { x = 72, y = 300, font = 'Times-Roman', size = 11 } = {}) =>
  pdf.font(font).fontSize(size).text(text, x, y, { lineBreak: false });

/** The document with a full-width paragraph at the top. */
const read = (content: (pdf: Drawing) => void) =>
  readDrawn((pdf) => {
    pdf.font('Times-Roman').fontSize(11).text(`${prose} ${prose}`, 72, 72, { width: 450 });
    content(pdf);
  });

/** Draws lines one below the other. */
function stack(pdf: Drawing, lines: readonly (string | [text: string, x: number])[], y = 300, step = 14): void {
  for (const [index, line] of lines.entries()) {
    const [text, x] = typeof line === 'string' ? [line, 72] : line;
    put(pdf, text, { x, y: y + index * step });
  }
}

test('the mark of a note in small type, hardly smaller than the note, belongs to it', async () => {
  const document = await read((pdf) => {
    put(pdf, '1', { x: 72, y: 698, size: 7 });
    put(pdf, 'See, however, the exceptions of the harbour office.', { x: 78, y: 700, size: 7.5 });
  });
  expect(labelled(document, 'footnote')).toHaveLength(1);
  expect(toHtml(document)).toContain('<sup>1</sup> See, however, the exceptions of the harbour office.');
});

test('lines beside a drop cap are one paragraph, which a smaller italic byline does not join', async () => {
  const document = await read((pdf) => {
    put(pdf, 'By Desmond Ogilvie, keeper of the northern gauge', { y: 287, font: 'Times-Italic', size: 9.5 });
    put(pdf, 'M', { y: 300, size: 36 });
    stack(
      pdf,
      [
        ['ore than ninety people came to the hall on', 106],
        ['Candlemas, and nearly all went home with', 106],
      ],
      303,
    );
    stack(
      pdf,
      ['something they had not expected, and with a packet of seed', 'that has been grown here since 1961.'],
      331,
    );
  });
  expect(paragraphs(document).slice(1)).toEqual([
    'By Desmond Ogilvie, keeper of the northern gauge',
    'More than ninety people came to the hall on Candlemas, and nearly all went home with something they had not expected, and with a packet of seed that has been grown here since 1961.',
  ]);
});

test('the lines of an address and of a verse are separate; text that begins with capitals by chance is not', async () => {
  const readLines = async (lines: readonly (string | [string, number])[]) =>
    paragraphs(await read((pdf) => stack(pdf, lines))).slice(1);
  const address = ['Mr and Mrs P. Achterberg', 'Flat 3, The Maltings', 'Wharf Road', 'Newark NG24 4XB'];
  expect(await readLines(address)).toEqual(address);
  const verse: [string, number][] = [
    ['She keeps the rope, she keeps the bell,', 72],
    ['She keeps the lantern bright,', 94],
    ['And those who cross could never tell', 72],
  ];
  expect(await readLines(verse)).toEqual(verse.map(([text]) => text));
  const filled = [
    'The gauges on the River',
    'Trent and on the River',
    'Wharfe are read by Officers',
    'On Mondays and Fridays.',
  ];
  expect(await readLines(filled)).toHaveLength(1);
});

test('a line that begins with a label, and a telephone number, are apart from the short line above them', async () => {
  const document = await read((pdf) => {
    stack(pdf, ['Encl.: plan of the pier', 'cc: Mr J. Whitlock']);
    stack(pdf, ['Treasurer: Ali Demir', '07700 900461'], 400);
  });
  expect(paragraphs(document).slice(1)).toEqual([
    'Encl.: plan of the pier',
    'cc: Mr J. Whitlock',
    'Treasurer: Ali Demir',
    '07700 900461',
  ]);
});

test('bullets as small as full stops are list items; the dots of a leader are not', async () => {
  const document = await read((pdf) => {
    for (const [index, text] of ['Peelings and tea leaves', 'Grass cuttings'].entries()) {
      put(pdf, text, { x: 84, y: 300 + 14 * index, size: 8.5 });
      pdf.circle(75.5, 303.6 + 14 * index, 1.1).fill('black');
    }
    put(pdf, 'Index', { y: 400, size: 8.5 });
    for (let x = 100; x < 180; x += 4) pdf.circle(x, 403.6, 1.1).fill('black');
    put(pdf, 'of names', { x: 186, y: 400, size: 8.5 });
  });
  expect(labelled(document, 'list_item')).toEqual(['Peelings and tea leaves', 'Grass cuttings']);
});

test('an amount or a share may follow the letter of a list item', async () => {
  const document = await read((pdf) => {
    put(pdf, '(a)', { x: 72, y: 300 });
    put(pdf, '£250,000; and', { x: 100, y: 300 });
    put(pdf, '(b)', { x: 72, y: 316 });
    put(pdf, '150 % of the charges of the year.', { x: 100, y: 316 });
  });
  expect(labelled(document, 'list_item')).toEqual(['£250,000; and', '150 % of the charges of the year.']);
});

test('italic headings with numbers of several levels, some of them letters, are headings with their titles', async () => {
  const document = await read((pdf) => {
    put(pdf, '2.1.S.1.3', { y: 280, font: 'Times-Italic' });
    put(pdf, 'General properties', { x: 140, y: 280, font: 'Times-Italic' });
    pdf.font('Times-Roman').text(prose, 72, 300, { width: 450 });
    put(pdf, '2.1. Study sites', { y: 360, font: 'Times-Italic' });
    pdf.font('Times-Roman').text(prose, 72, 380, { width: 450 });
  });
  expect(document.texts.filter(({ label }) => label === 'section_header')).toMatchObject([
    { text: '2.1.S.1.3 General properties', level: 5 },
    { text: '2.1. Study sites', level: 2 },
  ]);
});

test.each(['2.1.S.1', '2.1', '2.10', '2.1.S'])(
  'the section number %s close to its title is a word of its own',
  async (number) => {
    const document = await read((pdf) => {
      put(pdf, number, { y: 280, font: 'Times-Bold' });
      put(pdf, 'General', { x: 72 + pdf.widthOfString(number) + 1.6, y: 280, font: 'Times-Bold' });
      pdf.font('Times-Roman').text(prose, 72, 300, { width: 450 });
    });
    expect(labelled(document, 'section_header')).toEqual([`${number} General`]);
  },
);

test('a quotation in large type between two paragraphs is no heading, nor are lines that begin or end one', async () => {
  const document = await read((pdf) => {
    put(pdf, '“A full butt weighs more than two hundred kilograms.”', { y: 300, size: 15, font: 'Times-Italic' });
    pdf.font('Times-Roman').fontSize(11).text(prose, 72, 340, { width: 450 });
    put(pdf, 'How to install yours', { y: 400, size: 15 });
    pdf.font('Times-Roman').fontSize(11).text(prose, 72, 430, { width: 450 });
    put(pdf, '“Read it until you think you have forgotten it”', { y: 480, size: 15, font: 'Times-Italic' });
    put(pdf, '“Nobody who has seen the harbour at the turn of the', { y: 510, size: 15 });
    put(pdf, 'tide would think that its gauges are read for fun', { y: 527, size: 15 });
    pdf.fontSize(11).text(prose, 72, 560, { width: 450 });
    put(pdf, 'but by the engineers.”', { y: 620, size: 15 });
    pdf.fontSize(11).text(prose, 72, 650, { width: 450 });
  });
  expect(labelled(document, 'section_header')).toEqual(['How to install yours']);
});

test('bold words that fill a line within a sentence are no heading', async () => {
  const lines = [
    'superscript numerals that run consecutively through the whole text of the paper and all',
    'its notes',
  ];
  const document = await read((pdf) => {
    put(pdf, 'References of the harbour offices within the text should in each case be ', { y: 300 });
    put(pdf, 'indicated by all of these', {
      x: 72 + pdf.widthOfString('References of the harbour offices within the text should in each case be '),
      y: 300,
      font: 'Times-Bold',
    });
    put(pdf, lines[0]!, { y: 314, font: 'Times-Bold' });
    put(pdf, `${lines[1]}. No brackets are used.`, { y: 328 });
  });
  expect(labelled(document, 'section_header')).toEqual([]);
  expect(toMarkdown(document)).toContain('**indicated by all of these superscript numerals');
});

test('a caption begins below the words of a drawing', async () => {
  const document = await read((pdf) => {
    put(pdf, 'Day of year', { x: 160, y: 300, size: 8.3 });
    put(
      pdf,
      'Fig. 1. Mean temperature of the harbour in the upper basin at a depth of one metre, as read at noon on each day of the whole year.',
      { y: 309, size: 8 },
    );
    put(pdf, 'Shading was omitted for clarity.', { y: 318.5, size: 8 });
  });
  expect(labelled(document, 'caption')).toEqual([
    'Fig. 1. Mean temperature of the harbour in the upper basin at a depth of one metre, as read at noon on each day of the whole year. Shading was omitted for clarity.',
  ]);
});

test('name, date and number in small print beside the titles of slides are furniture', async () => {
  const document = await readDrawn(
    (pdf) => {
      for (let page = 1; page <= 4; page += 1) {
        if (page > 1) pdf.addPage();
        put(pdf, 'Workshop', { x: 655, y: 40, size: 10 });
        put(pdf, '14 June 2001', { x: 655, y: 58, size: 10 });
        put(pdf, `Page ${page}`, { x: 655, y: 86, size: 10 });
        put(pdf, ['Introduction', 'Gauges', 'Tides', 'Results'][page - 1]!, { y: 50, size: 32 });
        for (let line = 0; line < 8; line += 1)
          put(pdf, `Reading ${'abcdefgh'[line]} of gauge ${'wxyz'[page - 1]} in the harbour`, {
            y: 140 + 40 * line,
            size: 20,
          });
      }
    },
    { size: [720, 540], margin: 20 },
  );
  expect(labelled(document, 'page_header')).toHaveLength(12);
});

test('number signs alone are text in Markdown, not an empty heading', async () => {
  const document = await read((pdf) => put(pdf, '###', { x: 280 }));
  expect(toMarkdown(document)).toContain('\n\\###');
});

test('paragraphs that begin with bold titles in their lines are separate, however close they are', async () => {
  const document = await read((pdf) => {
    for (const [index, [title, text]] of [
      ['Smell.', 'The heap is too wet or too green. Turn it and add leaves, straw or paper.'],
      ['Silence.', 'The heap is too dry or too small. It needs a cubic metre.'],
    ].entries()) {
      put(pdf, `${title} `, { y: 300 + 14 * index, font: 'Times-Bold' });
      put(pdf, text!, { x: 72 + pdf.widthOfString(`${title}  `), y: 300 + 14 * index });
    }
    pdf.font('Times-Roman').text(prose, 72, 360, { width: 400 });
  });
  expect(toMarkdown(document)).toContain('straw or paper.\n\n**Silence.** The heap');
});

test('the lines of a letterhead and of a signature are separate', async () => {
  const lines = ['Telefon 03999 555-0', 'Telefax 03999 555-99', 'service@example.de'];
  const head = ['Kundennummer: 40 771 203', 'Datum: 02.09.2024'];
  const signature = ['i. A. Hella Dornbusch', 'Leiterin Netzbetrieb'];
  const document = await read((pdf) => {
    for (const [index, text] of lines.entries()) put(pdf, text, { x: 380, y: 240 + 13 * index, size: 10 });
    for (const [index, text] of head.entries()) put(pdf, text, { x: 380, y: 300 + 13 * index, size: 10 });
    stack(pdf, ['Hinterm Deich 12 b', '99331 Neuenrath'], 240, 13);
    pdf.text(`${prose} ${prose}`, 72, 400, { width: 450 });
    stack(pdf, signature, 560, 13);
  });
  expect(labelled(document, 'list_item')).toEqual([]);
  expect(paragraphs(document)).toEqual(
    expect.arrayContaining([...lines, ...head, ...signature, 'Hinterm Deich 12 b', '99331 Neuenrath']),
  );
});

test('lines in slightly larger type directly below each other are text; a line above text is a heading', async () => {
  const lines = ['St Cuthbert Hall', 'Saturday, 8 March', 'Agnes Holm, violin', 'Peter Sandor, viola'];
  const document = await read((pdf) => {
    for (const [index, text] of lines.entries()) put(pdf, text, { y: 240 + 24 * index, size: 13 });
    pdf.fontSize(11).text(prose, 72, 400, { width: 450 });
    put(pdf, 'The tides of the year', { y: 470, size: 14 });
    pdf.fontSize(11).text(prose, 72, 500, { width: 450 });
  });
  expect([...labelled(document, 'title'), ...labelled(document, 'section_header')]).toEqual(['The tides of the year']);
});

test('titles with quotations or in quotation marks, and bold questions that quote, are headings', async () => {
  const titles = [
    'The Meaning of “Freedom.”',
    'Who Asked “Why Now?”',
    '„Was nun?“',
    '"Sea and Harbour in the Age of Sail"',
    '„Hafen und Meer',
  ];
  const questions = ['What does it mean if the gauge says “Error?”', 'Why is the light called “Red.”'];
  const document = await read((pdf) => {
    for (const [index, text] of [...titles, ...questions].entries()) {
      const style = index < titles.length ? { size: 16 } : { font: 'Times-Bold' };
      put(pdf, text, { y: 170 + 80 * index, ...style });
      pdf
        .font('Times-Roman')
        .fontSize(11)
        .text(prose, 72, 195 + 80 * index, { width: 450 });
    }
  });
  const straight = [...titles, ...questions].map((text) => text.replaceAll(/[“”„]/g, '"'));
  expect(labelled(document, 'section_header')).toEqual(straight);
});

test('the typed head of a letter in Courier is text, unless the document has code', async () => {
  const head = (pdf: Drawing) => {
    put(pdf, 'MEMORANDUM', { y: 240, font: 'Courier' });
    put(pdf, 'TO: All staff of the harbour', { y: 254, font: 'Courier' });
    put(pdf, 'FROM: The keeper of the gauge', { y: 268, font: 'Courier' });
  };
  expect(labelled(await read(head), 'code')).toEqual([]);
  const document = await read((pdf) => {
    head(pdf);
    pdf.font('Times-Roman').fontSize(11).text(prose, 72, 300, { width: 450 });
    put(pdf, 'gauge = open("north");', { y: 400, font: 'Courier' });
    put(pdf, 'close(gauge);', { y: 414, font: 'Courier' });
  });
  expect(labelled(document, 'code')).toHaveLength(2);
});

test('sentences in Courier are text', async () => {
  const document = await read((pdf) => {
    put(pdf, 'And we follow the pattern of the harbour office', { y: 300, font: 'Courier' });
    put(pdf, 'as every keeper of a gauge does.', { y: 313, font: 'Courier' });
  });
  expect(labelled(document, 'code')).toEqual([]);
});

test('a monospaced name that did not fit into the line above continues its item', async () => {
  const document = await read((pdf) => {
    put(pdf, '•', { x: 76 });
    put(pdf, 'The usual number of the port of the gauge may be set with the option ', { x: 90 });
    put(pdf, '--northern-harbour-gauge-port-number=5000', { x: 90, y: 312, font: 'Courier' });
    put(pdf, '•', { x: 76, y: 330 });
    put(pdf, 'The gauge is read at noon.', { x: 90, y: 330 });
    put(pdf, 'It is read by its keeper.', { x: 90, y: 342 });
  });
  expect(labelled(document, 'code')).toEqual([]);
  expect(labelled(document, 'list_item')[0]).toMatch(/option --northern-harbour-gauge-port-number=5000$/);
});

test('a bracket before a link is not a part of it', async () => {
  const document = await read((pdf) => {
    put(pdf, 'The keeper (keeper@example.org) reads the gauge of the harbour.');
    const from = 72 + pdf.widthOfString('The keeper (');
    pdf.link(from, 298, pdf.widthOfString('keeper@example.org'), 14, 'mailto:keeper@example.org');
  });
  expect(toMarkdown(document)).toContain('The keeper ([keeper@example.org](mailto:keeper@example.org)) reads');
});
