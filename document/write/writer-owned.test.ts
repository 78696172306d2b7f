import { createDocument, type DocumentBuilder } from '../builder';
import { tableCell } from '../grid';
import type { DoclingDocument, NodeItem, TextItem } from '../model';
import { toDoclang } from './doclang';
import { toDoctags } from './doctags';
import { toHtml } from './html';
import { toMarkdown } from './markdown';
import { toText } from './text';

function built(build: (builder: DocumentBuilder) => void): DoclingDocument {
  const builder = createDocument('sample');
  build(builder);
  return builder.document;
}
const findHtml = (document: DoclingDocument) =>
  /<div class='page'>\n([^]*)\n<\/div>\n<\/body>/.exec(toHtml(document))![1]!;
const oneByOne = (text: string) => ({ table_cells: [tableCell(0, 0, text)], num_rows: 1, num_cols: 1 });
const ref = ({ self_ref }: NodeItem) => ({ $ref: self_ref });

/** A region of keys and values with a caption. */
function addRegion(builder: DocumentBuilder): void {
  const { document } = builder;
  const caption = builder.text('caption', 'Keys');
  const self_ref = '#/key_value_items/0';
  document.key_value_items.push({
    self_ref,
    parent: { $ref: '#/body' },
    children: [],
    content_layer: 'body',
    label: 'key_value_region',
    prov: [],
    captions: [ref(caption)],
    references: [],
    footnotes: [],
    graph: {
      cells: [
        { label: 'key', cell_id: 0, text: "it's", orig: '' },
        { label: 'value', cell_id: 1, text: 'v', orig: '' },
      ],
      links: [{ label: 'to_value', source_cell_id: 0, target_cell_id: 1 }],
    },
  });
  document.body.children.push({ $ref: self_ref });
}

describe('captions', () => {
  test('of regions of keys and values are written in each format', () => {
    const document = built(addRegion);
    expect(toMarkdown(document)).toBe('Keys\n\n<!-- missing-key-value-item -->');
    expect(findHtml(document)).toContain('<figcaption><div class="caption">Keys</div></figcaption>');
    expect(findHtml(document)).toContain('<li><strong>it&#x27;s</strong>: v</li>');
    expect(toDoctags(document)).toContain('<caption>Keys</caption></key_value_region>');
  });

  test('of code follow it', () => {
    const document = built((builder) => {
      const code = builder.code('x');
      code.captions = [ref(builder.text('caption', 'Listing 1'))];
    });
    expect(toMarkdown(document)).toBe('```\nx\n```\n\nListing 1');
    expect(findHtml(document)).toBe('<pre><code>x</code></pre>\n<div class="caption">Listing 1</div>');
  });

  test('several boxes of one item follow each other in DocTags', () => {
    const document = built((builder) => {
      builder.page(1, 500, 500);
      const at = (l: number) => [{ page_no: 1, charspan: [0, 1], bbox: { l, t: 0, r: l + 1, b: 1 } }];
      const picture = builder.picture();
      builder.caption(picture, 'a', { prov: at(10) });
      builder.caption(picture, 'b', { prov: at(20) });
    });
    expect(toDoctags(document)).toContain('<caption><loc_10><loc_0><loc_11><loc_1><loc_20><loc_0><loc_21><loc_1>a b<');
  });
});

test('footnotes appear once in each format, below the table, picture or code that refers to them', () => {
  const document = built((builder) => {
    const add = (owner: { footnotes?: { $ref: string }[] }, text: string) => {
      owner.footnotes = [ref(builder.text('footnote', text))];
    };
    add(builder.table(oneByOne('cell')), 'tablenote');
    add(builder.picture(), 'picturenote');
    add(builder.code('code'), 'codenote');
    builder.text('text', 'after');
  });
  for (const text of [
    toMarkdown(document),
    findHtml(document),
    toText(document),
    toDoctags(document),
    toDoclang(document),
  ]) {
    const matches = text
      .match(/cell|tablenote|picturenote|code(?![>n])|codenote|after/g)!
      .filter((word, index, all) => all.indexOf(word) === index);
    expect(matches).toEqual(['cell', 'tablenote', 'picturenote', 'code', 'codenote', 'after']);
    for (const note of ['tablenote', 'picturenote', 'codenote']) expect(text.split(note)).toHaveLength(2);
  }
});

