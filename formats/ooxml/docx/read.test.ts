// Long because each rule of the reader has a case here, with documents built inline.
import type { DoclingDocument, NodeItem, TextItem } from '../../../document/model';
import { childrenOf, isGroup, isTable, isText } from '../../../document/tree';
import { treeProblems } from '../../../document/validate';
import { convertBytes } from '../../convert';
import type { ReadLimits, ReadOptions } from '../../format';
import { openOoxml } from '../package';
import {
  listParagraph,
  officeFile,
  paragraph,
  pngHeader,
  readOptions,
  relationshipsXml,
  rootXml,
  run,
  wordFile,
} from '../test-support';
import { readWord } from './read';

const readBytes = (bytes: Uint8Array, options: ReadOptions) => readWord(openOoxml(bytes, options.limits), options);

type Extra = Parameters<typeof wordFile>[1];
function readBody(body: string, extra?: Extra, limits?: Partial<ReadLimits>): DoclingDocument {
  const document = readBytes(wordFile(body, extra), readOptions('sample.docx', limits));
  expect(treeProblems(document)).toEqual([]);
  return document;
}

/** The texts of the cells of the first picture's data, row by row. */
function listChartTexts(document: DoclingDocument): string[] {
  const meta = document.pictures[0]!.meta as { tabular_chart: { chart_data: { table_cells: { text: string }[] } } };
  return meta.tabular_chart.chart_data.table_cells.map(({ text }) => text);
}

/** `label:text` of every item below, indented by depth. */
function outline(document: DoclingDocument, node: NodeItem = document.body, depth = 0): string[] {
  return childrenOf(document, node).flatMap((item) => {
    const text = isText(item) ? item.text : isGroup(item) ? item.name : '';
    const label = isText(item) && item.marker ? `${item.label} ${item.marker}` : item.label;
    return [`${' '.repeat(depth)}${label}:${text}`, ...outline(document, item, depth + 1)];
  });
}

const style = (id: string, name: string, inner = '') =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${inner}</w:style>`;
const level = (at: number, format: string, text: string, start = 1) =>
  `<w:lvl w:ilvl="${at}"><w:start w:val="${start}"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
const numbering = rootXml(
  'w:numbering',
  `<w:abstractNum w:abstractNumId="0">${level(0, 'decimal', '%1.')}${level(1, 'decimal', '%1.%2.')}</w:abstractNum>` +
    `<w:abstractNum w:abstractNumId="1">${level(0, 'bullet', '•')}${level(1, 'bullet', 'o')}</w:abstractNum>` +
    `<w:abstractNum w:abstractNumId="2">${level(0, 'upperRoman', 'Article %1')}</w:abstractNum>` +
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>' +
    '<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>' +
    '<w:num w:numId="3"><w:abstractNumId w:val="2"/></w:num>' +
    '<w:num w:numId="4"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>',
);

describe('headings', () => {
  const styles = rootXml(
    'w:styles',
    style('Titel', 'Title') +
      style('berschrift1', 'heading 1', '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>') +
      style('berschrift2', 'heading 2') +
      style('Kapitel', 'Kapitel', '<w:basedOn w:val="berschrift2"/>') +
      style('Rund', 'Rund', '<w:basedOn w:val="Rund2"/>') +
      style('Rund2', 'Rund2', '<w:basedOn w:val="Rund"/>'),
  );

  test('title and levels come from translated style ids and from styles based on headings', () => {
    const body =
      paragraph('T', { style: 'Titel' }) +
      paragraph('One', { style: 'berschrift1' }) +
      paragraph('Two', { style: 'Kapitel' }) +
      paragraph('text') +
      paragraph('Three', { properties: '<w:outlineLvl w:val="2"/>' });
    const document = readBody(body, { parts: { 'styles.xml': styles } });
    expect(document.texts.map(({ label, level, text }) => `${label} ${level ?? ''} ${text}`)).toEqual([
      'title  T',
      'section_header 1 One',
      'section_header 2 Two',
      'text  text',
      'section_header 3 Three',
    ]);
    expect(outline(document)[0]).toBe('title:T');
    expect(outline(document)).toContain('   text:text');
  });

  test('styles based on each other are plain text', () => {
    expect(readBody(paragraph('x', { style: 'Rund' }), { parts: { 'styles.xml': styles } }).texts[0]!.label).toBe(
      'text',
    );
  });

  test('numbered headings show their number', () => {
    const numbered = (text: string, at: number) =>
      paragraph(text, {
        style: `berschrift${at}`,
        properties: `<w:numPr><w:ilvl w:val="${at - 1}"/><w:numId w:val="1"/></w:numPr>`,
      });
    const body = numbered('A', 1) + numbered('B', 2) + numbered('C', 2) + numbered('D', 1);
    const document = readBody(body, { parts: { 'styles.xml': styles, 'numbering.xml': numbering } });
    expect(document.texts.map(({ text }) => text)).toEqual(['1. A', '1.1. B', '1.2. C', '2. D']);
  });
});

