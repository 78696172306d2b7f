import { treeProblems } from '../../../document/validate';
import { toMarkdown } from '../../../document/write/markdown';
import { convertBytes } from '../../convert';
import { pngHeader } from '../../ooxml/test-support';
import { odfFile, odfXml } from '../test-support';

type Options = Parameters<typeof odfFile>[2];
async function readText(body: string, options?: Options) {
  const { document } = await convertBytes({ bytes: odfFile('text', body, options), name: 'letter.odt' });
  expect(treeProblems(document)).toEqual([]);
  return document;
}
const getMarkdown = async (body: string, options?: Options) => toMarkdown(await readText(body, options));
const p = (inner: string, style = '') =>
  `<text:p${style === '' ? '' : ` text:style-name="${style}"`}>${inner}</text:p>`;
const paragraphStyle = (name: string, parent: string) =>
  `<style:style style:name="${name}" style:family="paragraph" style:parent-style-name="${parent}"/>`;
const textStyle = (name: string, properties: string) =>
  `<style:style style:name="${name}" style:family="text"><style:text-properties ${properties}/></style:style>`;
const listStyle = (name: string, levels: string) => `<text:list-style style:name="${name}">${levels}</text:list-style>`;
const numbered = (level: number, more = '') =>
  `<text:list-level-style-number text:level="${level}" style:num-format="1" ${more}/>`;
const bullet = (level: number) => `<text:list-level-style-bullet text:level="${level}" text:bullet-char="•"/>`;
const item = (inner: string) => `<text:list-item>${inner}</text:list-item>`;
const list = (inner: string, attributes = '') => `<text:list ${attributes}>${inner}</text:list>`;

test('titles, subtitles and headings are recognized by style and outline level', async () => {
  const styles = paragraphStyle('P1', 'Title') + paragraphStyle('P2', 'Subtitle');
  const body = p('Report', 'P1') + p('In short', 'P2') + '<text:h text:outline-level="2">Part</text:h>' + p('Text.');
  expect(await getMarkdown(body, { styles })).toBe('# Report\n\n## In short\n\n### Part\n\nText.');
});

test('styles, links and blanks of a paragraph become runs of an inline group', async () => {
  const styles =
    textStyle('B', 'fo:font-weight="bold"') + textStyle('S', 'style:text-position="-33% 58%" fo:font-style="italic"');
  const { texts, groups } = await readText(
    p(
      'A<text:s text:c="2"/>\n  b <text:span text:style-name="B">bold</text:span>' +
        '<text:a xlink:href="https://a.example/x"><text:span text:style-name="S">link</text:span></text:a><text:line-break/>end',
    ),
    { styles },
  );
  expect(groups).toMatchObject([{ label: 'inline' }]);
  expect(texts.map(({ text }) => text)).toEqual(['A   b', 'bold', 'link', 'end']);
  expect(texts[1]!.formatting).toMatchObject({ bold: true, italic: false });
  expect(texts[2]).toMatchObject({ hyperlink: 'https://a.example/x', formatting: { script: 'sub', italic: true } });
});

test('lists have numbers by style and level, nested lists inherit the outer style, and numbers continue', async () => {
  const styles =
    listStyle('L', numbered(1) + bullet(2)) + listStyle('M', numbered(1, 'style:num-suffix=")" text:start-value="4"'));
  const body =
    list(item(p('one') + list(item(p('inner')))) + item(p('two') + p('more')), 'text:style-name="L"') +
    p('Between.') +
    list(item(p('three')), 'text:style-name="L" text:continue-numbering="true"') +
    p('Between.') +
    list(item(p('four')), 'text:style-name="M"') +
    p('Between.') +
    list(item(p('plain')));
  expect(await getMarkdown(body, { styles })).toBe(
    '1. one\n    - inner\n2. two more\n\nBetween.\n\n3. three\n\nBetween.\n\n- 4) four\n\nBetween.\n\n- plain',
  );
});

test('a list that begins with a nested list continues below the last item of the previous list', async () => {
  expect(await getMarkdown(list(item(p('a'))) + list(item(list(item(p('b'))))))).toBe('- a\n    - b');
});

