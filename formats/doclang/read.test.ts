import { strToU8, zipSync } from 'fflate';
import { createDocument } from '../../document/builder';
import { tableCell } from '../../document/grid';
import type { DoclingDocument, Formatting } from '../../document/model';
import { treeProblems } from '../../document/validate';
import { toDoclang } from '../../document/write/doclang';
import { toMarkdown } from '../../document/write/markdown';
import { convertBytes } from '../convert';
import { writePng } from '../image/png';

const plain: Formatting = { bold: false, italic: false, underline: false, strikethrough: false, script: 'baseline' };
const png = writePng(new Uint8Array(4 * 3 * 3), 4, 3);
const dataUri = `data:image/png;base64,${Buffer.from(png).toString('base64')}`;

async function read(xml: string, name = 'a.dclg'): Promise<DoclingDocument> {
  const { document } = await convertBytes({ bytes: new TextEncoder().encode(xml), name });
  expect(treeProblems(document)).toEqual([]);
  return document;
}
const inRoot = (xml: string) => `<doclang version="0.8">${xml}</doclang>`;

test('documents survive a round trip through the writer', async () => {
  const builder = createDocument('a');
  const { document } = builder;
  builder.page(1, 512, 512);
  const place = (page_no: number) => [
    { page_no, bbox: { l: 10, t: 20, r: 300, b: 40, coord_origin: 'TOPLEFT' as const }, charspan: [0, 1] },
  ];
  builder.text('title', 'Title & more', { prov: place(1) });
  builder.heading(2, 'Deep');
  builder.text('page_header', 'head', { layer: 'furniture' });
  const inline = builder.group('inline');
  builder.text('text', 'Both', { parent: inline, formatting: { ...plain, bold: true, script: 'super' } });
  builder.text('text', 'link', { parent: inline, hyperlink: 'https://x.org/?a&b' });
  builder.code('x < y', { parent: inline, language: 'Python' });
  builder.text('formula', 'E=mc^2', { parent: inline });
  const list = builder.group('list');
  const item = builder.listItem('one', { parent: list, enumerated: true, marker: '' });
  builder.listItem('deep', { parent: builder.group('list', { parent: item }), marker: '-' });
  builder.listItem('two', { parent: list, enumerated: true, marker: 'b)' });
  builder.text('checkbox_selected', 'done');
  const data = {
    table_cells: [tableCell(0, 0, 'wide', { col_span: 2, column_header: true }), tableCell(1, 0, 'r')],
    num_rows: 2,
    num_cols: 2,
  };
  builder.caption(builder.table(data), 'Table 1');
  builder.code('def f():\n    return 1', { language: 'Python' });
  const image = { mimetype: 'image/png', dpi: 72, size: { width: 4, height: 3 }, uri: dataUri };
  const picture = builder.picture({ image });
  builder.caption(picture, 'Figure 1');
  picture.meta = {
    description: { text: 'Bars' },
    classification: { predictions: [{ class_name: 'bar_chart' }] },
    tabular_chart: { chart_data: { table_cells: [tableCell(0, 0, '7')], num_rows: 1, num_cols: 1 } },
  };
  builder.text('formula', 'a^2', { prov: place(2) });
  builder.page(2, 512, 512);
  const xml = toDoclang(document);
  const back = await read(xml);
  expect(toDoclang(back)).toBe(xml);
  expect(toMarkdown(back)).toBe(toMarkdown(document));
  expect(back.pictures[0]).toMatchObject({ image, meta: picture.meta });
  expect(back.pages).toEqual(document.pages);
});

test('cells with blocks keep them; the cell text contains their words', async () => {
  const xml = '<table><fcel/><text>before</text><list class="unordered"><ldiv/>one<ldiv/>two</list><nl/></table>';
  const document = await read(inRoot(xml));
  expect(document.tables[0]?.data.table_cells[0]).toMatchObject({
    text: 'before one two',
    ref: { $ref: '#/groups/0' },
  });
  expect(toDoclang(document)).toContain('<list class="unordered">');
});

test('code within a line and code below an item are distinguished by the content after it', async () => {
  const xml = '<list class="ordered"><ldiv/>run <code>ls</code> now<ldiv/>then<code>a\nb</code></list>';
  const { texts } = await read(inRoot(xml));
  expect(texts.map(({ label, text, parent }) => [label, text, parent?.$ref])).toEqual([
    ['list_item', '', '#/groups/0'],
    ['text', 'run', '#/groups/1'],
    ['code', 'ls', '#/groups/1'],
    ['text', 'now', '#/groups/1'],
    ['list_item', 'then', '#/groups/0'],
    ['code', 'a\nb', '#/texts/4'],
  ]);
});

test('the format is recognized by its root element, whatever the file name', async () => {
  const { format } = await convertBytes({
    bytes: new TextEncoder().encode(inRoot('<text>a</text>')),
    name: 'a.dclg.xml',
  });
  expect(format).toBe('doclang');
});

test('unknown elements are transparent, invalid locations are dropped', async () => {
  const xml =
    '<novelty><text><location value="5"/><location value="x"/>kept</text>loose</novelty><heading level="3">h</heading>';
  const { texts } = await read(inRoot(xml));
  expect(texts.map(({ label, text, level, prov }) => [label, text, level, prov.length])).toEqual([
    ['text', 'kept', undefined, 0],
    ['text', 'loose', undefined, 0],
    ['section_header', 'h', 2, 0],
  ]);
});

test('pictures are next to the document or in the archive', async () => {
  const xml = inRoot(
    '<picture><src uri="artifacts/one.png"/></picture><picture><src uri="../../etc/gone.png"/></picture>',
  );
  const related = (path: string) => (path === 'artifacts/one.png' ? png : undefined);
  const beside = await convertBytes({ bytes: new TextEncoder().encode(xml), name: 'a.dclg', related });
  const zip = zipSync({
    'doc/artifacts/one.png': png,
    'doc/document.dclg': strToU8(xml),
    'readme.xml': strToU8('<a/>'),
  });
  const archive = await convertBytes({ bytes: zip, name: 'a.dclx' });
  expect(archive.format).toBe('dclx');
  for (const { document } of [beside, archive])
    expect(document.pictures.map(({ image }) => image?.uri ?? null)).toEqual([dataUri, null]);
});

test('other XML, invalid XML, and archives without a document are reported', async () => {
  await expect(read('<html/>')).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
  await expect(read('<doclang><text>')).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
  await expect(read(inRoot('<a>'.repeat(2_000) + '</a>'.repeat(2_000)))).rejects.toMatchObject({
    code: 'DOCUMENT_TOO_LARGE',
  });
  const zip = zipSync({ 'a.xml': strToU8('<a/>') });
  await expect(convertBytes({ bytes: zip, name: 'a.dclx' })).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
});
