import { type Drawing, labelled, prose, readDrawn } from '../pdf-test-support';
import type { Line } from '../text/line';
import { findFurniture } from './furniture';
import { isPageNumber } from './page-numbers';

const page = (head: string, at: { size: number; y: number }, foot = '') =>
  readDrawn(
    (pdf) => {
      pdf.fontSize(at.size).text(head, 72, at.y, { lineBreak: false });
      pdf.fontSize(11).text(prose, 72, 110, { width: 450 }).moveDown().text(prose, { width: 450 });
      if (foot) pdf.fontSize(11).text(foot, 72, 790, { lineBreak: false });
    },
    { margin: 20 },
  );

test('a row of small type in the margin above a single page is its header; at body text size it is text', async () => {
  const head = 'Reports of the harbour office 2024';
  expect(labelled(await page(head, { size: 8, y: 36 }), 'page_header')).toEqual([head]);
  expect(labelled(await page(head, { size: 11, y: 36 }), 'page_header')).toEqual([]);
  expect(labelled(await page(head, { size: 8, y: 98 }), 'page_header')).toEqual([]);
});

test('the stamp of a server at the edge of a page is furniture at any size', async () => {
  const stamp = 'Downloaded from the library of the harbour on 3 May';
  const document = await page('The harbour', { size: 18, y: 60 }, stamp);
  expect(labelled(document, 'page_footer')).toEqual([stamp]);
});

test('a row that begins and ends with the same words is no header where two pages or cards are side by side', async () => {
  const read = (size: number, ...words: string[]) =>
    readDrawn(
      (pdf) => {
        pdf.fontSize(size);
        for (const [index, text] of words.entries()) pdf.text(text, 72 + 180 * index, 40, { lineBreak: false });
        pdf.fontSize(11).text(prose, 72, 110, { width: 450 }).moveDown().text(prose, { width: 450 });
      },
      { margin: 20 },
    );
  const headers = async (size: number, ...words: string[]) => labelled(await read(size, ...words), 'page_header');
  expect(await headers(11, 'harbour(5)', 'harbour(5)')).toHaveLength(2);
  expect(await headers(11, 'Minutes', 'Minutes')).toEqual([]);
  expect(await headers(11, 'Menu', 'Menu', 'Menu')).toEqual([]);
  expect(await headers(18, 'Order', 'Harbour', 'Order')).toEqual([]);
});

describe('a single page', () => {
  const body = (pdf: Drawing) =>
    pdf.fontSize(11).text(prose, 72, 130, { width: 450 }).moveDown().text(prose, { width: 450 });
  const at = (pdf: Drawing, text: string, x: number, y: number, size = 11) =>
    pdf.fontSize(size).text(text, x, y, { lineBreak: false });
  const options = { margin: 10 };

  test.each(['A-3', '5 - 3', '5-15', 'ES-8', '· 52 ·', '2 sur 7'])('has the page number %s', async (number) => {
    const document = await readDrawn((pdf) => (body(pdf), at(pdf, number, 290, 780)), options);
    expect(labelled(document, 'page_footer')).toEqual([number]);
  });

  test('has a header in the row of its number, and above "Page 3 of 9"', async () => {
    const row = await readDrawn(
      (pdf) => (body(pdf), at(pdf, 'The harbour office', 72, 40), at(pdf, '42', 510, 40)),
      options,
    );
    expect(labelled(row, 'page_header')).toEqual(['The harbour office', '42']);
    const counted = await readDrawn(
      (pdf) => (body(pdf), at(pdf, 'Appendix 5', 460, 60), at(pdf, 'Page 8 of 11', 460, 74)),
      options,
    );
    expect(labelled(counted, 'page_header')).toEqual(['Appendix 5', 'Page 8 of 11']);
  });

  test('has the header and footer that a browser prints', async () => {
    const document = await readDrawn((pdf) => {
      body(pdf);
      at(pdf, 'Tides and gauges', 12, 12);
      at(pdf, 'https://harbour.example/tides', 400, 12);
      at(pdf, '06/12/2023, 14:12', 480, 820);
    }, options);
    expect(labelled(document, 'page_header')).toEqual(['Tides and gauges', 'https://harbour.example/tides']);
    expect(labelled(document, 'page_footer')).toEqual(['06/12/2023, 14:12']);
  });

  test('keeps a line at body text size as text unless it is one of many pages', async () => {
    const document = await readDrawn((pdf) => (body(pdf), at(pdf, 'Invoice', 72, 40), at(pdf, '1', 290, 800)), options);
    expect(labelled(document, 'page_header')).toEqual([]);
  });
});