test('headings numbered by a list are headings', async () => {
  const heading = '<text:h text:outline-level="1">Chapter</text:h>';
  expect(await getMarkdown(list(item(list(item(heading)))) + p('Text.'))).toBe('## Chapter\n\nText.');
});

test('tables have spans, headers, repeated cells and nested content; empty edges are omitted', async () => {
  const cell = (inner: string, attributes = '') => `<table:table-cell ${attributes}>${inner}</table:table-cell>`;
  const covered = '<table:covered-table-cell/>';
  const row = (inner: string, attributes = '') => `<table:table-row ${attributes}>${inner}</table:table-row>`;
  const document = await readText(
    '<table:table><table:table-header-rows>' +
      row(cell(p('Head'), 'table:number-columns-spanned="2" office:value-type="string"') + covered + cell('')) +
      '</table:table-header-rows>' +
      row(cell(p('x'), 'office:value-type="string" table:number-columns-repeated="2"') + cell('')) +
      row(
        cell(p('1,50'), 'office:value-type="float" office:value="1.5"') + cell(list(item(p('in a list')))) + cell(''),
      ) +
      row(cell('', 'table:number-columns-repeated="3"'), 'table:number-rows-repeated="500"') +
      '</table:table>',
  );
  const { data } = document.tables[0]!;
  expect([data.num_rows, data.num_cols]).toEqual([3, 2]);
  expect(data.table_cells.map((cell) => [cell.text, cell.col_span, cell.column_header])).toEqual([
    ['Head', 2, true],
    ['x', 1, false],
    ['x', 1, false],
    ['1,50', 1, false],
    ['in a list', 1, false],
  ]);
  expect(toMarkdown(document)).toContain('- in a list');
});

test('pictures, charts with their data, and formulas are read', async () => {
  const frame = (inner: string) => `<draw:frame>${inner}</draw:frame>`;
  const chart = odfXml(
    'office:document-content',
    '<office:body><office:chart><chart:chart chart:class="chart:circle"><chart:title><text:p>Shares</text:p></chart:title>' +
      '<table:table><table:table-row><table:table-cell/><table:table-cell office:value-type="string"><text:p>Sum</text:p></table:table-cell></table:table-row>' +
      '<table:table-row><table:table-cell office:value-type="string"><text:p>North</text:p></table:table-cell>' +
      '<table:table-cell office:value-type="float" office:value="3"/></table:table-row></table:table></chart:chart></office:chart></office:body>',
  );
  const formula = '<math xmlns="http://www.w3.org/1998/Math/MathML"><msup><mi>x</mi><mn>2</mn></msup></math>';
  const document = await readText(
    p(`See ${frame('<draw:image xlink:href="Pictures/a.png"/>')}here`) +
      p(frame('<draw:object xlink:href="./Object 1"/><draw:image xlink:href="./ObjectReplacements/Object 1"/>')) +
      p(frame('<draw:object xlink:href="./Object 2"/>')) +
      p(frame('<draw:text-box><text:p>In a box</text:p></draw:text-box>')) +
      p(frame('<draw:image xlink:href="https://a.example/tracker.png"/>')),
    { parts: { 'Pictures/a.png': pngHeader(30, 20), 'Object 1/content.xml': chart, 'Object 2/content.xml': formula } },
  );
  expect(document.pictures).toHaveLength(2);
  expect(document.pictures[0]!.image).toMatchObject({ mimetype: 'image/png', size: { width: 30, height: 20 } });
  expect(toMarkdown(document)).toBe(
    '<!-- image -->\n\nSee here\n\nShares\n\n<!-- image -->\n\nPie chart\n\n' +
      '|       |   Sum |\n|-------|-------|\n| North |     3 |\n\n$$x^{2}$$\n\nIn a box',
  );
});

