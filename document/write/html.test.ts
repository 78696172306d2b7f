import { createDocument, type DocumentBuilder } from '../builder';
import { chunkHierarchically } from '../chunk/hierarchical';
import { tableCell } from '../grid';
import type { DoclingDocument, ImageRef } from '../model';
import { toDoctags } from './doctags';
import { type HtmlOptions, toHtml } from './html';
import { toMarkdown } from './markdown';
import { toMathml } from './mathml';
import { toText } from './text';

function built(build: (builder: DocumentBuilder) => void): DoclingDocument {
  const builder = createDocument('sample');
  build(builder);
  return builder.document;
}
function findHtml(build: (builder: DocumentBuilder) => void, options: HtmlOptions = {}): string {
  return /<div class='page'>\n([^]*)\n<\/div>\n<\/body>/.exec(toHtml(built(build), options))![1]!;
}

/** A region of keys and values; a link is [from, to, label]. */
function withGraph(
  label: 'key_value_region' | 'form',
  cells: [string, 'key' | 'value' | 'checkbox'][],
  links: [number, number, string][],
): DoclingDocument {
  const document = built(() => undefined);
  const array = label === 'form' ? 'form_items' : 'key_value_items';
  const item = {
    self_ref: `#/${array}/0`,
    parent: { $ref: '#/body' },
    children: [],
    content_layer: 'body',
    meta: null,
    label,
    prov: [],
    captions: [],
    references: [],
    footnotes: [],
    graph: {
      cells: cells.map(([text, kind], cell_id) => ({ label: kind, cell_id, text, orig: text })),
      links: links.map(([source_cell_id, target_cell_id, kind]) => ({ label: kind, source_cell_id, target_cell_id })),
    },
  };
  document[array] = [item as never];
  document.body.children.push({ $ref: `#/${array}/0` });
  return document;
}

describe('toHtml', () => {
  test('headings: the title is h1, levels end at h6', () => {
    const html = findHtml((builder) => {
      builder.text('title', 'T');
      for (const level of [1, 5, 9]) builder.heading(level, `L${level}`);
    });
    expect(html).toBe('<h1>T</h1>\n<h2>L1</h2>\n<h6>L5</h6>\n<h6>L9</h6>');
  });

  test('a line break is br; an empty paragraph keeps its line', () => {
    expect(findHtml((builder) => [builder.text('text', 'a\nb'), builder.text('paragraph', '')])).toBe(
      '<p>a<br>b</p>\n<p></p>',
    );
  });

  test('a formula is MathML with its TeX, inline ones within the line', () => {
    const html = findHtml((builder) => {
      builder.text('formula', 'a<b');
      const inline = builder.group('inline');
      builder.text('text', 'So', { parent: inline });
      builder.text('formula', 'x^2', { parent: inline });
    });
    expect(html).toBe(
      '<div><math xmlns="http://www.w3.org/1998/Math/MathML" display="block"><mrow><mi>a</mi><mo>&#x0003C;</mo><mi>b</mi></mrow><annotation encoding="TeX">a&lt;b</annotation></math></div>\n' +
        '<span class=\'inline-group\'>So <math xmlns="http://www.w3.org/1998/Math/MathML" display="inline"><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow><annotation encoding="TeX">x^2</annotation></math></span>',
    );
  });

  test('a formula that cannot be typeset stays TeX, and a formula that was not decoded is marked', () => {
    const html = findHtml((builder) => {
      builder.text('formula', '\\frac{a <');
      builder.text('formula', '', { orig: 'pixels' });
    });
    expect(html).toBe('<pre>\\frac{a &lt;</pre>\n<div class="formula-not-decoded">Formula not decoded</div>');
  });

  const image: ImageRef = {
    mimetype: 'image/png',
    dpi: 72,
    size: { width: 1, height: 1 },
    uri: 'data:image/png;base64,AA==',
  };
  test.each([
    ['placeholder', image.uri, ''],
    ['embedded', image.uri, '<figure><img src="data:image/png;base64,AA=="></figure>'],
    ['embedded', 'images/a.png', ''],
    ['referenced', 'images/a.png', '<figure><img src="images/a.png"></figure>'],
    ['referenced', 'javascript:alert(1)', ''],
  ] as const)('image mode %s with %s', (imageMode, uri, expected) => {
    expect(findHtml((builder) => builder.picture({ image: { ...image, uri } }), { imageMode })).toBe(expected);
  });

  test('annotations of a picture are in details: class, description, chart data as a table, its program', () => {
    const html = findHtml((builder) => {
      const picture = builder.picture();
      picture.meta = {
        description: { text: 'Sales & more' },
        classification: {
          predictions: [
            { class_name: 'pie_chart', confidence: 0.2 },
            { class_name: 'bar_chart', confidence: 0.7 },
          ],
        },
        tabular_chart: {
          chart_data: {
            num_rows: 1,
            num_cols: 2,
            table_cells: [tableCell(0, 0, 'Q1', { row_header: true }), tableCell(0, 1, '7')],
          },
        },
        code: { text: 'draw <all>' },
      };
    });
    const field = (name: string, value: string) =>
      `<div class="docling-meta-field" data-meta-name="${name}"><span class="docling-meta-field-label">${name}:</span> ${value}</div>`;
    const span = (value: string) => `<span class="docling-meta-field-value">${value}</span>`;
    expect(html).toBe(
      `<figure><details class="docling-meta"><summary>Meta</summary>${[
        field('description', span('Sales &amp; more')),
        field('classification', span('Bar chart')),
        field('tabular_chart', span('<table><tbody><tr><th>Q1</th><td>7</td></tr></tbody></table>')),
        field('code', '<pre class="docling-meta-code"><code>draw &lt;all&gt;</code></pre>'),
      ].join('')}</details></figure>`,
    );
  });

  test('texts of fields follow even if their regions are empty', () => {
    const document = built((builder) => builder.text('field_key', 'Name'));
    const region = {
      ...document.texts[0]!,
      self_ref: '#/field_regions/0',
      label: 'field_region',
      captions: [],
      references: [],
      footnotes: [],
    };
    document.body.children = [{ $ref: '#/field_regions/0' }];
    document.texts[0]!.parent = { $ref: '#/field_regions/0' };
    const { text: _text, orig: _orig, formatting: _formatting, hyperlink: _hyperlink, ...item } = region;
    document.field_regions = [{ ...item, label: 'field_region', children: [{ $ref: '#/texts/0' }] } as never];
    expect(toHtml(document)).toContain('<p>Name</p>');
    expect(toMarkdown(document)).toBe('<!-- missing-text -->\n\nName');
    expect(toText(document)).toBe('<!-- missing-text -->\n\nName');
    expect([...chunkHierarchically(document)].map(({ text }) => text)).toEqual(['Name']);
    expect(toDoctags(document)).not.toContain('undefined');
  });
});