test('the last line of a page is text even after a wide gap: a numbered page hides no line of its text', async () => {
  const last = 'Between the gates the water stands higher than outside, so that the boats wait for';
  const document = await readDrawn(
    (pdf) => {
      pdf.fontSize(11).text(prose, 72, 130, { width: 430 }).moveDown().text(prose, { width: 430 });
      pdf.text(last, 72, 792, { lineBreak: false });
      pdf.fontSize(8).text('3 of 7', 20, 828, { lineBreak: false });
    },
    { margin: 4 },
  );
  expect(labelled(document, 'page_footer')).toEqual(['3 of 7']);
  expect(labelled(document, 'text').join(' ')).toContain(last);
});

test('a running header on portrait and landscape pages is found by its distance from the upper edge', async () => {
  const head = 'Contains no recommendations';
  const document = await readDrawn(
    (pdf) => {
      for (const layout of ['portrait', 'landscape', 'portrait', 'landscape', 'portrait'] as const) {
        pdf.addPage({ size: 'A4', layout, margin: 20 });
        pdf.font('Helvetica-BoldOblique').fontSize(11).text(head, 200, 40, { lineBreak: false });
        pdf.font('Helvetica').text(prose, 72, 90, { width: 400 }).moveDown().text(prose, { width: 400 });
      }
    },
    { autoFirstPage: false },
  );
  expect(labelled(document, 'page_header')).toEqual(Array.from({ length: 5 }, () => head));
});

describe('rows below a wide margin at the top of the pages of a book', () => {
  const read = (numbers: readonly string[]) =>
    readDrawn(
      (pdf) => {
        numbers.forEach((number, index) => {
          if (index > 0) pdf.addPage();
          pdf.fontSize(11).text(`${index + 2} Piers of the harbour`, 120, 150, { lineBreak: false });
          pdf.text(number, 470, 150, { lineBreak: false });
          pdf.text(`${index} ${prose}`, 120, 176, { width: 360 }).moveDown().text(prose, { width: 360 });
        });
      },
      { margin: 20 },
    );

  test('are page headers if their numbers count the pages', async () => {
    expect(labelled(await read(['37', '38', '39', '40']), 'page_header')).toHaveLength(8);
  });

  test('are text if they do not, or on two pages only', async () => {
    expect(labelled(await read(['37', '41', '39', '52']), 'page_header')).toEqual([]);
    expect(labelled(await read(['37', '38']), 'page_header')).toEqual([]);
  });

  test('are text if there is nothing else on the pages', async () => {
    const document = await readDrawn((pdf) => {
      for (const number of ['1', '2', '3', '4']) {
        if (number !== '1') pdf.addPage();
        pdf.fontSize(11).text('Pier', 120, 190, { lineBreak: false });
        pdf.text(number, 470, 190, { lineBreak: false });
      }
    });
    expect(labelled(document, 'page_header')).toEqual([]);
  });
});

test('the title and date in the row of "page 2 of 9" are its header, however low; a row that touches the text is not', async () => {
  const read = (y: number) =>
    readDrawn(
      (pdf) => {
        pdf.fontSize(11);
        [
          ['Readings of the gauge', 72],
          ['5 September 2018', 260],
          ['page 2 of 9', 460],
        ].forEach(([text, x]) => pdf.text(text as string, x as number, y, { lineBreak: false }));
        pdf.text(prose, 72, 140, { width: 450 }).moveDown().text(prose, { width: 450 });
      },
      { margin: 20 },
    );
  expect(labelled(await read(92), 'page_header')).toEqual(['Readings of the gauge', '5 September 2018', 'page 2 of 9']);
  expect(labelled(await read(129), 'page_header')).not.toContain('Readings of the gauge');
});

