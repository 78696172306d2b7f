import { zipSync } from 'fflate';
import { convertBytes } from '../../convert';
import { relationshipsXml } from '../test-support';

const vs = 'xmlns="http://schemas.microsoft.com/office/visio/2012/main"';
const r = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
const cells = (values: Record<string, number>) =>
  Object.entries(values)
    .map(([name, value]) => `<Cell N="${name}" V="${value}"/>`)
    .join('');
/** A shape of one by one inch centred at this point, in inches from the bottom left corner. */
const shape = (x: number, y: number, inner: string, attributes = '') =>
  `<Shape ${attributes}>${cells({ PinX: x, PinY: y, Width: 1, Height: 1, LocPinX: 0.5, LocPinY: 0.5 })}${inner}</Shape>`;
const text = (value: string) => `<Text><cp IX="0"/>${value}</Text>`;
const page = (inner: string) => `<PageContents ${vs} ${r}><Shapes>${inner}</Shapes></PageContents>`;
const entry = (id: string, name: string, more = '') =>
  `<Page ID="${id}" Name="${name}" ${more}><PageSheet>${cells({ PageWidth: 8, PageHeight: 10 })}</PageSheet><Rel r:id="${id}"/></Page>`;

function drawing(first: string, more: Record<string, string> = {}): Uint8Array {
  const parts: Record<string, string> = {
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    '_rels/.rels': relationshipsXml([['rId1', 'document', 'visio/document.xml']]),
    'visio/document.xml': `<VisioDocument ${vs}/>`,
    'visio/_rels/document.xml.rels': relationshipsXml([
      ['p', 'pages', 'pages/pages.xml'],
      ['m', 'masters', 'masters/masters.xml'],
      ['c', 'comments', 'comments.xml'],
    ]),
    'visio/pages/pages.xml': `<Pages ${vs} ${r}>${entry('a', 'Plan')}${entry('b', 'Frame', 'Background="1"')}</Pages>`,
    'visio/pages/_rels/pages.xml.rels': relationshipsXml([
      ['a', 'page', 'page1.xml'],
      ['b', 'page', 'page2.xml'],
    ]),
    'visio/pages/page1.xml': page(first),
    'visio/pages/page2.xml': page(shape(1, 9, text('Confidential'))),
    'visio/masters/masters.xml': `<Masters ${vs} ${r}><Master ID="7"><Rel r:id="x"/></Master></Masters>`,
    'visio/masters/_rels/masters.xml.rels': relationshipsXml([['x', 'master', 'master1.xml']]),
    'visio/masters/master1.xml': `<MasterContents ${vs}><Shapes>${shape(0, 0, text('from the master'), 'ID="5"')}</Shapes></MasterContents>`,
    ...more,
  };
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, xml]) => [name, Buffer.from(xml)])));
}

test('texts are read row by row with positions, including those of groups and masters; backgrounds and comments have their own layers', async () => {
  const group = shape(2, 2, `${text('group')}<Shapes>${shape(0.5, 0.5, text('part <fld IX="0">of 3</fld>'))}</Shapes>`);
  const data = '<Section N="Property"><Row N="Cost"><Cell N="Label" V="Cost"/><Cell N="Value" V="12"/></Row></Section>';
  const bytes = drawing(
    `${group}${shape(5, 9, text('right'))}${shape(1, 8.9, text('left') + data)}${shape(6, 2, '<Cell N="PinX" V="6"/>', 'Master="7"')}`,
    {
      'visio/comments.xml': `<Comments ${vs}><AuthorList><AuthorEntry ID="1" Name="Ann"/></AuthorList><CommentList><CommentEntry PageID="0" AuthorID="1">Move it</CommentEntry></CommentList></Comments>`,
    },
  );
  const { document, format, coverage, pages } = await convertBytes({ bytes, name: 'plan.zip' });
  expect([format, pages]).toEqual(['vsdx', 1]);
  expect(document.texts.map(({ text: shown, content_layer: layer }) => [shown, layer])).toEqual([
    ...['left', 'right', 'group', 'part of 3', 'from the master'].map((shown) => [shown, 'body']),
    ...[
      ['Confidential', 'furniture'],
      ['[author: Ann]: Move it', 'notes'],
    ],
  ]);
  expect(document.texts[1]!.prov[0]).toMatchObject({ page_no: 1, bbox: { l: 324, r: 396, t: 36, b: 108 } });
  expect(document.texts[3]!.prov[0]!.bbox).toEqual(document.texts[2]!.prov[0]!.bbox);
  expect(coverage).toContainEqual({ kind: 'shape data field', count: 1, words: 2, in_json: false });
});

test('endlessly nested groups and files that are not drawings are rejected', async () => {
  const deep = '<Shapes><Shape>'.repeat(600) + '</Shape></Shapes>'.repeat(600);
  await expect(convertBytes({ bytes: drawing(`<Shape>${deep}</Shape>`), name: 'a.vsdx' })).rejects.toMatchObject({
    code: 'DOCUMENT_TOO_LARGE',
  });
  const other = drawing('', { 'visio/document.xml': '<other/>' });
  await expect(convertBytes({ bytes: other, name: 'a.vsdx' })).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
});