describe('lists', () => {
  const parts = { 'numbering.xml': numbering };

  test('levels nest, markers count, and a new parent level restarts the count', () => {
    const body =
      listParagraph('a', 1) +
      listParagraph('b', 1, 1) +
      listParagraph('c', 1, 1) +
      listParagraph('d', 1) +
      listParagraph('e', 1, 1);
    expect(outline(readBody(body, { parts }))).toEqual([
      'list:list',
      ' list_item 1.:a',
      ' list:list',
      '  list_item 1.1.:b',
      '  list_item 1.2.:c',
      ' list_item 2.:d',
      ' list:list',
      '  list_item 2.1.:e',
    ]);
  });

  test('a list continues after other text and after a blank paragraph', () => {
    const body =
      listParagraph('a', 1) + paragraph('') + listParagraph('b', 1) + paragraph('between') + listParagraph('c', 1);
    expect(outline(readBody(body, { parts }))).toEqual([
      'list:list',
      ' list_item 1.:a',
      ' list_item 2.:b',
      'text:between',
      'list:list',
      ' list_item 3.:c',
    ]);
  });

  test('an overridden start value begins a new count', () => {
    const document = readBody(listParagraph('a', 1) + listParagraph('b', 4), { parts });
    expect(document.texts.map(({ marker }) => marker)).toEqual(['1.', '5.']);
  });

  test('numbers are those that Word shows; the reference counts every level with digits', async () => {
    const shown = rootXml(
      'w:numbering',
      `<w:abstractNum w:abstractNumId="0">${level(0, 'upperRoman', '%1)')}${level(1, 'lowerLetter', '(%2)')}` +
        `${level(2, 'decimal', '%1.%2.%3').replace('<w:lvlText', '<w:isLgl/><w:lvlText')}</w:abstractNum>` +
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>',
    );
    const body = listParagraph('a', 1) + listParagraph('b', 1, 1) + listParagraph('c', 1, 1) + listParagraph('d', 1, 2);
    const markers = async (profile: 'reader' | 'reference') => {
      const bytes = wordFile(body, { parts: { 'numbering.xml': shown } });
      const { document } = await convertBytes({ bytes, name: 'a.docx', profile });
      return document.texts.map(({ marker }) => marker);
    };
    expect(await markers('reader')).toEqual(['I)', '(a)', '(b)', '1.2.1']);
    expect(await markers('reference')).toEqual(['1.', '1.1.', '1.2.', '1.2.1.']);
  });

  test('bullets are not enumerated, and words around a number are kept', () => {
    const document = readBody(listParagraph('a', 2) + listParagraph('b', 3), { parts });
    expect(document.texts.map(({ enumerated, marker }) => [enumerated, marker])).toEqual([
      [false, ''],
      [true, 'Article I'],
    ]);
  });

  test('number 0 removes a paragraph from every list', () => {
    expect(readBody(listParagraph('x', 0), { parts }).texts[0]!.label).toBe('text');
  });
});