describe('rows of tables at the edge of a page are text', () => {
  const row = (pdf: Drawing, y: number, cells: readonly string[]) =>
    cells.forEach((cell, index) => cell && pdf.fontSize(11).text(cell, 60 + 110 * index, y, { lineBreak: false }));

  test('also if a cell looks like a page number', async () => {
    const document = await readDrawn((pdf) => {
      row(pdf, 40, ['North pier', 'Boats', 'Nets', '42']);
      row(pdf, 75, ['South pier', 'Cranes', 'Ropes', '17 of the old and 3 new']);
      row(pdf, 110, ['East pier', 'Barges', 'Chains', 'none']);
      pdf.fontSize(11).text(prose, 60, 170, { width: 450 });
    });
    expect(labelled(document, 'page_header')).toEqual([]);
  });

  test('also if amounts are at the same height on all pages', async () => {
    const document = await readDrawn(
      (pdf) => {
        ['$38,371', '$33,184', '$25,593'].forEach((amount, index) => {
          pdf.addPage({ margin: 20 }).fontSize(11).text(amount, 200, 40, { lineBreak: false });
          pdf.text(`${index} ${prose}`, 60, 75, { width: 450 });
        });
      },
      { autoFirstPage: false },
    );
    expect(labelled(document, 'page_header')).toEqual([]);
  });

  test('also if they end with numbers that do not count the pages', async () => {
    const document = await readDrawn(
      (pdf) => {
        [16510, 16980, 17430].forEach((number, index) => {
          pdf.addPage({ margin: 20 });
          for (const row of [0, 1, 2, 3, 4]) {
            pdf
              .fontSize(11)
              .text(`Pier ${String.fromCodePoint(65 + row + 5 * index)}`, 60, 40 + 22 * row, { lineBreak: false });
            pdf.text(String(number + 10 * row), 200, 40 + 22 * row, { lineBreak: false });
          }
        });
      },
      { autoFirstPage: false },
    );
    expect(labelled(document, 'page_header')).toEqual([]);
  });

  test('and so are lines of code that recur', async () => {
    const document = await readDrawn(
      (pdf) => {
        for (const number of ['1', '2', '3']) {
          pdf.addPage({ margin: 20 }).font('Courier').fontSize(9).text('} else {', 60, 40, { lineBreak: false });
          pdf.font('Helvetica').fontSize(11).text(`${number} ${prose} ${prose}`, 60, 75, { width: 450 });
        }
      },
      { autoFirstPage: false },
    );
    expect(labelled(document, 'page_header')).toEqual([]);
  });

  test('also if a text recurs at another place across the page', async () => {
    const document = await readDrawn(
      (pdf) => {
        [60, 200, 340].forEach((x, index) => {
          pdf.addPage({ margin: 20 }).fontSize(11).text('North pier', x, 40, { lineBreak: false });
          pdf.text(`${index} ${prose}`, 60, 75, { width: 450 });
        });
      },
      { autoFirstPage: false },
    );
    expect(labelled(document, 'page_header')).toEqual([]);
  });
});

test('three texts at the left, in the middle and at the right are a header or footer of a single page', async () => {
  const read = (middle: number) =>
    readDrawn(
      (pdf) => {
        const put = (text: string, x: number, y: number, align: 'left' | 'center' | 'right') =>
          pdf.fontSize(11).text(text, x, y, { width: 150, align, lineBreak: false });
        put('Harbour office', 72, 40, 'left');
        put('Draft', middle, 40, 'center');
        put('May', 372, 40, 'right');
        pdf.text(prose, 72, 110, { width: 450, align: 'justify' }).moveDown();
        pdf.text(prose, { width: 450, align: 'justify' });
      },
      { margin: 20 },
    );
  expect(labelled(await read(222), 'page_header')).toEqual(['Harbour office', 'Draft', 'May']);
  expect(labelled(await read(170), 'page_header')).toEqual([]);
});

test('the title of a report that each page repeats is text on the first page only', async () => {
  const read = (x: number) =>
    readDrawn(
      (pdf) => {
        for (const number of ['1', '2', '3']) {
          pdf.addPage({ margin: 20 }).fontSize(18).text('Piers of the harbour', x, 40, { lineBreak: false });
          pdf.fontSize(11).text(`${number} ${prose}`, 60, 90, { width: 450 });
        }
      },
      { autoFirstPage: false },
    );
  expect(labelled(await read(60), 'page_header')).toHaveLength(2);
  expect(labelled(await read(330), 'page_header')).toHaveLength(3);
});