describe('cells', () => {
  const inCell = (fill: (builder: DocumentBuilder, parent: NodeItem) => NodeItem) =>
    toMarkdown(
      built((builder) => {
        const table = builder.table(oneByOne('x'));
        table.data.table_cells[0]!.ref = ref(fill(builder, table));
      }),
      { compactTables: true },
    );

  test('a table in a cell is its texts, once, with its annotations', () => {
    const text = inCell((builder, parent) => {
      const table = builder.table(
        { table_cells: [tableCell(0, 0, 'a', { col_span: 2 })], num_rows: 1, num_cols: 2 },
        { parent },
      );
      table.meta = { summary: { text: 'said' } };
      return table;
    });
    expect(text).toBe('| a  said |\n| - |');
  });

  test('a table that contains itself through its caption ends', () => {
    const document = built((builder) => {
      const outer = builder.table(oneByOne('x'));
      const caption = builder.text('caption', '', { parent: outer });
      const inline = builder.group('inline', { parent: caption });
      outer.captions.push(ref(caption));
      const inner = builder.table(oneByOne('y'), { parent: inline });
      const picture = builder.picture({ parent: inner });
      picture.captions.push(ref(caption));
      inner.data.table_cells[0]!.ref = ref(picture);
    });
    for (const write of [toMarkdown, toHtml, toText, toDoctags]) expect(write(document)).toEqual(expect.any(String));
  });

  test('lines of an item in a cell are not indented', () => {
    const text = inCell((builder, parent) => {
      const list = builder.group('list', { parent });
      const item = builder.listItem('one', { parent: list });
      const nested = builder.group('list', { parent: item });
      builder.listItem('two\nlines', { parent: nested });
      return list;
    });
    expect(text).toBe('| - one     - two   lines |\n| - |');
  });

  test('blanks around the text of cells are trimmed; bars in chart data are escaped', () => {
    const document = built((builder) => {
      const picture = builder.picture();
      const table_cells = [tableCell(0, 0, 'a|b'), tableCell(1, 0, ' 1 ')];
      picture.meta = { tabular_chart: { chart_data: { table_cells, num_rows: 2, num_cols: 1 } } };
    });
    expect(toMarkdown(document)).toContain('|   a&#124;b |\n|------------|\n|          1 |');
    expect(toMarkdown(document, { compactTables: true })).toContain('| a&#124;b |\n| - |\n| 1 |');
  });
});

describe('runs of one line', () => {
  const line = (fill: (add: (text: string) => TextItem, builder: DocumentBuilder, parent: NodeItem) => void) =>
    built((builder) => {
      builder.page(1, 500, 500);
      const parent = builder.group('inline');
      fill((text) => builder.text('text', text, { parent }), builder, parent);
    });

  test('annotations of a table are in a separate paragraph', () => {
    const document = line((add) => {
      add('a').meta = { summary: { text: 'said' } };
      add('b');
    });
    expect(toMarkdown(document)).toBe('a\n\nsaid b');
  });

  test('line ends of code among them stay as they are', () => {
    const document = built((builder) => {
      const text = builder.text('text', '');
      const parent = builder.group('inline', { parent: text });
      builder.text('text', 'a\nb', { parent });
      builder.code('c\nd', { parent });
    });
    expect(toMarkdown(document)).toBe('a  \nb `c\nd`');
  });

  test('their location in DocTags is the box around those of the first page', () => {
    const document = line((add) => {
      const at = (l: number, page_no = 1) => [{ page_no, charspan: [0, 1], bbox: { l, t: 5, r: l + 10, b: 9 } }];
      add('a').prov = at(40);
      add('b').prov = [...at(20), ...at(0, 2)];
    });
    expect(toDoctags(document)).toContain('<inline><loc_20><loc_5><loc_50><loc_9>\n<text>a</text>');
  });
});

test('lists of another layer leave no indent, and texts that are referenced twice appear once', () => {
  const document = built((builder) => {
    const hidden = builder.group('list', { layer: 'invisible' });
    builder.listItem('hidden', { parent: hidden, layer: 'invisible' });
    builder.listItem('seen', { parent: builder.group('list', { parent: hidden }) });
    builder.text('text', 'x').meta = { keywords: { values: ['one', 'two', 'one'] } };
  });
  expect(toMarkdown(document)).toBe('- seen\n\nx\n\none, two');
});

test('an empty list item is not written in HTML, an undecoded formula is marked, and an ampersand is typeset', () => {
  const document = built((builder) => {
    const parent = builder.group('list');
    builder.listItem('', { parent });
    builder.listItem('x', { parent });
    builder.text('formula', '');
    builder.text('formula', 'a & b');
  });
  const html = findHtml(document);
  expect(html.match(/<li/g)).toHaveLength(1);
  expect(html).toContain('Formula not decoded');
  expect(html).toContain('<annotation encoding="TeX">a &amp; b</annotation>');
});
