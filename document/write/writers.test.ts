import { createDocument, type DocumentBuilder } from '../builder';
import { tableCell } from '../grid';
import { documentFromJson } from '../json/json';
import { documentToJson } from '../json/write';
import { toDoclang } from './doclang';
import { toDoctags } from './doctags';
import { toHtml } from './html';
import { toText } from './text';

function built(build: (builder: DocumentBuilder) => void) {
  const builder = createDocument('a <b> document');
  build(builder);
  return builder.document;
}
const getBody = (html: string) => /<div class='page'>\n([^]*)\n<\/div>\n<\/body>/.exec(html)![1]!;

const sample = built((builder) => {
  builder.page(1, 500, 1000);
  builder.text('page_header', 'head', { layer: 'furniture' });
  builder.text('title', 'A & B', {
    prov: [{ page_no: 1, bbox: { l: 50, t: 900, r: 600, b: 800, coord_origin: 'BOTTOMLEFT' }, charspan: [0, 5] }],
  });
  const heading = builder.heading(1, '');
  const runs = builder.group('inline', { parent: heading });
  builder.text('text', 'Use', { parent: runs });
  builder.code('a<b', { parent: runs });
  const list = builder.group('list');
  const item = builder.listItem('one', { parent: list, enumerated: true, marker: '' });
  const inner = builder.group('list', { parent: item });
  builder.listItem('deep', { parent: inner, marker: '', hyperlink: 'https://example.org/?a=1&b=2' });
  const table = builder.table({
    num_rows: 2,
    num_cols: 2,
    table_cells: [
      tableCell(0, 0, 'wide "x"', { col_span: 2, column_header: true }),
      tableCell(1, 0, 'a|b'),
      tableCell(1, 1, ''),
    ],
  });
  builder.caption(table, 'Table 1');
  builder.code('if (a < b) {}', { language: 'C' });
  builder.picture();
});