describe('runs', () => {
  test('runs in the same style are one text, others are an inline group', () => {
    const body = `<w:p>${run('a ')}${run('b ')}${run('c', '<w:b/>')}${run(' d', '<w:b w:val="0"/>')}</w:p>`;
    const document = readBody(body);
    expect(outline(document)).toEqual(['inline:group', ' text:a b', ' text:c', ' text:d']);
    expect(document.texts.map(({ formatting }) => formatting?.bold ?? false)).toEqual([false, true, false]);
  });

  test('every kind of formatting is kept', () => {
    const looks = [
      '<w:i/>',
      '<w:u w:val="single"/>',
      '<w:strike/>',
      '<w:vertAlign w:val="superscript"/>',
      '<w:u w:val="none"/>',
    ];
    const { texts } = readBody(looks.map((look) => `<w:p>${run('x', look)}</w:p>`).join(''));
    expect(texts.map(({ formatting }) => formatting)).toEqual([
      expect.objectContaining({ italic: true }),
      expect.objectContaining({ underline: true }),
      expect.objectContaining({ strikethrough: true }),
      expect.objectContaining({ script: 'super' }),
      null,
    ]);
  });

  test('links by relationship and by field have their address', () => {
    const field = (kind: string) => `<w:r><w:fldChar w:fldCharType="${kind}"/></w:r>`;
    const body =
      `<w:p><w:hyperlink r:id="rId9">${run('one')}</w:hyperlink></w:p>` +
      `<w:p>${field('begin')}<w:r><w:instrText> HYPERLINK "https://b.example/" </w:instrText></w:r>${field('separate')}${run('two')}${field('end')}${run(' rest')}</w:p>`;
    const document = readBody(body, { relationships: [['rId9', 'hyperlink', 'https://a.example/', 'External']] });
    expect(document.texts.map(({ text, hyperlink }) => [text, hyperlink])).toEqual([
      ['one', 'https://a.example/'],
      ['two', 'https://b.example/'],
      ['rest', null],
    ]);
  });

  test('spaces between two links to the same address are kept', () => {
    const link = (text: string) => `<w:hyperlink r:id="rId9">${run(text)}</w:hyperlink>`;
    const body = `<w:p>${link('one')}${run(' ')}${link('two')}</w:p>`;
    const document = readBody(body, { relationships: [['rId9', 'hyperlink', 'https://a.example/', 'External']] });
    expect(document.texts.map(({ text }) => text)).toEqual(['one two']);
  });

  test('a field without a result does not swallow the text after it', () => {
    const body = '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r></w:p>' + paragraph('after');
    expect(readBody(body).texts.map(({ text }) => text)).toContain('after');
  });

  test('a field that begins in a cell ends once', () => {
    const field = (kind: string) => `<w:r><w:fldChar w:fldCharType="${kind}"/></w:r>`;
    const begun = `${field('begin')}<w:r><w:instrText>HYPERLINK "https://b.example/"</w:instrText></w:r>${field('separate')}`;
    const cell = (content: string) => `<w:tc><w:p>${content}</w:p></w:tc>`;
    const body =
      `<w:tbl><w:tr>${cell(run('a'))}${cell(begun + run('b'))}</w:tr></w:tbl>` +
      `<w:p>${run('linked')}${field('end')}</w:p>${paragraph('after')}`;
    expect(readBody(body).texts.map(({ text, hyperlink }) => [text, hyperlink])).toEqual([
      ['linked', 'https://b.example/'],
      ['after', null],
    ]);
  });

  test('insertions are kept and deletions dropped', () => {
    const body =
      `<w:p><w:ins>${run('new ')}</w:ins><w:del><w:r><w:delText>old </w:delText></w:r></w:del>` +
      `<w:moveFrom>${run('away ')}</w:moveFrom><w:moveTo>${run('here')}</w:moveTo></w:p>`;
    expect(readBody(body).texts[0]!.text).toBe('new here');
  });

  test('tabs, breaks, hyphens and symbols are text', () => {
    const body =
      '<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t>' +
      '<w:sym w:font="Wingdings" w:char="F0FC"/></w:r></w:p>';
    expect(readBody(body).texts[0]!.text).toBe('a\tb\nc-d✓');
  });

  test('content controls are read, including their checkboxes', () => {
    const control =
      '<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="1"/></w14:checkbox></w:sdtPr>' +
      `<w:sdtContent>${run('☒')}</w:sdtContent></w:sdt>`;
    const document = readBody(
      `<w:p>${control}${run(' done')}</w:p><w:sdt><w:sdtContent>${paragraph('inside')}</w:sdtContent></w:sdt>`,
    );
    expect(document.texts.map(({ label, text }) => [label, text])).toEqual([
      ['checkbox_selected', 'done'],
      ['text', 'inside'],
    ]);
  });
});

