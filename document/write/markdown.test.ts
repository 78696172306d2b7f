import { createDocument, type DocumentBuilder } from '../builder';
import { tableCell } from '../grid';
import type { Provenance, TableCell } from '../model';
import { toMarkdownWithSpans } from '../pages';
import { toMarkdown, toMarkdownPages } from './markdown';
import { pipeTable } from './markdown-table';
import { escapeMarkdown } from './markdown-text';
import { toText } from './text';

const onPage = (page: number): Provenance[] => [
  { page_no: page, bbox: { l: 10, t: 700, r: 200, b: 680, coord_origin: 'BOTTOMLEFT' }, charspan: [0, 1] },
];

function written(build: (builder: DocumentBuilder) => void): string {
  const builder = createDocument('sample');
  build(builder);
  const markdown = toMarkdown(builder.document);
  expect(toMarkdownWithSpans(builder.document).markdown).toBe(markdown);
  return markdown;
}

describe('toMarkdown', () => {
  test('a title has one hash, a heading one more than its level, without a maximum', () => {
    const text = written((builder) => {
      builder.text('title', 'A\nB');
      builder.heading(1, 'one');
      builder.heading(9, 'nine');
    });
    expect(text).toBe('# A B\n\n## one\n\n########## nine');
  });

  test('underscores and angle brackets are escaped, other characters are not', () => {
    expect(escapeMarkdown('a_b \\_c <d> & "e" *f* # g | h `i`')).toBe('a\\_b \\_c &lt;d&gt; &amp; "e" *f* # g | h `i`');
    expect(escapeMarkdown('x_y ![a_b](c_d) e_f')).toBe('x\\_y ![a_b](c_d) e\\_f');
  });

  test.each(['#', '##', '# g'])('a text %j is no heading', (text) => {
    expect(written((builder) => builder.text('text', text))).toBe(`\\${text}`);
    const cell = { table_cells: [tableCell(0, 0, text)], num_rows: 1, num_cols: 1 };
    expect(written((builder) => builder.table(cell))).not.toContain('\\');
  });

  test('what looks like a tag is escaped in cells too, because viewers hide tags', () => {
    const text = written((builder) =>
      builder.table({ table_cells: [tableCell(0, 0, '<A1> & </p> < 2 <-')], num_rows: 1, num_cols: 1 }),
    );
    expect(text).toContain('| &lt;A1> & &lt;/p> < 2 <-   |');
  });

  test('a cell of a table within a cell has all of its content, also a further table', () => {
    const text = written((builder) => {
      const cells: TableCell[][] = [[], [], []];
      const tables = cells.map((table_cells, index) => {
        const parent = index === 0 ? undefined : builder.document.groups[index - 1];
        const item = builder.table({ table_cells, num_rows: 1, num_cols: 1 }, parent ? { parent } : {});
        builder.group('unspecified', { parent: item, name: 'cell' });
        return item;
      });
      for (const [index, group] of builder.document.groups.entries())
        tables[index]!.data.table_cells.push(tableCell(0, 0, '', { ref: { $ref: group.self_ref } }));
      builder.text('text', 'deep inside', { parent: builder.document.groups[2]! });
    });
    expect(text).toContain('| deep inside');
  });

  test('an asterisk at the end of a styled text is not part of the mark', () => {
    const formatting = {
      bold: true,
      italic: false,
      underline: false,
      strikethrough: false,
      script: 'baseline' as const,
    };
    expect(written((builder) => builder.text('text', '* note', { formatting }))).toBe('**\\* note**');
    expect(written((builder) => builder.text('text', '* note'))).toBe('* note');
  });

  test('styles and links wrap each other in a fixed order', () => {
    const formatting = { bold: true, italic: true, underline: true, strikethrough: true, script: 'sub' as const };
    expect(written((builder) => builder.text('text', 'x', { formatting, hyperlink: 'http://a_b' }))).toBe(
      '[~~***x***~~](http://a_b)',
    );
  });

  test('a line break stays one, an empty line stays empty', () => {
    expect(written((builder) => builder.text('text', 'a\nb\n\nc'))).toBe('a  \nb\n\nc');
  });

  test('code, formulas and checkboxes have their forms', () => {
    const text = written((builder) => {
      builder.code('a_b < c', { language: 'C' });
      builder.text('formula', 'x_1');
      builder.text('formula', '', { orig: 'x' });
      builder.text('checkbox_selected', 'done');
      builder.text('checkbox_unselected', 'open');
    });
    expect(text).toBe('```\na_b < c\n```\n\n$$x_1$$\n\n<!-- formula-not-decoded -->\n\n- [x] done\n\n- [ ] open');
  });

  test('list markers with letters or numbers of any script, and boxes, stay after the dash', () => {
    const text = written((builder) => {
      const list = builder.group('list');
      for (const marker of ['①', '가.', 'α)', '☑', '□', '■', '✓', '\uf0b7'])
        builder.listItem('item', { parent: list, marker });
    });
    expect(text.split('\n')).toEqual([
      '- ① item',
      '- 가. item',
      '- α) item',
      '- ☑ item',
      '- □ item',
      '- item',
      '- item',
      '- item',
    ]);
  });

  test('list markers: own ones that Markdown knows, else a dash or the position, letters after it', () => {
    const text = written((builder) => {
      const list = builder.group('list');
      const item = builder.listItem('first', { parent: list, enumerated: true, marker: '' });
      builder.listItem('second', { parent: list, enumerated: true, marker: '' });
      builder.listItem('roman', { parent: list, enumerated: true, marker: '(ii)' });
      builder.listItem('seven', { parent: list, enumerated: true, marker: '7.' });
      builder.listItem('bullet', { parent: list, marker: '•' });
      const inner = builder.group('list', { parent: item });
      builder.listItem('deep', { parent: inner, marker: '*' });
    });
    expect(text).toBe('1. first\n    * deep\n2. second\n- (ii) roman\n7. seven\n- bullet');
  });

  test('runs of an inline group are joined by blanks, even as the text of a heading', () => {
    const text = written((builder) => {
      const heading = builder.heading(1, '');
      const group = builder.group('inline', { parent: heading });
      builder.text('text', 'Use', { parent: group });
      builder.code('a_b', { parent: group });
      builder.text('formula', 'x', { parent: group });
      builder.text('text', 'below', { parent: heading });
    });
    expect(text).toBe('## Use `a_b` $x$\n\nbelow');
  });

  test('captions come before their table or picture, and once only', () => {
    const text = written((builder) => {
      const table = builder.table({
        table_cells: [tableCell(0, 0, 'a\nb'), tableCell(1, 0, 'c|d')],
        num_rows: 2,
        num_cols: 1,
      });
      builder.caption(table, 'Table_1');
      const caption = builder.text('caption', 'Figure 1');
      builder.picture({ captions: [caption] });
      builder.table({ table_cells: [], num_rows: 0, num_cols: 0 });
    });
    expect(text).toBe('Table\\_1\n\n| a b      |\n|----------|\n| c&#124;d |\n\nFigure 1\n\n<!-- image -->');
  });

  test('pictures are placeholders, data or references', () => {
    const builder = createDocument('sample');
    const size = { width: 1, height: 1 };
    builder.picture({ image: { mimetype: 'image/png', dpi: 72, size, uri: 'data:image/png;base64,AA==' } });
    builder.picture({ image: { mimetype: 'image/png', dpi: 72, size, uri: 'artifacts/1.png' } });
    const modes = (['placeholder', 'embedded', 'referenced'] as const).map((imageMode) =>
      toMarkdown(builder.document, { imageMode, imagePlaceholder: 'IMG' }),
    );
    expect(modes).toEqual([
      'IMG\n\nIMG',
      '![Image](data:image/png;base64,AA==)\n\n<!-- image is not available -->',
      'IMG\n\n![Image](artifacts/1.png)',
    ]);
  });

  test('only the body is written unless other layers are requested', () => {
    const builder = createDocument('sample');
    builder.text('page_header', 'head', { layer: 'furniture' });
    builder.text('text', 'body');
    expect(toMarkdown(builder.document)).toBe('body');
    expect(toMarkdown(builder.document, { layers: ['body', 'furniture'] })).toBe('head\n\nbody');
  });

  test('a page break is marked where the page number increases; in lists the mark is a separate block', () => {
    const builder = createDocument('sample');
    builder.text('text', 'one', { prov: onPage(1) });
    const list = builder.group('list');
    builder.listItem('two', { parent: list, prov: onPage(1) });
    builder.listItem('three', { parent: list, prov: onPage(3) });
    builder.text('text', 'without page');
    expect(toMarkdown(builder.document, { pageBreakPlaceholder: '<!-- page -->' })).toBe(
      'one\n\n- two\n\n<!-- page -->\n\n- three\n\nwithout page',
    );
    expect(toMarkdownPages(builder.document)).toEqual([
      { page: 1, text: 'one\n\n- two' },
      { page: 3, text: '- three\n\nwithout page' },
    ]);
  });

  test('annotations of a picture follow it', () => {
    const text = written((builder) => {
      const picture = builder.picture();
      picture.meta = {
        classification: {
          predictions: [
            { class_name: 'logo', confidence: 0.1 },
            { class_name: 'bar_chart', confidence: 0.9 },
          ],
        },
        description: { text: 'Sales rise.' },
      };
    });
    expect(text).toBe('<!-- image -->\n\nSales rise.\n\nBar chart');
  });

  test('a description that starts with a number sign is not a heading', () => {
    const text = written((builder) => {
      builder.picture().meta = { description: { text: '# of Incidents, 2024' } };
    });
    expect(text).toBe('<!-- image -->\n\n\\# of Incidents, 2024');
  });
});

