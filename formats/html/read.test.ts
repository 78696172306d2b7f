import type { DoclingDocument } from '../../document/model';
import { treeProblems } from '../../document/validate';
import { toMarkdown } from '../../document/write/markdown';
import { convertBytes } from '../convert';
import { defaultLimits, type Profile } from '../format';
import { read } from './read';

async function readPage(html: string | Uint8Array, profile?: Profile): Promise<DoclingDocument> {
  const document = await read(typeof html === 'string' ? Buffer.from(html) : html, {
    name: 'page.html',
    limits: defaultLimits,
    ...(profile ? { profile } : {}),
  });
  expect(treeProblems(document)).toEqual([]);
  return document;
}
const getMarkdown = async (html: string | Uint8Array) => toMarkdown(await readPage(html), { compactTables: true });

describe('the HTML reader', () => {
  test('headings contain their sections, and skipped levels become groups', async () => {
    const document = await readPage('<h1>A</h1><p>a</p><h3>B</h3><p>b</p><h2>C</h2>');
    const parents = document.texts.map(({ text, parent }) => [text, parent?.$ref]);
    expect(parents).toEqual([
      ['A', '#/body'],
      ['a', '#/texts/0'],
      ['B', '#/groups/0'],
      ['b', '#/texts/2'],
      ['C', '#/texts/0'],
    ]);
    expect(document.groups[0]).toMatchObject({ label: 'section', name: 'header-2', parent: { $ref: '#/texts/0' } });
    expect(document.texts[2]).toMatchObject({ label: 'section_header', level: 2 });
  });

  describe('a page with lead text, a menu and a footer', () => {
    const page =
      '<title>Page</title><nav>Menu</nav><p>Lead</p><table><tr><td><h1>no</h1></td></tr></table><h1>Start</h1><nav>Contents</nav><p>Text</p><footer>Imprint</footer>';
    const getLayers = async (profile: Profile) =>
      Object.fromEntries((await readPage(page, profile)).texts.map(({ text, content_layer }) => [text, content_layer]));

    test('keeps everything except the page title and the menu at the top', async () => {
      expect(await getLayers('reader')).toEqual({
        Page: 'furniture',
        Menu: 'furniture',
        Lead: 'body',
        Start: 'body',
        Contents: 'body',
        Text: 'body',
        Imprint: 'body',
      });
      expect(toMarkdown(await readPage('<p>Lead<h1>Start</h1>Text<footer>Imprint</footer>', 'reader'))).toBe(
        'Lead\n\n# Start\n\nText\n\nImprint',
      );
    });

    test('loses lead text and footer in the reference profile', async () => {
      expect(await getLayers('reference')).toEqual({
        Page: 'furniture',
        Menu: 'furniture',
        Lead: 'furniture',
        Start: 'body',
        Contents: 'body',
        Text: 'body',
        Imprint: 'furniture',
      });
    });

    test('treats a heading inside the menu as part of the menu', async () => {
      const document = await readPage('<nav><h2>Go to</h2><p>Shop</p></nav><p>Lead</p><h1>Start</h1>', 'reader');
      expect(toMarkdown(document)).toBe('Lead\n\n# Start');
    });
  });

  test('a page without headings is body text from its start', async () => {
    expect(await getMarkdown('<p>one<p>two')).toBe('one\n\ntwo');
  });

  test('styles and links become runs of an inline group', async () => {
    const document = await readPage(
      '<p>A <b>bold</b>, <a href="https://example.org"><i>link</i></a> and <code>code</code>.</p>',
    );
    expect(document.groups[0]!.label).toBe('inline');
    expect(toMarkdown(document)).toBe('A **bold**, [*link*](https://example.org/) and `code`.');
  });

  test('white space in the source does not separate a word from its styled letter', async () => {
    const document = await readPage('<p>\n  H<sub>2</sub>O\n  is <span>wa</span><span>ter</span> </p>');
    expect(document.texts.map(({ text, formatting }) => [text, formatting?.script ?? null])).toEqual([
      ['H', null],
      ['2', 'sub'],
      ['O is water', null],
    ]);
  });

  test('lists nest, are numbered and contain more than text', async () => {
    const html =
      '<ol start="3"><li>three<ul><li>a</li><li><p>b</p><p>c</p></li></ul></li><li>four <pre>x = 1</pre></li></ol>';
    expect(await getMarkdown(html)).toBe('3. three\n    - a\n    - b c\n4. four\n```\nx = 1\n```');
  });

  test('an item without text is replaced by its content', async () => {
    expect(await getMarkdown('<ul><li>a</li><li><ul><li>b</li></ul></li></ul>')).toBe('- a\n    - b');
  });

  test('terms are bold items, and descriptions a list below them', async () => {
    expect(await getMarkdown('<dl><dt>Milk</dt><dd>white</dd><dd>cold</dd><dt>Tea</dt></dl>')).toBe(
      '- **Milk**\n    - white\n    - cold\n- **Tea**',
    );
  });

  test('spans, header cells and captions of tables are kept', async () => {
    const document = await readPage(
      '<table><caption>Sales</caption><tr><th>A</th><th colspan=2>B</th></tr><tr><td rowspan=2>1</td><td>2</td><td>3</td></tr><tr><th>4</th><td>5</td></tr></table>',
    );
    const cells = document.tables[0]!.data.table_cells.map((cell) => [
      cell.text,
      cell.start_row_offset_idx,
      cell.start_col_offset_idx,
      cell.row_span,
      cell.col_span,
    ]);
    expect(cells).toEqual([
      ['A', 0, 0, 1, 1],
      ['B', 0, 1, 1, 2],
      ['1', 1, 0, 2, 1],
      ['2', 1, 1, 1, 1],
      ['3', 1, 2, 1, 1],
      ['4', 2, 1, 1, 1],
      ['5', 2, 2, 1, 1],
    ]);
    expect(document.tables[0]!.data.table_cells.map((cell) => [cell.column_header, cell.row_header])).toContainEqual([
      false,
      true,
    ]);
    expect(toMarkdown(document, { compactTables: true })).toBe(
      'Sales\n\n| A | B | B |\n| - | - | - |\n| 1 | 2 | 3 |\n| 1 | 4 | 5 |',
    );
  });

  test('a cell with a list keeps it below the table and as its text', async () => {
    const document = await readPage(
      '<table><tr><td><ul><li>a</li><li>b</li></ul></td><td>plain | pipe</td></tr></table>',
    );
    expect(document.tables[0]!.data.table_cells[0]).toMatchObject({ text: 'a b', ref: { $ref: '#/groups/0' } });
    expect(document.groups[0]!.parent).toEqual({ $ref: '#/tables/0' });
    expect(toMarkdown(document, { compactTables: true })).toBe('| - a - b | plain &#124; pipe |\n| - | - |');
  });

  test('the caption of a figure belongs to its picture, else the alternative text does', async () => {
    const document = await readPage(
      '<figure><img alt="alt"><figcaption>Fig. 1</figcaption></figure><p>See <img alt="logo"></p>',
    );
    expect(document.texts.map(({ label, text }) => [label, text])).toEqual([
      ['caption', 'Fig. 1'],
      ['text', 'See'],
      ['caption', 'logo'],
    ]);
    expect(toMarkdown(document)).toBe('Fig. 1\n\n<!-- image -->\n\nSee\n\nlogo\n\n<!-- image -->');
  });

  test('code keeps its lines and has its language', async () => {
    const document = await readPage('<pre><code class="language-py">\ndef f():\n    return 1 &lt; 2\n</code></pre>');
    expect(document.texts[0]).toMatchObject({
      label: 'code',
      code_language: 'Python',
      text: 'def f():\n    return 1 < 2',
    });
  });

  test('hidden elements, scripts and styles are omitted', async () => {
    const html =
      '<style>p{}</style><script>alert(1)</script><p hidden>a</p><p style="color:red; display: none">b</p><noscript>c</noscript><template>d</template><p>seen</p>';
    expect(await getMarkdown(html)).toBe('seen');
  });

  test('details is a section with its summary', async () => {
    const document = await readPage('<h1>T</h1><details><summary>More</summary><p>hidden until opened</p></details>');
    expect(document.groups[0]).toMatchObject({ label: 'section', name: 'details' });
    expect(toMarkdown(document)).toBe('# T\n\nMore\n\nhidden until opened');
  });

  test('script addresses are not kept as links', async () => {
    expect(await getMarkdown('<p><a href="javascript:alert(1)">x</a> <a href="JaVaScRiPt:y">z</a></p>')).toBe('x z');
  });

  test('a formula is kept as TeX if the page contains it', async () => {
    const document = await readPage(
      '<p>Area <math><mi>x</mi><annotation encoding="application/x-tex">\\pi r^2</annotation></math></p>',
    );
    expect(document.texts[1]).toMatchObject({ label: 'formula', text: '\\pi r^2' });
  });

  test.each([
    [
      'the meta element',
      Buffer.concat([Buffer.from('<meta charset="iso-8859-2"><p>'), Buffer.from([0xb1, 0xb3])]),
      'ął',
    ],
    ['a byte order mark', Buffer.from('\ufeff<p>ä', 'utf16le'), 'ä'],
    ['nothing: UTF-8 is tried', Buffer.from('<p>ä'), 'ä'],
    ['nothing: windows-1252 is the last resort', Buffer.from([0x3c, 0x70, 0x3e, 0x93, 0xe4, 0x94]), '"ä"'],
  ])('the encoding is taken from %s', async (_source, bytes, text) => {
    expect(await getMarkdown(bytes)).toBe(text);
  });

  test.each([
    ['div', '<div>'.repeat(100_000)],
    ['ul', '<ul><li>'.repeat(50_000)],
    ['table', '<table><tr><td>'.repeat(20_000)],
  ])('deeply nested %s elements give DOCUMENT_TOO_LARGE', async (_tag, html) => {
    await expect(readPage(html)).rejects.toMatchObject({ code: 'DOCUMENT_TOO_LARGE' });
  });

  test('nesting up to the limit is read and written', async () => {
    expect(await getMarkdown(`${'<div>'.repeat(480)}deep`)).toBe('deep');
    expect((await getMarkdown('<ul><li>x'.repeat(200))).split('\n')).toHaveLength(200);
    expect(await getMarkdown(`${'<b><i>'.repeat(150)}deep`)).toBe('***deep***');
  });

  test('spans that claim a huge table give DOCUMENT_TOO_LARGE', async () => {
    const row = `<tr>${'<td rowspan=65000 colspan=1000>x</td>'.repeat(30)}</tr>`;
    await expect(readPage(`<table>${row}${'<tr><td>y</td></tr>'.repeat(2000)}</table>`)).rejects.toMatchObject({
      code: 'DOCUMENT_TOO_LARGE',
    });
  });

  test('images outside paragraphs split the text, images inside a paragraph come after it', async () => {
    expect(await getMarkdown('<div>a <b><img alt="">b</b></div><p>c <img alt=""> d</p>')).toBe(
      'a\n\n<!-- image -->\n\n**b**\n\nc d\n\n<!-- image -->',
    );
  });

  test('captions are children of the body, in the style of their first styled part', async () => {
    const html = '<h1>T</h1><figure><img><figcaption>By <a href="https://example.org/">Ann</a></figcaption></figure>';
    const caption = (await readPage(html)).texts.find(({ label }) => label === 'caption');
    expect(caption).toMatchObject({ text: 'By Ann', hyperlink: 'https://example.org/', parent: { $ref: '#/body' } });
  });

  test('a heading has the style of its first styled part, but no superscript or subscript', async () => {
    expect(await getMarkdown('<h1>See <i>b</i> at <a href="/c">c</a></h1><h2>H<sub>2</sub>O</h2>')).toBe(
      '# [*See b at c*](/c)\n\n## H2O',
    );
  });

  test('code that fills a paragraph is a block, and inline elsewhere; a class name may give its language', async () => {
    expect(await getMarkdown('<div><code>a</code></div><p><code>b</code></p>')).toBe('`a`\n\n```\nb\n```');
    const document = await readPage('<pre class="hljs python"><div>a = 1</div><div>b = 2</div></pre>');
    expect(document.texts[0]).toMatchObject({ code_language: 'Python', text: 'a = 1\nb = 2' });
  });

  test('content hidden from screen readers is omitted, except the label of a field', async () => {
    const html = '<p>a<span aria-hidden="true">b</span></p><input type="radio" id="x" checked>';
    expect(await getMarkdown(`${html}<label for="x" aria-hidden="true">yes</label>`)).toBe('a\n\n- [x] yes');
  });

  test('choices, words of drawings and numbers of formulas are kept as separate words', async () => {
    expect(await getMarkdown('<p>take <select><option>one<option>two</select> of</p>')).toBe('take one two of');
    expect(await getMarkdown('<svg><title>no</title><text>A</text><text>B</text></svg>')).toBe('A\n\nB');
    expect(await getMarkdown('<p>half: <math><mfrac><mn>1</mn><mn>2</mn></mfrac></math></p>')).toBe('half: 1 2');
  });

  test('a text with an empty line is one item, as in the reference', async () => {
    expect((await readPage('<p>a<br><br>b</p>')).texts.map(({ text }) => text)).toEqual(['a\n\nb']);
  });

  test('texts of an item before and after an inner list are joined', async () => {
    expect(await getMarkdown('<ul><li>a<ul><li>b</li></ul>c</li></ul>')).toBe('- a c\n    - b');
  });
});

test('the footer of a table is last, wherever it is in the source', async () => {
  const html =
    '<h1>T</h1><table><thead><tr><th>A</th></tr></thead><tfoot><tr><td>sum</td></tr></tfoot><tbody><tr><td>1</td></tr></tbody></table>';
  const { document } = await convertBytes({ bytes: new TextEncoder().encode(html), name: 'a.html' });
  expect(document.tables[0]!.data.table_cells.map(({ text }) => text)).toEqual(['A', '1', 'sum']);
});
