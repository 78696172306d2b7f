import { zipSync } from 'fflate';
import type { DoclingDocument } from '../../document/model';
import { treeProblems } from '../../document/validate';
import { toMarkdown } from '../../document/write/markdown';
import { convertBytes } from '../convert';
import { pngHeader } from '../ooxml/test-support';

const spaces =
  'xmlns:hp="http://www.hancom.co.kr/hwpml/2011/paragraph" xmlns:hs="http://www.hancom.co.kr/hwpml/2011/section" xmlns:hc="http://www.hancom.co.kr/hwpml/2011/core" xmlns:hh="http://www.hancom.co.kr/hwpml/2011/head"';
const p = (inner: string, properties = 0, style = 0) =>
  `<hp:p paraPrIDRef="${properties}" styleIDRef="${style}">${inner}</hp:p>`;
const run = (inner: string, look = 0) => `<hp:run charPrIDRef="${look}">${inner}</hp:run>`;
const t = (text: string) => `<hp:t>${text}</hp:t>`;
const line = (text: string, properties = 0, style = 0) => p(run(t(text)), properties, style);
const control = (inner: string) => run(`<hp:ctrl>${inner}</hp:ctrl>`);
const list = (inner: string) => `<hp:subList>${inner}</hp:subList>`;
const cell = (row: number, column: number, inner: string, more = '', spans = '') =>
  `<hp:tc ${more}>${list(inner)}<hp:cellAddr colAddr="${column}" rowAddr="${row}"/><hp:cellSpan ${spans || 'colSpan="1" rowSpan="1"'}/></hp:tc>`;

const look = (id: number, inner: string) => `<hh:charPr id="${id}">${inner}</hh:charPr>`;
const kind = (id: number, type: string, numbering: number, level: number) =>
  `<hh:paraPr id="${id}"><hh:heading type="${type}" idRef="${numbering}" level="${level}"/></hh:paraPr>`;
const level = (number: number, format: string, text: string) =>
  `<hh:paraHead level="${number}" numFormat="${format}" start="1">${text}</hh:paraHead>`;
const head = `<hh:head ${spaces}><hh:refList>${look(0, '<hh:underline type="NONE"/>')}${look(1, '<hh:bold/>')}${look(2, '<hh:underline type="BOTTOM"/><hh:supscript/>')}${kind(0, 'NONE', 0, 0)}${kind(1, 'OUTLINE', 0, 0)}${kind(2, 'OUTLINE', 0, 1)}${kind(3, 'NUMBER', 2, 0)}${kind(4, 'NUMBER', 2, 1)}${kind(5, 'BULLET', 1, 0)}<hh:numbering id="1">${level(1, 'DIGIT', '^1.')}${level(2, 'HANGUL_SYLLABLE', '^2.')}</hh:numbering><hh:numbering id="2">${level(1, 'CIRCLED_DIGIT', '^1')}${level(2, 'ROMAN_SMALL', '^1-^2)')}</hh:numbering><hh:bullet id="1" char="□"/><hh:style id="0" name="바탕글"/><hh:style id="7" name="개요 3" engName="Outline 3" paraPrIDRef="0"/></hh:refList></hh:head>`;

function file(sections: string[], more: Record<string, string | Uint8Array> = {}): Uint8Array {
  const items = sections.map((_, index) => `<opf:item id="s${index}" href="Contents/section${index}.xml"/>`).join('');
  const refs = sections.map((_, index) => `<opf:itemref idref="s${index}"/>`).join('');
  const parts: Record<string, string | Uint8Array> = {
    mimetype: 'application/hwp+zip',
    'META-INF/container.xml':
      '<ocf:container xmlns:ocf="urn:oasis:names:tc:opendocument:xmlns:container"><ocf:rootfiles><ocf:rootfile full-path="Contents/content.hpf"/></ocf:rootfiles></ocf:container>',
    'Contents/content.hpf': `<opf:package xmlns:opf="http://www.idpf.org/2007/opf/"><opf:manifest><opf:item id="header" href="Contents/header.xml"/><opf:item id="image1" href="BinData/image1.png"/><opf:item id="m" href="Contents/masterpage0.xml"/>${items}</opf:manifest><opf:spine>${refs}</opf:spine></opf:package>`,
    'Contents/header.xml': head,
    'BinData/image1.png': pngHeader(8, 6),
    ...more,
  };
  for (const [index, section] of sections.entries())
    parts[`Contents/section${index}.xml`] ??= `<hs:sec ${spaces}>${section}</hs:sec>`;
  return zipSync(
    Object.fromEntries(
      Object.entries(parts).map(([name, part]) => [
        name,
        [typeof part === 'string' ? Buffer.from(part) : part, { level: 0 as const }],
      ]),
    ),
  );
}
async function convert(...sections: string[]): Promise<DoclingDocument> {
  const { document } = await convertBytes({ bytes: file(sections), name: '보고.hwpx' });
  expect(treeProblems(document)).toEqual([]);
  return document;
}
const shown = ({ texts }: DoclingDocument) => texts.map(({ label, text }) => [label, text]);