describe('pipeTable', () => {
  test('columns are padded, and numbers are right-aligned', () => {
    const rows = [
      ['n', 'name', 'mixed'],
      ['1', 'x', '1'],
      ['2,000.5', 'yy', 'b'],
      ['', 'z', ''],
    ];
    expect(pipeTable(rows)).toBe(
      [
        '|       n | name   | mixed   |',
        '|---------|--------|---------|',
        '|       1 | x      | 1       |',
        '| 2,000.5 | yy     | b       |',
        '|         | z      |         |',
      ].join('\n'),
    );
  });

  test('a table that padding would enlarge too much is written without padding', () => {
    const rows = Array.from({ length: 1000 }, (_, index) => [index === 1 ? 'x'.repeat(100_000) : 'y']);
    expect(pipeTable(rows).length).toBeLessThan(110_000);
    expect(pipeTable([['a', 'b']], { compact: true })).toBe('| a | b |\n| - | - |');
  });
});

describe('toMarkdownWithSpans', () => {
  test('each block has its range, page, headings in force and box from the top left', () => {
    const builder = createDocument('sample');
    builder.page(1, 600, 800);
    builder.text('title', 'Title', { prov: onPage(1) });
    builder.heading(1, 'First', { prov: onPage(1) });
    const list = builder.group('list');
    builder.listItem('item', { parent: list, prov: onPage(1) });
    builder.heading(2, 'Deep', { prov: onPage(2) });
    builder.heading(1, 'Second');
    builder.text('text', 'end');
    const { markdown, spans } = toMarkdownWithSpans(builder.document);
    expect(
      spans.map(({ start, end, page, headings }) => [markdown.slice(start, end), page, headings.join('/')]),
    ).toEqual([
      ['# Title', 1, 'Title'],
      ['## First', 1, 'Title/First'],
      ['- item', 1, 'Title/First'],
      ['### Deep', 2, 'Title/First/Deep'],
      ['## Second', undefined, 'Title/Second'],
      ['end', undefined, 'Title/Second'],
    ]);
    expect(spans[0]!.bbox).toEqual([10, 100, 200, 120]);
  });

  test('a cell with its own content is written where it begins, a plain cell in every place that it spans', () => {
    const builder = createDocument('spans');
    const cells = [
      tableCell(0, 0, 'plain', { col_span: 2, column_header: true }),
      tableCell(1, 0, 'rich', { col_span: 2 }),
    ];
    const table = builder.table({ table_cells: cells, num_rows: 2, num_cols: 2 });
    const group = builder.group('unspecified', { parent: table });
    builder.listItem('rich', { parent: builder.group('list', { parent: group }) });
    cells[1]!.ref = { $ref: group.self_ref };
    expect(toMarkdown(builder.document, { compactTables: true })).toBe('| plain | plain |\n| - | - |\n| - rich |  |');
  });

  test('the name of a visible sheet is a heading, in Markdown only, above its tables', () => {
    const builder = createDocument('book');
    const first = builder.group('sheet', { name: 'Net_sales' });
    builder.table(
      { table_cells: [tableCell(0, 0, 'a')], num_rows: 1, num_cols: 1 },
      { parent: first, prov: onPage(1) },
    );
    builder.group('sheet', { name: 'Empty' });
    const hidden = builder.group('sheet', { name: 'Hidden', layer: 'invisible' });
    builder.text('text', 'secret', { parent: hidden, layer: 'invisible' });
    const { markdown, spans } = toMarkdownWithSpans(builder.document);
    expect(markdown).toBe('## Net\\_sales\n\n| a   |\n|-----|\n\n## Empty');
    expect(spans.map(({ headings, page }) => [headings, page])).toEqual([
      [['Net_sales'], 1],
      [['Net_sales'], 1],
      [['Empty'], undefined],
    ]);
    expect(toText(builder.document)).not.toContain('sales');
  });
});