describe('toHtml', () => {
  test('writes blocks in reading order, each escaped', () => {
    expect(getBody(toHtml(sample))).toBe(
      [
        '<h1>A &amp; B</h1>',
        "<h2><span class='inline-group'>Use <code>a&lt;b</code></span></h2>",
        '<ol>\n<li>\none\n<ul>\n<li><a href="https://example.org/?a=1&amp;b=2">deep</a></li>\n</ul>\n</li>\n</ol>',
        '<table><caption><div class="caption">Table 1</div></caption><tbody><tr><th colspan="2">wide &quot;x&quot;</th></tr><tr><td>a|b</td><td></td></tr></tbody></table>',
        '<pre><code>if (a &lt; b) {}</code></pre>',
      ].join('\n'),
    );
    expect(toHtml(sample)).toContain('<title>a &lt;b&gt; document</title>');
  });

  test('no text, code, link, marker or image address of a document becomes a script', () => {
    const html = toHtml(
      built((builder) => {
        builder.text('text', '<script>1</script>', { hyperlink: 'javascript:alert(1)' });
        builder.code('</code><script>2</script>');
        const list = builder.group('list');
        builder.listItem('x', { parent: list, marker: `';"><script>3</script>` });
        const size = { width: 1, height: 1 };
        builder.picture({ image: { mimetype: 'image/png', dpi: 72, size, uri: 'x"onerror="alert(1)' } });
        builder.picture({
          image: { mimetype: 'image/svg+xml', dpi: 72, size, uri: 'data:image/svg+xml,<svg onload="alert(1)">' },
        });
      }),
      { imageMode: 'referenced' },
    );
    expect(html).not.toMatch(/<script|javascript:|<svg|" ?onerror/);
  });

  test('right-to-left cells and captions have `dir`; for other texts the style lets browsers decide', () => {
    const html = toHtml(
      built((builder) => {
        builder.text('text', 'שלום');
        const table = builder.table({ table_cells: [tableCell(0, 0, 'שלום')], num_rows: 1, num_cols: 1 });
        builder.caption(table, 'שלום');
      }),
    );
    expect(getBody(html)).toBe(
      '<p>שלום</p>\n<table><caption><div class="caption" dir="rtl">שלום</div></caption><tbody><tr><td dir="rtl">שלום</td></tr></tbody></table>',
    );
    expect(html).toMatch(/p, li, [^{]*\{ unicode-bidi: plaintext; }/);
  });
});

describe('toText', () => {
  test('keeps the layout of the Markdown without its markup', () => {
    expect(toText(sample)).toBe(
      'A & B\n\nUse a<b\n\n1. one\n    - deep\n\nTable 1\n\n| wide "x"   | wide "x"   |\n|------------|------------|\n| a&#124;b   |            |\n\nif (a < b) {}',
    );
  });

  test('formulas are between dollars, headings keep their lines', () => {
    const document = built((builder) => {
      builder.heading(1, 'One\ntwo');
      builder.text('formula', 'a^2');
      const inline = builder.group('inline');
      builder.text('text', 'So', { parent: inline });
      builder.text('formula', 'b', { parent: inline });
    });
    expect(toText(document)).toBe('One\ntwo\n\n$$a^2$$\n\nSo $b$');
  });
});

describe('toDoctags', () => {
  test('empty texts stay, empty inline groups do not; every child of a list is an item', () => {
    const document = built((builder) => {
      builder.text('text', ' ');
      builder.group('inline');
      const list = builder.group('list');
      builder.text('checkbox_selected', 'done', { parent: list });
      const inner = builder.group('list', { parent: list });
      builder.listItem('deep', { parent: inner });
    });
    expect(toDoctags(document)).toBe(
      '<doctag><text></text>\n<unordered_list><list_item><checkbox_selected>done</checkbox_selected></list_item>\n' +
        '<list_item><unordered_list><list_item>deep</list_item>\n</unordered_list></list_item>\n</unordered_list>\n</doctag>',
    );
    expect(getBody(toHtml(built((builder) => builder.group('inline'))))).toBe('');
  });

  test('writes all layers with locations in 500ths of the page', () => {
    expect(toDoctags(sample)).toBe(
      [
        '<doctag><page_header>head</page_header>',
        '<title><loc_50><loc_50><loc_499><loc_100>A & B</title>',
        '<section_header_level_1><inline><text>Use</text>\n<code><_unknown_>a<b</code>\n</inline></section_header_level_1>',
        '<ordered_list><list_item>one</list_item>\n<list_item><unordered_list><list_item>deep</list_item>\n</unordered_list></list_item>\n</ordered_list>',
        '<otsl><ched>wide "x"<lcel><nl><fcel>a|b<ecel><nl><caption>Table 1</caption></otsl>',
        '<code><_C_>if (a < b) {}</code>',
        '</doctag>',
      ].join('\n'),
    );
  });

  test('a label without a token is written as text', () => {
    expect(toDoctags(built((builder) => builder.text('marker', 'x')))).toBe('<doctag><text>x</text>\n</doctag>');
  });

  test('ten thousand paragraphs take linear time', () => {
    const document = built((builder) => {
      for (let at = 0; at < 10_000; at++) builder.text('text', `paragraph ${at}`);
    });
    const started = process.cpuUsage();
    expect(toDoctags(document).length).toBeGreaterThan(200_000);
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(2000);
  });
});

test('documents of older versions are read: references called cref, page headers without a layer', () => {
  const value = JSON.parse(documentToJson(sample)) as Record<string, unknown> & { texts: Record<string, unknown>[] };
  value['version'] = '1.0.0';
  for (const item of value.texts) delete item['content_layer'];
  const old = JSON.stringify(value).replaceAll('"$ref"', '"cref"');
  expect(toText(documentFromJson(old))).toBe(toText(sample));
});

test('trees as deep as the check allows are written by every writer', () => {
  const document = built((builder) => {
    let parent = builder.group('section');
    for (let depth = 2; depth < 999; depth++) parent = builder.group('section', { parent });
    builder.text('text', 'deep', { parent });
  });
  const read = documentFromJson(documentToJson(document));
  expect([toText(read), getBody(toHtml(read)), toDoctags(read), toDoclang(read)]).toEqual([
    'deep',
    '<p>deep</p>',
    '<doctag><text>deep</text>\n</doctag>',
    '<doclang version="0.7">\n  <text>deep</text>\n</doclang>\n',
  ]);
});