test('the texts of a spreadsheet or a text within the document are read; an object that contains itself ends', async () => {
  const content = (kind: string, inner: string) =>
    odfXml('office:document-content', `<office:body><office:${kind}>${inner}</office:${kind}></office:body>`);
  const cells = (texts: string[]) =>
    `<table:table-row>${texts.map((text) => `<table:table-cell>${p(text)}</table:table-cell>`).join('')}</table:table-row>`;
  const frame = (name: string) =>
    `<draw:frame><draw:object xlink:href="./${name}"/><draw:image xlink:href="./ObjectReplacements/${name}"/></draw:frame>`;
  const document = await readText(p(frame('Object 1')) + p(frame('Object 2')), {
    parts: {
      'Object 1/content.xml': content(
        'spreadsheet',
        `<table:table>${cells(['Item', 'Price'])}${cells(['Pen', '2'])}</table:table>`,
      ),
      'Object 2/content.xml': content('text', `${p('Inside')}${p(frame('Object 2'))}`),
    },
  });
  expect(toMarkdown(document)).toBe('| Item   |   Price |\n|--------|---------|\n| Pen    |       2 |\n\nInside');
});

test('footnotes are furniture, comments and their replies are notes, deleted text is omitted', async () => {
  const note =
    '<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Source</text:p></text:note-body></text:note>';
  const comment = (name: string, inner: string, more = '') =>
    `<office:annotation office:name="${name}" ${more}><dc:creator>Ann</dc:creator><dc:date>2026-01-04T05:48:07</dc:date><text:p>${inner}</text:p></office:annotation>`;
  const document = await readText(
    '<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>' +
      p(`Claim${note}${comment('a', 'Why?')}${comment('b', 'So.', 'loext:parent-name="a"')}.`),
  );
  expect(toMarkdown(document)).toBe('Claim.');
  expect(document.texts.map(({ label, text, content_layer }) => [label, text, content_layer])).toEqual([
    ['text', 'Claim.', 'body'],
    ['text', '[author: Ann, time: 2026-01-04T05:48:07]: Why?', 'notes'],
    ['text', '[author: Ann, time: 2026-01-04T05:48:07]: So.', 'notes'],
    ['footnote', 'Source', 'furniture'],
  ]);
  expect(document.texts[0]!.comments).toEqual([{ $ref: '#/groups/0' }]);
});

test('the page count is the one stored by the program', async () => {
  const meta = odfXml(
    'office:document-meta',
    '<office:meta><meta:document-statistic meta:page-count="7"/></office:meta>',
  );
  const getPages = async (part: string) =>
    (await convertBytes({ bytes: odfFile('text', p('a'), { parts: { 'meta.xml': part } }), name: 'a.odt' })).pages;
  expect(await getPages(meta)).toBe(7);
  expect(await getPages('<broken')).toBe(1);
});

test('a document is recognized by its content; encrypted, damaged and other files are rejected', async () => {
  const bytes = odfFile('text', p('a'));
  expect((await convertBytes({ bytes, name: 'letter.docx' })).format).toBe('odt');
  const getCode = (file: Uint8Array) =>
    convertBytes({ bytes: file, name: 'letter.odt' }).then(
      () => 'read',
      (error: { code: string }) => error.code,
    );
  const manifest = odfXml(
    'manifest:manifest',
    '<manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry>',
  );
  expect(await getCode(odfFile('text', '', { parts: { 'META-INF/manifest.xml': manifest } }))).toBe(
    'DOCUMENT_ENCRYPTED',
  );
  expect(await getCode(odfFile('text', '', { parts: { 'content.xml': '<a/>' } }))).toBe('DOCUMENT_CORRUPT');
  expect(await getCode(bytes.slice(0, 200))).toBe('DOCUMENT_CORRUPT');
});

test.each([
  ['paragraph', (inner: string) => p(inner)],
  ['heading', (inner: string) => `<text:h>${inner}</text:h>`],
  ['list item', (inner: string) => list(item(p(inner)))],
])('a %s may have more notes than the stack holds', async (_, wrap) => {
  const note = `<text:note text:note-class="footnote"><text:note-body>${p('n')}</text:note-body></text:note>`;
  const bytes = odfFile('text', wrap(`a${note.repeat(130_000)}`));
  const { document } = await convertBytes({ bytes, name: 'notes.odt' });
  expect(document.texts.filter(({ label }) => label === 'footnote')).toHaveLength(130_000);
});