describe('raised and lowered text of a PDF', () => {
  function writeRuns(mimetype: string, options: Parameters<typeof toMarkdown>[1] = {}): string {
    const builder = createDocument('a', { mimetype, filename: 'a', binary_hash: 1n });
    const look = { bold: false, italic: false, underline: false, strikethrough: false };
    const parent = builder.group('inline');
    builder.text('text', 'CO', { parent });
    builder.text('text', '2', { parent, formatting: { ...look, script: 'sub' } });
    builder.text('text', 'in the air', { parent });
    builder.text('text', '7', { parent, formatting: { ...look, bold: true, script: 'super' } });
    builder.text('text', ', and', { parent });
    return toMarkdown(builder.document, options);
  }

  test('is HTML next to its word; punctuation after it needs no space', () => {
    expect(writeRuns('application/pdf')).toBe('CO<sub>2</sub> in the air<sup>**7**</sup>, and');
    expect(writeRuns('application/pdf', { dialect: 'github' })).toBe('CO<sub>2</sub> in the air<sup>**7**</sup>, and');
  });

  test('is a word of its own in plain text and in documents of other formats', () => {
    expect(writeRuns('application/pdf', { plain: true })).toBe('CO 2 in the air 7, and');
    expect(writeRuns('text/html')).toBe('CO 2 in the air **7** , and');
  });
});

test('a number sign at the start of a text does not make it a heading', () => {
  const builder = createDocument('a');
  builder.text('text', '# of incidents, by #1');
  builder.text('text', '#1 of all');
  expect(toMarkdown(builder.document)).toBe('\\# of incidents, by #1\n\n#1 of all');
});