describe('tables', () => {
  const cell = (inner: string, properties = '') => `<w:tc><w:tcPr>${properties}</w:tcPr>${inner}</w:tc>`;
  const plain = (text: string, properties = '') => cell(paragraph(text), properties);
  const row = (...cells: string[]) => `<w:tr>${cells.join('')}</w:tr>`;

  test('cells span columns and rows', () => {
    const body = `<w:tbl>${row(plain('wide', '<w:gridSpan w:val="2"/>'), plain('tall', '<w:vMerge w:val="restart"/>'))}${row(plain('a'), plain('b'), plain('', '<w:vMerge/>'))}</w:tbl>`;
    const { data } = readBody(body).tables[0]!;
    expect([data.num_rows, data.num_cols]).toEqual([2, 3]);
    expect(
      data.table_cells.map((c) => [
        c.text,
        c.start_row_offset_idx,
        c.start_col_offset_idx,
        c.row_span,
        c.col_span,
        c.column_header,
      ]),
    ).toEqual([
      ['wide', 0, 0, 1, 2, true],
      ['tall', 0, 2, 2, 1, true],
      ['a', 1, 0, 1, 1, false],
      ['b', 1, 1, 1, 1, false],
    ]);
  });

  test('rows that repeat on every page are headers', () => {
    const head = (...cells: string[]) => `<w:tr><w:trPr><w:tblHeader/></w:trPr>${cells.join('')}</w:tr>`;
    const body = `<w:tbl>${head(plain('a'), plain('b'))}${head(plain('c'), plain('d'))}${row(plain('e'), plain('f'))}</w:tbl>`;
    const headers = readBody(body).tables[0]!.data.table_cells.filter((c) => c.column_header);
    expect(headers.map(({ text }) => text)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('a cell with more than plain text keeps its items, including a nested table', () => {
    const inner = `<w:tbl>${row(plain('x'), plain('y'))}</w:tbl>${paragraph('')}`;
    const document = readBody(`<w:tbl>${row(plain('a'), cell(paragraph('b') + inner))}</w:tbl>`);
    const outer = document.tables[0]!;
    expect(outer.data.table_cells.map((c) => c.ref?.$ref)).toEqual([undefined, '#/groups/0']);
    const items = childrenOf(document, document.groups[0]!);
    expect(items.filter(isText).map(({ text }) => text)).toEqual(['b', '']);
    expect(items.filter(isTable)[0]!.data.table_cells.map(({ text }) => text)).toEqual(['x', 'y']);
  });

  test('a table with one cell is only a frame', () => {
    const document = readBody(`<w:tbl>${row(cell(paragraph('framed')))}</w:tbl>`);
    expect(document.tables).toEqual([]);
    expect(document.texts[0]!.text).toBe('framed');
  });
});

describe('drawings', () => {
  const drawing = (inner: string) => `<w:p><w:r><w:drawing><wp:inline>${inner}</wp:inline></w:drawing></w:r></w:p>`;
  const relationships: NonNullable<Extra>['relationships'] = [
    ['rId5', 'image', 'media/image1.png'],
    ['rId6', 'image', 'https://example.org/x.png', 'External'],
  ];

  test('a picture has its type, size and data; an external picture has none', () => {
    const body = drawing('<a:blip r:embed="rId5"/>') + drawing('<a:blip r:link="rId6"/>');
    const document = readBody(body, { parts: { 'media/image1.png': pngHeader(20, 10) }, relationships });
    const [stored, linked] = document.pictures;
    expect(stored!.image).toMatchObject({ mimetype: 'image/png', size: { width: 20, height: 10 } });
    expect(stored!.image!.uri).toMatch(/^data:image\/png;base64,/);
    expect(linked!.image).toBeNull();
    expect(document.texts).toEqual([]);
  });

  test('a spacer of a few pixels is invisible', () => {
    const document = readBody(drawing('<a:blip r:embed="rId5"/>'), {
      parts: { 'media/image1.png': pngHeader(1, 1) },
      relationships,
    });
    expect(document.pictures[0]!.content_layer).toBe('invisible');
  });

  test('a text box stored in two forms is read once', () => {
    const box = `<w:txbxContent>${paragraph('boxed')}</w:txbxContent>`;
    const body = `<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx>${box}</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict>${box}</w:pict></mc:Fallback></mc:AlternateContent></w:r>${run('beside')}</w:p>`;
    const document = readBody(body);
    expect(document.texts.map(({ text }) => text)).toEqual(['boxed', 'beside']);
    expect(document.groups[0]!.name).toBe('textbox');
  });

  test('a chart keeps its data', () => {
    const points = (name: string, ...values: string[]) =>
      `<c:${name}>${values.map((value, index) => `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`).join('')}</c:${name}>`;
    const series = `<c:ser><c:tx><c:strRef>${points('strCache', 'Ducks')}</c:strRef></c:tx><c:cat><c:strRef>${points('strCache', 'Q1', 'Q2')}</c:strRef></c:cat><c:val><c:numRef>${points('numCache', '10', '20.0')}</c:numRef></c:val></c:ser>`;
    const chart = rootXml(
      'c:chartSpace',
      `<c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Birds</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart>${series}</c:barChart></c:plotArea></c:chart>`,
    );
    const document = readBody(drawing('<c:chart r:id="rId7"/>'), {
      parts: { 'charts/chart1.xml': chart },
      relationships: [['rId7', 'chart', 'charts/chart1.xml']],
    });
    expect(listChartTexts(document)).toEqual(['', 'Ducks', 'Q1', '10', 'Q2', '20']);
    expect(document.texts[0]).toMatchObject({ label: 'caption', text: 'Birds' });
  });
});

test.each([
  ['', ['1/5/2002', '1/6/2002']],
  ['<c:date1904 val="1"/>', ['1/6/2006', '1/7/2006']],
  ['<c:date1904 val="0"/>', ['1/5/2002', '1/6/2002']],
])('days on the axis of a chart are dates as the axis shows them %s', (settings, expected) => {
  const days = ['37261', '37262'].map((day, index) => `<c:pt idx="${index}"><c:v>${day}</c:v></c:pt>`).join('');
  const cache = (code: string) =>
    `<c:numRef><c:numCache><c:formatCode>${code}</c:formatCode>${days}</c:numCache></c:numRef>`;
  const series = `<c:ser><c:cat>${cache('m/d/yyyy')}</c:cat><c:val>${cache('"day" 0')}</c:val></c:ser>`;
  const chart = `${settings}<c:chart><c:plotArea><c:areaChart>${series}</c:areaChart></c:plotArea></c:chart>`;
  const drawing = '<w:p><w:r><w:drawing><wp:inline><c:chart r:id="rId7"/></wp:inline></w:drawing></w:r></w:p>';
  const document = readBody(drawing, {
    parts: { 'charts/chart1.xml': rootXml('c:chartSpace', chart) },
    relationships: [['rId7', 'chart', 'charts/chart1.xml']],
  });
  const [, , first, value, second] = listChartTexts(document);
  expect([[first, second], value]).toEqual([expected, '37261']);
});

describe('content outside the body', () => {
  test('headers and footers are furniture', () => {
    const section =
      '<w:sectPr><w:headerReference w:type="default" r:id="rId1"/><w:footerReference w:type="default" r:id="rId2"/></w:sectPr>';
    const document = readBody(paragraph('body') + section, {
      parts: {
        'header1.xml': rootXml('w:hdr', paragraph('top')),
        'footer1.xml': rootXml('w:ftr', paragraph('bottom')),
      },
      relationships: [
        ['rId1', 'header', 'header1.xml'],
        ['rId2', 'footer', 'footer1.xml'],
      ],
    });
    expect(document.texts.map(({ text, content_layer }) => [text, content_layer])).toEqual([
      ['body', 'body'],
      ['top', 'furniture'],
      ['bottom', 'furniture'],
    ]);
  });

  test('referenced footnotes come after the body', () => {
    const body = `<w:p>${run('text')}<w:r><w:footnoteReference w:id="2"/></w:r></w:p>`;
    const notes = `<w:footnote w:type="separator" w:id="0">${paragraph('---')}</w:footnote><w:footnote w:id="2">${paragraph('the note')}</w:footnote><w:footnote w:id="3">${paragraph('unused')}</w:footnote>`;
    const { texts } = readBody(body, { parts: { 'footnotes.xml': rootXml('w:footnotes', notes) } });
    expect(texts.map(({ label, text }) => [label, text])).toEqual([
      ['text', 'text'],
      ['footnote', 'the note'],
    ]);
  });

  test('comments are notes, referenced by the commented items', () => {
    const body = `<w:p><w:commentRangeStart w:id="7"/>${run('text')}<w:commentRangeEnd w:id="7"/></w:p>`;
    const comment = `<w:comment w:id="7" w:author="Ann Lee" w:initials="AL" w:date="2026-01-04T05:48:07Z">${paragraph('why?')}</w:comment>`;
    const document = readBody(body, { parts: { 'comments.xml': rootXml('w:comments', comment) } });
    expect(document.texts[0]!.comments).toEqual([{ $ref: '#/groups/0' }]);
    expect(document.texts[1]).toMatchObject({
      text: '[author: Ann Lee (AL), time: 2026-01-04T05:48:07.000+00:00]: why?',
      content_layer: 'notes',
    });
  });
});

test('adjacent lines of code are one code item; typewritten prose is text', () => {
  const mono = '<w:rFonts w:ascii="Courier New"/>';
  const body = `<w:p>${run('def f(x):', mono)}</w:p><w:p>${run('    return x', mono)}</w:p>${paragraph('between')}<w:p>${run('a typed letter', mono)}</w:p>`;
  expect(readBody(body).texts.map(({ label, text, code_language }) => [label, text, code_language])).toEqual([
    ['code', 'def f(x):\n    return x', 'Python'],
    ['text', 'between', undefined],
    ['text', 'a typed letter', undefined],
  ]);
});

test('equations are separate or inside text, and in cells between dollar signs', () => {
  const equation = '<m:oMath><m:r><m:t>a=b</m:t></m:r></m:oMath>';
  const body = `<w:p>${equation}${equation}</w:p><w:p>${run('with ')}${equation}${run(' in it')}</w:p>`;
  const document = readBody(body);
  expect(document.texts.map(({ label, text }: TextItem) => `${label}:${text}`)).toEqual([
    'formula:a=b',
    'formula:a=b',
    'text:with',
    'formula:a=b',
    'text:in it',
  ]);
});

test('the Strict vocabulary is read like the Transitional one', () => {
  const inner = rootXml('w:document', `<w:body>${paragraph('strict text')}</w:body>`);
  const strict = inner.replace(
    'http://schemas.openxmlformats.org/wordprocessingml/2006/main',
    'http://purl.oclc.org/ooxml/wordprocessingml/main',
  );
  const rels = relationshipsXml([['rId1', 'officeDocument', 'word/document.xml']]).replaceAll(
    'http://schemas.openxmlformats.org/officeDocument/2006/relationships/',
    'http://purl.oclc.org/ooxml/officeDocument/relationships/',
  );
  const bytes = officeFile('word/document.xml', { '_rels/.rels': rels, 'word/document.xml': strict });
  expect(readBytes(bytes, readOptions('strict.docx')).texts[0]!.text).toBe('strict text');
});

describe('hostile and damaged files', () => {
  test.each([
    ['no document part', new Uint8Array(Buffer.from('PK\u0005\u0006'.padEnd(22, '\0'))), 'DOCUMENT_CORRUPT'],
    ['no container', new Uint8Array(Buffer.from('just some text that is long enough')), 'DOCUMENT_CORRUPT'],
    ['a protected file', new Uint8Array(Buffer.from('d0cf11e0a1b11ae10000', 'hex')), 'DOCUMENT_ENCRYPTED'],
    ['a file cut off', wordFile(paragraph('text '.repeat(200))).slice(0, 500), 'DOCUMENT_CORRUPT'],
    ['XML that is not well-formed', wordFile('<w:p><w:r></w:p>'), 'DOCUMENT_CORRUPT'],
    ['a part of another kind', officeFile('word/document.xml', { 'word/document.xml': '<html/>' }), 'DOCUMENT_CORRUPT'],
    ['a bomb in the main part', wordFile(paragraph(' '.repeat(40_000_000))), 'DOCUMENT_TOO_LARGE'],
    [
      'paragraphs nested too deeply',
      wordFile('<w:sdt><w:sdtContent>'.repeat(400) + '</w:sdtContent></w:sdt>'.repeat(400)),
      'DOCUMENT_TOO_LARGE',
    ],
  ])('%s is refused', (_, bytes, code) => {
    let found = 'none';
    try {
      readBytes(bytes, readOptions('bad.docx'));
    } catch (error) {
      found = (error as { code: string }).code;
    }
    expect(found).toBe(code);
  });

  test('tables nested to the depth limit are read without a stack overflow', () => {
    const open = '<w:tbl><w:tr><w:tc><w:p/></w:tc><w:tc>';
    const body = open.repeat(150) + paragraph('deep') + '</w:tc></w:tr></w:tbl>'.repeat(150);
    const { tables } = readBody(body);
    expect(tables).toHaveLength(150);
    expect(tables[149]!.data.table_cells[1]!.text).toBe('deep');
  });
});

describe('fields without a result', () => {
  const mark = (kind: string, inner = '') => `<w:r><w:fldChar w:fldCharType="${kind}">${inner}</w:fldChar></w:r>`;
  const code = (text: string) => `<w:r><w:instrText xml:space="preserve">${text}</w:instrText></w:r>`;
  const list =
    '<w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="red"/><w:listEntry w:val="blue"/></w:ddList></w:ffData>';

  test.each([
    ['a button', mark('begin') + code(' MACROBUTTON NoMacro [Name] ') + mark('end'), '[Name]'],
    ['text among the instruction', mark('begin') + run('two thousand words') + mark('end'), 'two thousand words'],
    ['text in a field that never ends', mark('begin') + run('kept'), 'kept'],
    ['a chosen entry', mark('begin', list) + code(' FORMDROPDOWN ') + mark('end'), 'blue'],
    ['an instruction alone', `${mark('begin')}${code(' PAGE ')}${mark('end')}${run('7')}`, '7'],
    [
      'instructions within instructions',
      `${mark('begin')}${code(' IF ')}${mark('begin')}${code(' PAGE ')}${mark('end')}${mark('separate')}${run('yes')}${mark('end')}`,
      'yes',
    ],
  ])('%s shows what Word shows', (_, runs, shown) => {
    const document = readBody(`<w:p>${runs}</w:p><w:p>${run('after')}</w:p>`);
    expect(document.texts.map(({ text }) => text)).toEqual([shown, 'after']);
  });
});
