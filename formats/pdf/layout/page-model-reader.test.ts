import type { DoclingDocument } from '../../../document/model';
import { AppError } from '../../../model/errors';
import type { PageModels } from '../../../model/page/page-models';
import { defaultLimits } from '../../format';
import { at, line, pageHeight, readSeen, region, detect } from '../page-model-test-support';
import { draw, type Drawing, grid, labelled, ruledTable } from '../pdf-test-support';
import { read } from '../read';

const order = ({ body, texts }: DoclingDocument) =>
  body.children.flatMap(
    ({ $ref }) => texts.find(({ self_ref: ref, content_layer: layer }) => ref === $ref && layer === 'body')?.text ?? [],
  );

describe('labels from a layout model', () => {
  test('take precedence over size, weight and signs of the text', async () => {
    const document = await readSeen(
      (pdf) => {
        line(pdf, 'The harbour', 72, 72);
        line(pdf, 'Of tides', 72, 100);
        line(pdf, 'The gauge is read every morning.', 72, 130);
        line(pdf, 'A view of the pier', 72, 160);
        line(pdf, 'oil the gauge', 72, 190);
        line(pdf, 'call the engineer', 72, 220);
        line(pdf, 'level = gauge + offset', 72, 250);
        line(pdf, 'See the yearbook.', 72, 280);
        line(pdf, 'let level = 4', 72, 310);
        pdf.fontSize(30).text('Large as a title', 72, 340, { lineBreak: false });
      },
      detect(
        region('title', at(70, 70, 300, 16)),
        region('section_header', at(70, 98, 300, 16)),
        region('text', at(70, 128, 300, 16)),
        region('caption', at(70, 158, 300, 16)),
        region('list_item', at(70, 188, 300, 16)),
        region('checkbox_selected', at(70, 218, 300, 16)),
        region('formula', at(70, 248, 300, 16)),
        region('footnote', at(70, 278, 300, 16)),
        region('code', at(70, 308, 300, 16)),
        region('text', at(70, 338, 400, 40)),
      ),
    );
    expect(document.texts.map(({ label, text, orig }) => [label, text || orig])).toEqual([
      ['title', 'The harbour'],
      ['section_header', 'Of tides'],
      ['text', 'The gauge is read every morning.'],
      ['caption', 'A view of the pier'],
      ['list_item', 'oil the gauge'],
      ['checkbox_selected', 'call the engineer'],
      ['formula', '\\mathrm{level}=\\mathrm{gauge}+\\mathrm{offset}'],
      ['footnote', 'See the yearbook.'],
      ['code', 'let level = 4'],
      ['text', 'Large as a title'],
    ]);
  });

  test('make headers and footers furniture on a single page too', async () => {
    const document = await readSeen(
      (pdf) => {
        line(pdf, 'Harbour office', 72, 72);
        line(pdf, 'The water is high.', 72, 300);
        line(pdf, 'Printed in May', 72, 600);
      },
      detect(region('page_header', at(70, 70, 200, 16)), region('page_footer', at(70, 598, 200, 16))),
    );
    expect(labelled(document, 'page_header')).toEqual(['Harbour office']);
    expect(labelled(document, 'page_footer')).toEqual(['Printed in May']);
    expect(order(document)).toEqual(['The water is high.']);
  });

  test('join lines that the rules would separate, and separate lines that they would join', async () => {
    const text = (pdf: Drawing) => {
      line(pdf, 'One begins here.', 72, 72);
      line(pdf, 'And ends there.', 72, 120);
      line(pdf, 'Two stands alone', 72, 300);
      line(pdf, 'three too', 72, 313);
    };
    const document = await readSeen(
      text,
      detect(
        region('text', at(70, 70, 200, 70)),
        region('text', at(70, 298, 200, 14)),
        region('text', at(70, 312, 200, 14)),
      ),
    );
    expect(labelled(document, 'text')).toEqual(['One begins here. And ends there.', 'Two stands alone', 'three too']);
  });

  test('a line across two regions is split between its words', async () => {
    const document = await readSeen(
      (pdf) => line(pdf, 'left words right words', 72, 72),
      detect(region('text', at(70, 68, 58, 20)), region('code', at(129, 68, 80, 20))),
    );
    expect(document.texts.map(({ label, text }) => [label, text])).toEqual([
      ['text', 'left words'],
      ['code', 'right words'],
    ]);
  });
});

