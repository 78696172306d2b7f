import type { DoclingDocument, NodeItem } from '../../../document/model';
import { childrenOf, isGroup, isText } from '../../../document/tree';
import { treeProblems } from '../../../document/validate';
import type { ReadOptions } from '../../format';
import { openOoxml } from '../package';
import { listParagraph, paragraph, readOptions, rootXml, run, wordFile } from '../test-support';
import { readWord } from './read';

const readBytes = (bytes: Uint8Array, options: ReadOptions) => readWord(openOoxml(bytes, options.limits), options);

function readBody(body: string, extra?: Parameters<typeof wordFile>[1]): DoclingDocument {
  const document = readBytes(wordFile(body, extra), readOptions('sample.docx'));
  expect(treeProblems(document)).toEqual([]);
  return document;
}

/** `label:text` of every item below, indented by depth. */
function outline(document: DoclingDocument, node: NodeItem = document.body, depth = 0): string[] {
  return childrenOf(document, node).flatMap((item) => {
    const text = isText(item) ? item.text : isGroup(item) ? item.name : '';
    return [`${' '.repeat(depth)}${item.label}:${text}`, ...outline(document, item, depth + 1)];
  });
}

const style = (id: string, name: string, inner = '') =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${inner}</w:style>`;
const drawing = '<w:p><w:r><w:drawing><wp:inline><a:blip r:link="rId9"/></wp:inline></w:drawing></w:r></w:p>';
const cell = (inner: string) => `<w:tc>${inner}</w:tc>`;
const row = (...cells: string[]) => `<w:tr>${cells.join('')}</w:tr>`;
const table = `<w:tbl>${row(cell(paragraph('a')), cell(paragraph('b')))}</w:tbl>`;

describe('names of styles', () => {
  const getKind = (styleXml: string) => {
    const styles = rootXml('w:styles', style('h2', 'heading 2', '<w:pPr><w:outlineLvl w:val="1"/></w:pPr>') + styleXml);
    const { texts } = readBody(paragraph('x', { style: 'own' }), { parts: { 'styles.xml': styles } });
    return `${texts[0]!.label} ${texts[0]!.level ?? ''}`.trim();
  };

  test.each([
    ['Heading 3', '', 'section_header 3'],
    ['3 heading', '', 'section_header 3'],
    ['My Heading', '<w:basedOn w:val="h2"/>', 'section_header 1'],
    ['Heading 2.1', '', 'section_header 1'],
    ['Subheading 2', '', 'text'],
    ['Chapter', '<w:basedOn w:val="h2"/>', 'section_header 2'],
    ['Chapter', '<w:pPr><w:outlineLvl w:val="3"/></w:pPr>', 'section_header 4'],
    ['Body', '<w:pPr><w:outlineLvl w:val="9"/></w:pPr>', 'text'],
  ])('%s %s is %s', (name, inner, kind) => {
    expect(getKind(style('own', name, inner))).toBe(kind);
  });

  test('a heading without a level takes the place of a title, and the following headings are below it', () => {
    const styles = rootXml('w:styles', style('toc', 'TOC Heading') + style('h1', 'heading 1'));
    const body = paragraph('Contents', { style: 'toc' }) + paragraph('One', { style: 'h1' }) + paragraph('text');
    expect(outline(readBody(body, { parts: { 'styles.xml': styles } }))).toEqual([
      'section_header:Contents',
      ' section_header:One',
      '  text:text',
    ]);
  });

  test('empty headings are kept', () => {
    const styles = rootXml('w:styles', style('h1', 'heading 1'));
    const { texts } = readBody(paragraph('', { style: 'h1' }) + paragraph('x'), { parts: { 'styles.xml': styles } });
    expect(texts.map(({ label, text }) => `${label}:${text}`)).toEqual(['section_header:', 'text:x']);
  });
});

describe('pictures and tables within lists', () => {
  test.each([
    ['picture', drawing],
    ['table', table],
  ])('a %s directly after an item is in the list, which continues', (label, floating) => {
    const lines = outline(readBody(listParagraph('one', 7) + floating + listParagraph('two', 7) + paragraph('end')));
    expect(lines).toEqual(['list:list', ' list_item:one', ` ${label}:`, ' list_item:two', 'text:end']);
  });

  test('a picture after a blank paragraph ends the list', () => {
    const lines = outline(readBody(listParagraph('one', 7) + paragraph('') + drawing + listParagraph('two', 7)));
    expect(lines).toEqual(['list:list', ' list_item:one', 'text:', 'picture:', 'list:list', ' list_item:two']);
  });
});

describe('code', () => {
  const mono = (text: string) => `<w:p>${run(text, '<w:rFonts w:ascii="Courier New"/>')}</w:p>`;

  test.each([
    ['x = 1', 'code'],
    ['foo()', 'code'],
    ['for i in y:', 'code'],
    ['from a import b', 'code'],
    ['Name; Other (see there)', 'text'],
    ['Copies: two', 'text'],
    ['http://host/path', 'text'],
  ])('%s in monospaced type is %s', (line, label) => {
    expect(readBody(mono(line)).texts[0]!.label).toBe(label);
  });

  test.each([
    ['{"a": 1}', 'JSON'],
    ['#include &lt;iostream>', 'C++'],
    ['using System;', 'C#'],
    ['System.out.println(1);', 'Java'],
    ['let a = 1;', 'unknown'],
  ])('%s is %s', (line, language) => {
    expect(readBody(mono(line)).texts[0]!.code_language).toBe(language);
  });

  test('a blank line in the code style is kept inside the block, but not at its end', () => {
    const styles = rootXml('w:styles', style('code', 'Source Code'));
    const body = ['a', '', 'b', ''].map((line) => paragraph(line, { style: 'code' })).join('') + paragraph('end');
    const { texts } = readBody(body, { parts: { 'styles.xml': styles } });
    expect(texts.map(({ label, text }) => `${label}:${text}`)).toEqual(['code:a\n\nb', 'text:end']);
  });
});

test('a cell that is bold only by its style is plain', () => {
  const styles = rootXml('w:styles', style('strong', 'Strong Body', '<w:rPr><w:b/></w:rPr>'));
  const cells = [cell(paragraph('by style', { style: 'strong' })), cell(`<w:p>${run('itself', '<w:b/>')}</w:p>`)];
  const document = readBody(`<w:tbl>${row(...cells)}</w:tbl>`, { parts: { 'styles.xml': styles } });
  expect(document.tables[0]!.data.table_cells.map((c) => c.ref !== undefined)).toEqual([false, true]);
});

describe('headers and footers', () => {
  const references = (...rows: [kind: string, type: string, id: string][]) =>
    rows.map(([kind, type, id]) => `<w:${kind}Reference w:type="${type}" r:id="${id}"/>`).join('');
  const furniture = (body: string, parts: Record<string, string>) => {
    const document = readBody(body, {
      parts: Object.fromEntries(Object.entries(parts).map(([name, xml]) => [`${name}.xml`, rootXml('w:hdr', xml)])),
      relationships: Object.keys(parts).map((name) => [name, 'header', `${name}.xml`]),
    });
    return document.texts.filter(({ content_layer }) => content_layer === 'furniture').map(({ text }) => text);
  };

  test('a section with its own first page has both headers, and inherits missing ones from the previous section', () => {
    const first = `<w:p><w:pPr><w:sectPr>${references(['header', 'default', 'h1'], ['header', 'first', 'h2'])}</w:sectPr></w:pPr></w:p>`;
    const second = `<w:sectPr>${references(['footer', 'default', 'f1'])}<w:titlePg/></w:sectPr>`;
    const parts = { h1: paragraph('usual'), h2: paragraph('first page'), f1: paragraph('foot') };
    expect(furniture(first + second, parts)).toEqual(['usual', 'first page', 'foot']);
  });

  test('a lone page number is omitted, a page number with words is kept', () => {
    const number = `<w:p><w:fldSimple w:instr="PAGE">${run('7')}</w:fldSimple></w:p>`;
    const body = `<w:sectPr>${references(['header', 'default', 'h1'], ['footer', 'default', 'f1'])}</w:sectPr>`;
    const words = `<w:p>${run('Page ')}<w:fldSimple w:instr="PAGE">${run('7')}</w:fldSimple></w:p>`;
    expect(furniture(body, { h1: number, f1: words })).toEqual(['Page 7']);
  });
});

test('the content after a numbered heading that follows a list item is placed where the list was', () => {
  const styles = rootXml('w:styles', style('h1', 'heading 1') + style('h2', 'heading 2'));
  const numbering = rootXml(
    'w:numbering',
    '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>' +
      '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="9"/></w:num>',
  );
  const heading =
    '<w:p><w:pPr><w:pStyle w:val="h2"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>Two</w:t></w:r></w:p>';
  const body =
    paragraph('One', { style: 'h1' }) +
    listParagraph('item', 2) +
    heading +
    paragraph('text') +
    paragraph('Three', { style: 'h2' });
  const document = readBody(body, { parts: { 'styles.xml': styles, 'numbering.xml': numbering } });
  expect(outline(document)).toEqual([
    'section:header-0',
    ' section_header:One',
    '  list:list',
    '   list_item:item',
    '  section_header:1. Two',
    '  text:text',
    '  section_header:Three',
  ]);
});

test('SmartArt is a picture followed by its texts', () => {
  const names = 'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"';
  const words = (text: string) => `<dgm:pt><dgm:t><a:p><a:r><a:t>${text}</a:t></a:r></a:p></dgm:t></dgm:pt>`;
  const data = rootXml('dgm:dataModel', words('First') + words('') + words('Second')).replace(' ', ` ${names} `);
  const body = `<w:p><w:r><w:drawing><dgm:relIds ${names} r:dm="rId5"/></w:drawing></w:r></w:p>`;
  const document = readBody(body, {
    parts: { 'diagrams/data1.xml': data },
    relationships: [['rId5', 'diagramData', 'diagrams/data1.xml']],
  });
  expect(outline(document)).toEqual(['picture:', 'text:First', 'text:Second']);
});

test('a drawing may name more pictures than the stack holds', () => {
  const pictures = '<a:blip r:embed="rId9"/>'.repeat(200_000);
  const body = `${paragraph('above')}<w:p><w:r><w:drawing><wp:inline>${pictures}</wp:inline></w:drawing></w:r></w:p>`;
  const document = readBytes(wordFile(body), readOptions('sample.docx'));
  expect(document.texts.map(({ text }) => text)).toContain('above');
});
