import { type Drawing, grid, labelled, prose, readDrawn } from './pdf-test-support';

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