test('headings, numbers and bullets are those that the page shows', async () => {
  const properties = run('<hp:secPr outlineShapeIDRef="1"/>');
  const document = await convert(
    p(properties + run(t('배경')), 1) +
      line('현황', 2) +
      line('문제', 2) +
      line('', 3) +
      line('첫째', 3) +
      line('세부', 4) +
      line('둘째', 3) +
      line('항목', 5) +
      line('Plain', 0) +
      line('Styled', 0, 7),
    line('결론', 1),
  );
  expect(toMarkdown(document).split('\n').filter(Boolean)).toEqual([
    '## 1. 배경',
    '### 가. 현황',
    '### 나. 문제',
    '- ① 첫째',
    '    - ①-i) 세부',
    '- ② 둘째',
    '- □ 항목',
    'Plain',
    '#### Styled',
    '## 2. 결론',
  ]);
  const items = document.texts.flatMap((item) => ('marker' in item ? [[item.marker, item.enumerated]] : []));
  expect(items).toEqual([
    ['①', true],
    ['①-i)', true],
    ['②', true],
    ['□', false],
  ]);
  const long = '가나다라마바사아자차'.repeat(11);
  expect(shown(await convert(line(long, 1)))).toEqual([['list_item', long]]);
});

test('styles and links of words are kept; tabs and line ends are characters', async () => {
  const link = (id: string, path: string) =>
    control(
      `<hp:fieldBegin id="${id}" type="HYPERLINK"><hp:parameters><hp:stringParam name="Path">${path}</hp:stringParam></hp:parameters></hp:fieldBegin>`,
    );
  const document = await convert(
    p(run('<hp:t>a<hp:tab/>b<hp:lineBreak/>c<hp:nbSpace/>d</hp:t>') + run(t('bold'), 1) + run(t('2'), 2)) +
      p(link('1', 'https\\://a.example/x') + run(t('linked')) + control('<hp:fieldEnd beginIDRef="1"/>')) +
      p(link('2', 'javascript\\:alert(1)') + run(t('not linked')) + control('<hp:fieldEnd beginIDRef="2"/>')),
  );
  expect(
    document.texts.map(({ text, hyperlink, formatting }) => [text, hyperlink, formatting?.bold, formatting?.script]),
  ).toEqual([
    ['a\tb\nc\u00a0d', null, undefined, undefined],
    ['bold', null, true, 'baseline'],
    ['2', null, false, 'super'],
    ['linked', 'https://a.example/x', undefined, undefined],
    ['not linked', null, undefined, undefined],
  ]);
});

test('tables have spans, heads, captions and tables within cells; a table of one cell is a box around its content', async () => {
  const inner = `<hp:tbl><hp:tr>${cell(0, 0, line('x'))}${cell(0, 1, line('y'))}</hp:tr></hp:tbl>`;
  const caption = `<hp:caption>${list(p(run(t('표 ')) + control('<hp:autoNum num="1" numType="TABLE"/>') + run(t(' 예산'))))}</hp:caption>`;
  const table = `<hp:tbl>${caption}<hp:tr>${cell(0, 0, line('head'), 'header="1"', 'colSpan="2" rowSpan="1"')}</hp:tr><hp:tr>${cell(1, 0, line('one') + line('two'))}${cell(1, 1, p(run(inner)))}</hp:tr></hp:tbl>`;
  const box = `<hp:tbl><hp:tr>${cell(0, 0, line('in a box', 1))}</hp:tr></hp:tbl>`;
  const document = await convert(p(run(t('before')) + run(table) + run(t('after'))) + p(run(box)));
  const [outer, nested] = document.tables;
  expect(
    outer!.data.table_cells.map(({ text, col_span: span, column_header: isHead }) => [text, span, isHead]),
  ).toEqual([
    ['head', 2, true],
    ['one\ntwo', 1, false],
    ['x\ny', 1, false],
  ]);
  expect(outer!.data.table_cells[2]!.ref).toBeDefined();
  expect(nested!.data.table_cells.map(({ text }) => text)).toEqual(['x', 'y']);
  expect(document.tables).toHaveLength(2);
  expect(shown(document)).toEqual([
    ['text', 'before'],
    ['caption', '표 1 예산'],
    ['text', 'after'],
    ['section_header', '1. in a box'],
  ]);
});

