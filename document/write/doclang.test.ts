import { createDocument, type DocumentBuilder } from '../builder';
import { tableCell } from '../grid';
import type { Formatting, Provenance } from '../model';
import { toDoclang } from './doclang';

function written(build: (builder: DocumentBuilder) => void): string {
  const builder = createDocument('sample');
  build(builder);
  return toDoclang(builder.document);
}
const plain: Formatting = { bold: false, italic: false, underline: false, strikethrough: false, script: 'baseline' };
const root = (...lines: string[]) =>
  `${['<doclang version="0.7">', ...lines.map((line) => `  ${line}`), '</doclang>'].join('\n')}\n`;

describe('toDoclang', () => {
  test('the title has no level, headings start at level 2; texts are escaped', () => {
    const xml = written((builder) => {
      builder.text('title', 'T');
      builder.heading(1, 'H & <b>');
      builder.text('text', 'a "b"\u0001');
      builder.text('page_footer', '1', { layer: 'furniture' });
    });
    expect(xml).toBe(
      root(
        '<heading>T</heading>',
        '<heading level="2">H &amp; &lt;b&gt;</heading>',
        '<text>a "b"</text>',
        '<page_footer>1</page_footer>',
      ),
    );
  });

  test('marks and links are around runs, code and formulas between them', () => {
    const xml = written((builder) => {
      const inline = builder.group('inline');
      builder.text('text', 'Both', { parent: inline, formatting: { ...plain, bold: true, italic: true } });
      builder.text('text', 'here', { parent: inline, hyperlink: 'https://x.org/?a&b' });
      builder.code('x < y', { parent: inline, language: 'Python' });
      builder.text('formula', 'E=mc^2', { parent: inline });
    });
    expect(xml).toBe(
      root(
        '<text>',
        '  <italic>',
        '    <bold>Both</bold>',
        '  </italic>',
        '  <hyperlink>',
        '    <uri>https://x.org/?a&amp;b</uri>',
        '    here',
        '  </hyperlink>',
        '  <code>',
        '    <label value="Python"/>',
        '    <![CDATA[x < y]]>',
        '  </code>',
        '  <formula>E=mc^2</formula>',
        '</text>',
      ),
    );
  });

  test('list items begin with a divider, nested lists follow their item', () => {
    const xml = written((builder) => {
      const list = builder.group('list');
      const item = builder.listItem('one', { parent: list, enumerated: true, marker: '' });
      builder.listItem('deep', { parent: builder.group('list', { parent: item }), marker: '-' });
      builder.listItem('two', { parent: list, enumerated: true, marker: 'b)' });
    });
    expect(xml).toBe(
      root(
        '<list class="ordered">',
        '  <ldiv/>',
        '  one',
        '  <list class="unordered">',
        '    <ldiv/>',
        '    deep',
        '  </list>',
        '  <ldiv>',
        '    <marker>b)</marker>',
        '  </ldiv>',
        '  two',
        '</list>',
      ),
    );
  });

  test('tables mark headers, spans, empty cells and row ends; code cannot end its CDATA section', () => {
    const xml = written((builder) => {
      const table = builder.table({
        num_rows: 2,
        num_cols: 2,
        table_cells: [
          tableCell(0, 0, 'wide', { col_span: 2, column_header: true }),
          tableCell(1, 0, 'r', { row_header: true }),
        ],
      });
      builder.caption(table, 'C');
      builder.code('a]]>b');
    });
    expect(xml).toBe(
      root(
        '<table>',
        ...['<caption>C</caption>', '<ched/>', 'wide', '<lcel/>', '<nl/>', '<rhed/>', 'r', '<ecel/>', '<nl/>'].map(
          (line) => `  ${line}`,
        ),
        '</table>',
        '<code><![CDATA[a]]]]><![CDATA[>b]]></code>',
      ),
    );
  });

  test('positions are in 512ths of the page, with page breaks in between', () => {
    const onPage = (page_no: number): Provenance[] => [
      { page_no, bbox: { l: 0, t: 90, r: 100, b: 50, coord_origin: 'BOTTOMLEFT' }, charspan: [0, 1] },
    ];
    const xml = written((builder) => {
      builder.page(1, 100, 100);
      builder.page(2, 100, 100);
      builder.text('text', 'a', { prov: onPage(1) });
      builder.text('text', 'b', { prov: onPage(2) });
    });
    const places = [0, 51, 511, 256].map((value) => `  <location value="${value}"/>`);
    expect(xml).toBe(
      root('<text>', ...places, '  a', '</text>', '<page_break/>', '<text>', ...places, '  b', '</text>'),
    );
  });

  test('pictures have class, caption, metadata, address and chart data', () => {
    const xml = written((builder) => {
      const picture = builder.picture({
        image: { mimetype: 'image/png', dpi: 72, size: { width: 1, height: 1 }, uri: 'a.png' },
      });
      builder.caption(picture, 'Fig');
      picture.meta = {
        description: { text: 'Bars' },
        classification: { predictions: [{ class_name: 'bar_chart' }] },
        tabular_chart: { chart_data: { num_rows: 1, num_cols: 1, table_cells: [tableCell(0, 0, '7')] } },
      };
    });
    expect(xml).toBe(
      root(
        '<picture class="chart">',
        '  <label value="bar_chart"/>',
        '  <caption>Fig</caption>',
        '  <custom>',
        '    <docling__description>Bars</docling__description>',
        '  </custom>',
        '  <src uri="a.png"/>',
        '  <table>',
        '    <fcel/>',
        '    7',
        '    <nl/>',
        '  </table>',
        '</picture>',
      ),
    );
  });
});