test.each(['Strona 3 z 9', 'Страница 3 из 9', 'Sida 3 av 9', 'Sayfa 3', 'Σελίδα 3 από 9'])(
  '"%s" is a page number',
  (text) => {
    expect(isPageNumber({ text } as Line)).toBe(true);
  },
);

test.each(['第 3 页 共 9 页', '第3頁', '3 / 9 ページ', '3 / 9 페이지'])(
  '"%s" is a page number before its label',
  (text) => {
    expect(isPageNumber({ text } as Line)).toBe(true);
    expect(isPageNumber({ text: `${text} の計画` } as Line)).toBe(false);
  },
);

test('small type close to the text is a header if it recurs on two pages', async () => {
  const read = (size: number) =>
    readDrawn(
      (pdf) => {
        for (const number of ['1', '2']) {
          pdf.addPage({ margin: 20 }).fontSize(size).text('Name of the owner:', 60, 40, { lineBreak: false });
          pdf.fontSize(11).text(`${number} ${prose}`, 60, 50, { width: 450 });
        }
      },
      { autoFirstPage: false },
    );
  expect(labelled(await read(8), 'page_header')).toHaveLength(2);
  expect(labelled(await read(11), 'page_header')).toEqual([]);
});

test.each(['[%]', '« % »', '% | 12'])(
  'page numbers with ornaments, "%s", are a footer; amounts are text',
  async (form) => {
    const read = (format: (number: number) => string) =>
      readDrawn(
        (pdf) => {
          for (const number of [1, 2, 3, 4]) {
            pdf.addPage({ margin: 20 }).fontSize(11).text(`${number} ${prose}`, 60, 90, { width: 450 });
            pdf.text(prose, { width: 450 }).text(format(number), 290, 780, { lineBreak: false });
          }
        },
        { autoFirstPage: false },
      );
    expect(labelled(await read((number) => form.replace('%', String(number))), 'page_footer')).toHaveLength(4);
    expect(labelled(await read((number) => `${number},75`), 'page_footer')).toEqual([]);
  },
);

test('pages of more than 2,000 texts are not searched for furniture, so that crafted ones take no minutes', () => {
  const createPage = (texts: number) => {
    const lines = Array.from({ length: texts }, (_, at) => {
      const box = { l: 10 + at / 10, r: 10.05 + at / 10, t: 830, b: 820 };
      return { text: `Page ${at} of ${texts}`, box, baseline: 822, size: 8, chars: [], words: [] } as unknown as Line;
    });
    return { lines, height: 842 };
  };
  expect(findFurniture([createPage(3), createPage(3)]).size).toBeGreaterThan(0);
  const started = process.cpuUsage();
  expect(findFurniture([createPage(20_000), createPage(20_000)]).size).toBe(0);
  expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
});

test('numbers, names, notes and sources in small print are not furniture, though each page has some', async () => {
  const small = (pdf: Drawing, text: string, x: number, y: number) =>
    pdf.font('Times-Roman').fontSize(7).text(text, x, y, { lineBreak: false });
  const readPages = (size: [number, number]) =>
    readDrawn(
      (pdf) => {
        for (let index = 0; index < 4; index += 1) {
          if (index > 0) pdf.addPage();
          small(pdf, `Account number 55${7 + index}13 of Ms Nr ${3 + index}`, 350, 0.14 * size[1]);
          small(pdf, `IBAN DE${10 + index} 2005 0550 ${1000 + index * 37}`, 350, 0.14 * size[1] + 12);
          pdf.fontSize(11).text(`Part ${'abcd'[index]!}. ${prose}`, 72, 0.25 * size[1], { width: 450 });
          small(pdf, '* Readings before noon are estimates.', 72, 0.82 * size[1]);
          small(pdf, `Source: harbour office, own computation for year 202${index}`, 72, 0.85 * size[1]);
        }
      },
      { size, margin: 20 },
    );
  for (const size of [
    [595, 842],
    [842, 595],
  ] as const) {
    const document = await readPages([...size]);
    expect(document.texts.filter(({ content_layer: layer }) => layer === 'furniture')).toEqual([]);
  }
});