describe('overlapping regions', () => {
  const twoLines = (pdf: Drawing) => {
    line(pdf, 'first line', 72, 72);
    line(pdf, 'second line', 72, 86);
  };
  const box = at(70, 70, 100, 30);
  test.each([
    [
      'the region with the higher score wins',
      [region('text', box, 0.6), region('section_header', box, 0.9)],
      'section_header',
    ],
    [
      'a list item wins over a text of its size',
      [region('list_item', box, 0.6), region('text', box, 0.9)],
      'list_item',
    ],
    [
      'code wins over the regions inside it',
      [region('code', box, 0.5), region('text', at(70, 70, 90, 28), 0.9)],
      'code',
    ],
    [
      'the larger region wins when the scores are close',
      [region('caption', at(70, 70, 100, 15), 0.7), region('text', box, 0.68)],
      'text',
    ],
    ['a region with a low score is ignored', [region('text', box, 0.6), region('code', box, 0.44)], 'text'],
  ])('%s, and keeps the text of both', async (_name, regions, label) => {
    const document = await readSeen(twoLines, detect(...regions));
    expect(document.texts.map((item) => [item.label, item.text.replace('\n', ' ')])).toEqual([
      [label, 'first line second line'],
    ]);
  });

  test('a picture as large as the page is ignored, and a picture at the position of a table is read as the table', async () => {
    const document = await readSeen(
      (pdf) => {
        twoLines(pdf);
        line(pdf, 'a', 72, 400);
        line(pdf, 'b', 200, 400);
      },
      detect(
        region('picture', { x0: 0, y0: 0, x1: 1, y1: 1 }),
        region('picture', at(70, 395, 200, 30)),
        region('table', at(70, 394, 202, 30)),
      ),
    );
    expect(document.pictures).toHaveLength(0);
    expect(grid(document)).toEqual([['a', 'b']]);
    expect(labelled(document, 'text')).toEqual(['first line second line']);
  });
});

describe('the content of regions', () => {
  test('text in a picture becomes its child, and its caption stays a caption', async () => {
    const document = await readSeen(
      (pdf) => {
        line(pdf, 'Before the picture.', 72, 72);
        line(pdf, 'mast', 120, 140);
        line(pdf, 'The boat', 72, 260);
      },
      detect(
        region('text', at(70, 70, 300, 16)),
        region('picture', at(70, 100, 300, 150)),
        region('text', at(118, 138, 60, 16)),
        region('caption', at(70, 258, 100, 16)),
      ),
    );
    const [picture] = document.pictures;
    expect(picture?.captions).toHaveLength(1);
    expect(document.texts.map(({ label, text, parent }) => [label, text, parent?.$ref])).toEqual([
      ['text', 'Before the picture.', '#/body'],
      ['caption', 'The boat', '#/pictures/0'],
      ['text', 'mast', '#/pictures/0'],
    ]);
    expect(picture?.prov[0]?.bbox.l).toBeCloseTo(70, 0);
    expect(picture?.prov[0]?.bbox.t).toBeCloseTo(pageHeight - 100, 0);
  });

  test('text outside all regions is handled by the rules', async () => {
    const document = await readSeen(
      (pdf) => {
        pdf.fontSize(20).text('Seen by nobody', 72, 72, { lineBreak: false });
        line(pdf, 'Found as text by the model.', 72, 130);
        line(pdf, 'And this one is found by nobody.', 72, 500);
        ruledTable(
          pdf,
          [
            ['Pier', 'Level'],
            ['North', '4.1'],
            ['South', '3.9'],
          ],
          { x: 72, y: 560, width: 120, height: 20 },
        );
      },
      detect(region('text', at(70, 128, 300, 16))),
    );
    expect(order(document)).toEqual([
      'Seen by nobody',
      'Found as text by the model.',
      'And this one is found by nobody.',
    ]);
    expect(document.texts[0]?.label).toBe('section_header');
    expect(grid(document)).toEqual([
      ['Pier', 'Level'],
      ['North', '4.1'],
      ['South', '3.9'],
    ]);
  });

  test('a table gets rows and columns from rulings, else from the white space between words', async () => {
    const rows = [
      ['Pier', 'Level'],
      ['North', '4.1'],
    ];
    const content = (pdf: Drawing) => {
      ruledTable(pdf, rows, { x: 72, y: 72, width: 100, height: 20 });
      ['Month', 'Rain in mm'].forEach((text, column) => line(pdf, text, 72 + 150 * column, 300));
      ['May', '31'].forEach((text, column) => line(pdf, text, 72 + 150 * column, 330));
    };
    const models = detect(region('table', at(68, 68, 210, 50)), region('table', at(68, 296, 260, 50)));
    const document = await readSeen(content, models);
    expect([grid(document, 0), grid(document, 1)]).toEqual([
      rows,
      [
        ['Month', 'Rain in mm'],
        ['May', '31'],
      ],
    ]);
    const none = await readSeen(content, models, { paged: { tableMode: 'none' } });
    expect(none.tables).toHaveLength(0);
    const words = 'Pier Level North 4.1 Month Rain in mm May 31'.split(' ');
    expect(order(none).join(' ').split(' ').toSorted()).toEqual(words.toSorted());
  });

  test('columns are read one after the other', async () => {
    const [left, right] = [
      ['Left one.', 'Left two.'],
      ['Right one.', 'Right two.'],
    ];
    const long = ' The gauge stands at the northern pier and is oiled.';
    const models = detect(
      ...[0, 1].flatMap((index) => [
        region('text', at(70, 70 + 100 * index, 220, 80)),
        region('text', at(310, 70 + 100 * index, 220, 80)),
      ]),
    );
    const document = await readSeen((pdf) => {
      // Drawn row by row, unlike in a word processor.
      for (const index of [0, 1])
        [left, right].forEach((column, place) =>
          pdf.fontSize(10).text(column[index] + long.repeat(3), 72 + 240 * place, 72 + 100 * index, { width: 215 }),
        );
    }, models);
    expect(order(document).map((text) => text.split('.')[0])).toEqual([
      'Left one',
      'Left two',
      'Right one',
      'Right two',
    ]);
  });
});