test('pictures, text boxes, notes, comments, headers and footers have their places', async () => {
  const picture = `<hp:pic><hc:img binaryItemIDRef="image1"/><hp:caption>${list(line('그림'))}</hp:caption></hp:pic>`;
  const box = `<hp:rect><hp:drawText>${list(line('in a shape'))}</hp:drawText></hp:rect>`;
  const group = `<hp:container>${box.replace('in a shape', 'in a group')}<hp:pic><hc:img binaryItemIDRef="none"/></hp:pic></hp:container>`;
  const note = `<hp:footNote number="1">${list(p(control('<hp:autoNum num="1" numType="FOOTNOTE"><hp:autoNumFormat suffixChar=")"/></hp:autoNum>') + run(t('said'))))}</hp:footNote>`;
  const header = `<hp:header>${list(line('대외비'))}</hp:header>`;
  const memo = `<hp:fieldBegin id="9" type="MEMO">${list(line('check this'))}</hp:fieldBegin>`;
  const document = await convert(
    p(control(header) + run(t('word')) + control(note + memo) + run(picture) + run(box) + run(group)),
    p(control(header) + run(t('next'))),
  );
  expect(document.texts.map(({ label, text, content_layer: layer }) => [label, text, layer])).toEqual([
    ['text', 'word', 'body'],
    ['caption', '그림', 'body'],
    ['text', 'in a shape', 'body'],
    ['text', 'in a group', 'body'],
    ['page_header', '대외비', 'furniture'],
    ['footnote', '1) said', 'body'],
    ['text', 'check this', 'notes'],
    ['text', 'next', 'body'],
  ]);
  expect(document.pictures.map(({ image }) => image?.size.width)).toEqual([8, undefined]);
});

test('formulas, ruby and fields have their words; deleted text, objects and master pages are counted', async () => {
  const words =
    '<hp:equation><hp:script>a over b</hp:script></hp:equation><hp:dutmal><hp:mainText>漢字</hp:mainText><hp:subText>한자</hp:subText></hp:dutmal><hp:checkBtn caption="동의"/>';
  const deleted = '<hp:t>kept<hp:deleteBegin Id="4"/>gone away</hp:t><hp:t>too<hp:deleteEnd Id="4"/> end</hp:t>';
  const section = p(run(words)) + p(run(deleted)) + p(run('<hp:ole/><hp:chart/>'));
  const bytes = file([section], {
    'Contents/masterpage0.xml': `<masterPage ${spaces}>${list(line('Confidential'))}</masterPage>`,
  });
  const { document, coverage } = await convertBytes({ bytes, name: 'a.hwpx' });
  expect(document.texts.map(({ text }) => text)).toEqual(['a over b 漢字 (한자)동의', 'kept end']);
  expect(coverage).toEqual([
    { kind: 'deleted text', count: 2, words: 3, in_json: false },
    { kind: 'embedded object', count: 1, words: 0, in_json: false },
    { kind: 'chart', count: 1, words: 0, in_json: false },
    { kind: 'master text', count: 1, words: 1, in_json: false },
  ]);
});

test('a document is recognised by its content, also without manifest', async () => {
  const bytes = file(['', line('two')], {
    'Contents/content.hpf': '<x/>',
    'Contents/section1.xml': `<hs:sec ${spaces}>${line('two')}</hs:sec>`,
  });
  const { document, format } = await convertBytes({ bytes, name: 'a.zip' });
  expect([format, document.texts.map(({ text }) => text)]).toEqual(['hwpx', ['two']]);
});

test.each<[string, string[], Record<string, string>, string]>([
  ['without a section', [], {}, 'DOCUMENT_CORRUPT'],
  [
    'with a password',
    [line('x')],
    { 'META-INF/manifest.xml': '<odf:manifest><odf:file-entry><odf:encryption-data/></odf:file-entry></odf:manifest>' },
    'DOCUMENT_ENCRYPTED',
  ],
  [
    'with an endless table',
    [p(run(`<hp:tbl><hp:tr>${cell(0, 0, line('x'))}${cell(19_000_000, 19_000_000, line('x'))}</hp:tr></hp:tbl>`))],
    {},
    'DOCUMENT_TOO_LARGE',
  ],
])('a document %s is refused', async (_, sections, parts, code) => {
  await expect(convertBytes({ bytes: file(sections, parts), name: 'a.hwpx' })).rejects.toMatchObject({ code });
});