describe('key-value regions and forms', () => {
  const document = withGraph(
    'key_value_region',
    [
      ['Assets', 'key'],
      ['Cash & more', 'key'],
      ['12', 'value'],
      ['USD', 'value'],
      ['alone', 'key'],
    ],
    [
      [0, 1, 'to_child'],
      [1, 2, 'to_value'],
      [1, 3, 'to_value'],
    ],
  );

  test('HTML: keys with their values, nested keys as lists; a key without either is omitted', () => {
    expect(toHtml(document)).toContain(
      '<div class="key-value-region">\n<ul class="key-value-region">\n<li>Assets\n<ul>\n<li><strong>Cash &amp; more</strong>: 12, USD</li>\n</ul>\n</li>\n</ul>\n</div>',
    );
  });

  test('HTML: a form has its own class', () => {
    const form = withGraph(
      'form',
      [
        ['Name', 'key'],
        ['Ann', 'value'],
      ],
      [[0, 1, 'to_value']],
    );
    expect(toHtml(form)).toContain(
      '<div class="form-container">\n<ul class="form-container">\n<li><strong>Name</strong>: Ann</li>',
    );
    expect(toMarkdown(form)).toBe('<!-- missing-form-item -->');
    expect(toDoctags(form)).toBe('<doctag>\n</doctag>');
  });

  test('a cycle of keys does not loop forever', () => {
    const ring = withGraph(
      'key_value_region',
      [
        ['a', 'key'],
        ['b', 'key'],
        ['v', 'value'],
      ],
      [
        [0, 1, 'to_child'],
        [1, 0, 'to_child'],
        [1, 2, 'to_value'],
      ],
    );
    expect(toHtml(ring)).toContain('<li><strong>b</strong>: v</li>');
  });

  test('Markdown and text have a mark, DocTags keys and values by number', () => {
    expect(toMarkdown(document)).toBe('<!-- missing-key-value-item -->');
    expect(toText(document)).toBe('<!-- missing-key-value-item -->');
    expect(toDoctags(document)).toContain('<key_1>Cash & more<link_2><link_3></key_1><value_2>12</value_2>');
  });
});

describe('charts', () => {
  const chart = { num_rows: 1, num_cols: 1, table_cells: [tableCell(0, 0, '7')] };
  test.each([
    [
      'meta',
      {
        meta: { classification: { predictions: [{ class_name: 'bar_chart' }] }, tabular_chart: { chart_data: chart } },
      },
    ],
    [
      'old annotations',
      {
        annotations: [
          { kind: 'classification', predicted_classes: [{ class_name: 'bar_chart' }] },
          { kind: 'tabular_chart_data', chart_data: chart },
        ],
      },
    ],
  ])('DocTags write class and data of a chart, from %s', (_, known) => {
    const document = built((builder) => Object.assign(builder.picture(), known));
    expect(toDoctags(document)).toBe('<doctag><chart><bar_chart><fcel>7<nl></chart>\n</doctag>');
  });
});

describe('mathmlOf', () => {
  test('old environments are typeset', () => {
    expect(toMathml('\\begin{eqnarray}a&=&b\\\\c&=&d\\end{eqnarray}', 'block')).toContain('<mtable');
    expect(toMathml('\\begin{equation*}a\\end{equation*}', 'block')).toContain('<mi>a</mi>');
  });

  test.each([
    '\\href{javascript:alert(1)}{x}',
    '\\includegraphics{http://a/b.png}',
    '\\style{x:y}{z}',
    '\\class{a"b}{x}',
  ])('%s is not obeyed', (tex) => {
    expect(toMathml(tex, 'inline') ?? '').not.toMatch(/href=|src=|style=|class=/);
  });

  test('input that is not a formula is rejected quickly', () => {
    const start = process.cpuUsage();
    for (const tex of [
      '{'.repeat(5_000),
      '\\frac'.repeat(3_000),
      '\\def\\a{\\a\\a}\\a',
      '\\left('.repeat(2_000),
      'x'.repeat(30_000),
    ])
      expect(toMathml(tex, 'block')).toBeUndefined();
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(5_000);
  });
});

test('a paragraph in several styles is a block like any other', () => {
  const builder = createDocument('styles');
  const group = builder.group('inline');
  builder.text('text', 'It is', { parent: group });
  builder.text('text', 'so', { parent: group });
  const html = toHtml(builder.document);
  expect(html).toContain(`<div class='page'>\n<span class='inline-group'>It is so</span>`);
  expect(html).toContain('.page > .inline-group { display: block;');
});
