import { type Drawing, grid, labelled, prose, readDrawn } from './pdf-test-support';
import type { Line } from './text/line';
import { unmarkTypedText } from './text/typed-text';

const put = (pdf: Drawing, text: string, x: number, y: number, font = 'Helvetica') =>
  pdf.font(font).fontSize(10).text(text, x, y, { lineBreak: false });

test('names in monospaced type with a description beside each are a table, not code', async () => {
  const rows = [
    ['--pier NAME', 'reads the gauge of this pier'],
    ['--since DATE', 'omits older readings'],
    ['--quiet', 'prints warnings only'],
    ['--help', 'shows this list'],
  ] as const;
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 72);
    rows.forEach(([name, text], index) => {
      put(pdf, name, 72, 150 + 14 * index, 'Courier');
      put(pdf, text, 200, 150 + 14 * index);
    });
  });
  expect(grid(document)).toEqual(rows);
  expect(labelled(document, 'code')).toEqual([]);
});

test('a bold head makes a table of rows whose descriptions have several lines', async () => {
  const long = ['Turns the reading of all gauges of the pier on or off, also those', 'of the locks.'];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 72);
    ['Key', 'Values', 'Description'].forEach((text, column) =>
      put(pdf, text, [72, 130, 220][column]!, 150, 'Helvetica-Bold'),
    );
    ['read', 'send', 'keep'].forEach((key, index) => {
      const y = 164 + 30 * index;
      put(pdf, key, 72, y, 'Courier');
      put(pdf, 'true, false', 130, y, 'Courier');
      long.forEach((text, lineNo) => put(pdf, text, 220, y + 13 * lineNo));
    });
  });
  expect(grid(document)).toEqual([
    ['Key', 'Values', 'Description'],
    ...['read', 'send', 'keep'].map((key) => [key, 'true, false', long.join(' ')]),
  ]);
});

test('values in monospaced type belong to the labels beside them', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 72);
    [
      ['Input:', 'pier = 3, since'],
      ['Output:', '-'],
      ['Return:', '0'],
    ].forEach(([label, value], index) => {
      put(pdf, label!, 72, 150 + 16 * index);
      put(pdf, value!, 140, 150 + 16 * index, index === 0 ? 'Courier' : 'Helvetica');
    });
  });
  expect(grid(document)).toEqual([
    ['Input:', 'pier = 3, since'],
    ['Output:', '-'],
    ['Return:', '0'],
  ]);
  expect(labelled(document, 'code')).toEqual([]);
});

test('numbers beside lines of code are not a table', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 72);
    ['open(pier)', 'read(gauge)', 'print(level)', 'close(pier)', 'wait(60)'].forEach((code, index) => {
      put(pdf, String(3 * index + 10), 72, 150 + 14 * index);
      put(pdf, code, 100, 150 + 14 * index, 'Courier');
    });
  });
  expect(document.tables).toEqual([]);
});

test('monospaced terms above their indented descriptions are not code; a single one is', async () => {
  const read = (terms: readonly string[]) =>
    readDrawn((pdf) => {
      pdf.fontSize(10).text(prose, 72, 72);
      terms.forEach((term, index) => {
        const y = 150 + 50 * index;
        put(pdf, term, 90, y, 'Courier');
        put(pdf, 'Waits for the gauge of the pier until its level is known,', 130, y + 12);
        put(pdf, 'and prints it.', 130, y + 24);
      });
    });
  const listed = await read(["'wait=timeout'", 'Pier mode', '--level <n>']);
  expect(labelled(listed, 'code')).toEqual([]);
  expect(labelled(listed, 'text')).toEqual(expect.arrayContaining(["'wait=timeout'", 'Pier mode', '--level <n>']));
  expect(labelled(await read(['read(pier);']), 'code')).toEqual(['read(pier);']);
  expect(labelled(await read(['$ gauge --read', '> read(pier)']), 'code')).toHaveLength(2);
});

test('monospaced terms beside the first line of their descriptions are not code', async () => {
  const terms = ['int N', 'real Step', 'pen top'];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 72);
    terms.forEach((term, index) => {
      const y = 150 + 46 * index;
      put(pdf, term, 72, y, 'Courier');
      put(pdf, 'divides the axis of the gauge evenly into this many intervals, which are', 150, y);
      put(pdf, 'separated by the larger marks of the scale;', 150, y + 12);
    });
  });
  expect(labelled(document, 'code')).toEqual([]);
});

/** The document with these lines in Courier between two paragraphs. */
const readListing = (lines: readonly string[]) =>
  readDrawn((pdf) => {
    pdf.font('Times-Roman').fontSize(11).text(`${prose} ${prose}`, 72, 72, { width: 450 });
    lines.forEach((line, index) => put(pdf, line, 72, 200 + 13 * index, 'Courier'));
    pdf.font('Times-Roman').fontSize(11).text(prose, 72, 300, { width: 450 });
  });

const listings: Record<string, string[]> = {
  SQL: ['SELECT name, price FROM products', 'WHERE price IS NOT NULL', 'ORDER BY name'],
  'a reply of a server': ['HTTP/1.1 200 OK', 'Content-Type: text/html', 'Content-Length: 1024', 'Connection: close'],
  'rules for robots': ['User-agent: Googlebot', 'Disallow: /private', 'Crawl-delay: 10'],
  'the data of a package': ['Package: docloom', 'Version: 1.2.3', 'Architecture: any', 'Section: utils'],
  'the head of an e-mail': ['From: keeper@pier.example', 'To: pilot@pier.example', 'Subject: Tides'],
  YAML: ['name: web', 'image: nginx', 'port: 80', 'replicas: 3'],
  Gherkin: [
    'Feature: Login',
    'Scenario: Wrong password',
    'Given the user is on the page',
    'When the user types a wrong password',
    'Then the page shows an error',
  ],
  'steps with a full stop': ['Given the user is on the login page', 'When the user types a wrong password.'],
  COBOL: [
    'IDENTIFICATION DIVISION.',
    'PROGRAM-ID. HELLO.',
    'PROCEDURE DIVISION.',
    'DISPLAY "HELLO WORLD".',
    'STOP RUN.',
  ],
  'output of a program': [
    'Traceback (most recent call last):',
    'Error: the file could not be opened because',
    'the folder does not exist on this machine',
  ],
};

test.each(Object.entries(listings))('%s in monospaced type is one listing', async (_, lines) => {
  expect(labelled(await readListing(lines), 'code')).toEqual([lines.join('\n')]);
});

test('paragraphs and the head of a memorandum in monospaced type are text', async () => {
  const paragraph = [
    'The keeper of the gauge reads the level of the water',
    'every morning, and tells the pilot at noon.',
  ];
  expect(labelled(await readListing(paragraph), 'text')).toContain(paragraph.join(' '));
  expect(labelled(await readListing(['TO: All pilots', 'FROM: The keeper', 'DATE: 3 May']), 'code')).toEqual([]);
});

test('the time for a long row of quotation marks does not grow with the square of its length', () => {
  const box = { l: 72, b: 200, r: 522, t: 210 };
  const line = { text: `Aa${"'".repeat(100_000)}1`, words: [], box, baseline: 200, size: 10, mono: true };
  const below = { ...line, text: 'the keeper reads it.', words: [{ text: 'the', box }], baseline: 190 };
  const start = performance.now();
  unmarkTypedText([[line, below] as unknown as Line[]]);
  expect(performance.now() - start).toBeLessThan(5_000);
});