describe('a page rotated for reading', () => {
  test('is rotated for the model, and its boxes are given as the page is displayed', async () => {
    const turns: number[] = [];
    const sideways = (pdf: Drawing) => {
      (pdf as unknown as { rotate(angle: number, options: object): void }).rotate(90, { origin: [300, 300] });
      ['The gauge stands at the pier.', 'It is read every morning.'].forEach((text, index) =>
        line(pdf, text, 200, 200 + 20 * index),
      );
    };
    const plain = await readSeen(sideways, {});
    const document = await readSeen(sideways, {
      layout: ({ turned }) => {
        turns.push(turned);
        return Promise.resolve([region('section_header', { x0: 0, y0: 0, x1: 1, y1: 1 })]);
      },
    });
    expect(turns).toEqual([270]);
    expect(labelled(document, 'section_header')).toEqual(['The gauge stands at the pier. It is read every morning.']);
    expect(document.texts[0]?.prov[0]?.bbox).toEqual(plain.texts[0]?.prov[0]?.bbox);
  });
});

test('a scan rotated for reading is rotated for the model too', async () => {
  const turns: number[] = [];
  const word = (text: string, y: number) => ({
    text,
    confidence: 1,
    box: { x0: 100, y0: y, x1: 400, y1: y + 30 },
    line: y,
    baseline: y + 28,
    height: 30,
  });
  const words = [word('Harbour', 100), word('Levels', 900)];
  const recognize = () => Promise.resolve({ words, turned: 90 as const, width: 2_339, height: 1_654 });
  const layout: PageModels['layout'] = ({ turned }) => {
    turns.push(turned);
    return Promise.resolve([region('caption', { x0: 0, y0: 0.5, x1: 0.5, y1: 0.6 })]);
  };
  const document = await read(await draw((pdf) => line(pdf, 'x', 72, 72)), {
    name: 'a.pdf',
    limits: defaultLimits,
    ocr: { mode: 'force', recognize },
    models: { layout },
  });
  expect(turns).toEqual([90]);
  expect(document.texts.map(({ label, text }) => [label, text])).toEqual([
    ['text', 'Harbour'],
    ['caption', 'Levels'],
  ]);
});

describe('a failing model', () => {
  const twoPages = (pdf: Drawing) => {
    line(pdf, 'Page one.', 72, 72);
    pdf.addPage();
    line(pdf, 'Page two.', 72, 72);
  };

  test('is reported once with its code, and the rules take over', async () => {
    const warnings: string[] = [];
    let asked = 0;
    const layout = () => {
      asked += 1;
      return Promise.reject(new AppError('PAGE_MODEL_INVALID', 'The model has no head.'));
    };
    const document = await readSeen(twoPages, { layout }, { warnings });
    expect(order(document)).toEqual(['Page one.', 'Page two.']);
    expect(warnings).toEqual([
      'layout: The layout is found by rules, since the model cannot be used: The model has no head. (PAGE_MODEL_INVALID)',
    ]);
    expect(asked).toBe(1);
  });

  test('for tables does not affect the layout model', async () => {
    const warnings: string[] = [];
    const models: PageModels = {
      ...detect(region('table', at(70, 70, 100, 20))),
      tables: () => Promise.reject(new AppError('OPTIONAL_PACKAGE_MISSING', 'No runtime.')),
    };
    const document = await readSeen(twoPages, models, { warnings });
    expect(document.tables).toHaveLength(2);
    expect(warnings).toEqual([
      'tables: Rows and columns of tables are found by rules, since the model cannot be used: No runtime. (OPTIONAL_PACKAGE_MISSING)',
    ]);
  });
});
