import { convertBytes } from '../../convert';
import { officeFile, relationshipsXml, rootXml } from '../test-support';

const control = (kind: string, label: string, row: number) =>
  `<v:shape id="s${row}"><v:textbox><div style="text-align:center"><font face="Arial">${label}</font></div></v:textbox>` +
  `<x:ClientData ObjectType="${kind}"><x:Anchor> 0, 13, ${row}, 12, 0, 166, ${row}, 89</x:Anchor></x:ClientData></v:shape>`;

function workbook(drawing: string): Uint8Array {
  const vml = `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:x="urn:schemas-microsoft-com:office:excel">${drawing}</xml>`;
  return officeFile('xl/workbook.xml', {
    'xl/workbook.xml': rootXml('x:workbook', '<x:sheets><x:sheet name="S" sheetId="1" r:id="s1"/></x:sheets>'),
    'xl/_rels/workbook.xml.rels': relationshipsXml([['s1', 'worksheet', 'worksheets/sheet1.xml']]),
    'xl/worksheets/sheet1.xml': rootXml(
      'x:worksheet',
      '<x:sheetData><x:row r="3"><x:c r="A3"><x:v>7</x:v></x:c></x:row></x:sheetData>',
    ),
    'xl/worksheets/_rels/sheet1.xml.rels': relationshipsXml([['d', 'vmlDrawing', '../drawings/d.vml']]),
    'xl/drawings/d.vml': vml,
  });
}
const read = async (drawing: string) => (await convertBytes({ bytes: workbook(drawing), name: 'a.xlsx' })).document;

test('labels of buttons and check boxes are texts in their row; comments and controls without a label are not', async () => {
  const document = await read(
    control('Checkbox', 'I agree\n  &amp; sign', 5) +
      control('Button', 'Send', 1) +
      control('Note', 'hint', 0) +
      control('Drop', '', 8),
  );
  expect(document.texts.map(({ text, prov }) => [text, prov[0]!.bbox.t])).toEqual([
    ['Send', 1],
    ['I agree & sign', 5],
  ]);
  expect(document.body.children).toHaveLength(1);
  expect(document.tables).toHaveLength(1);
});

test('a drawing that is no XML loses its labels only', async () => {
  const document = await read(control('Button', 'a<br>b', 1));
  expect(document.tables).toHaveLength(1);
});

test('positions that are no numbers are the first cell', async () => {
  const { texts } = await read(
    control('Button', 'x', 1).replace(/<x:Anchor>.*?<\/x:Anchor>/, '<x:Anchor>-5, a, 1e99</x:Anchor>'),
  );
  expect(texts.map(({ text }) => text)).toEqual(['x']);
});

test('shapes within shapes have their own labels only', async () => {
  const { texts } = await read(`<v:shape>${control('Button', 'a', 1)}${control('Button', 'b', 2)}</v:shape>`);
  expect(texts.map(({ text }) => text)).toEqual(['a', 'b']);
});

test('a label has no texts of controls within its text box, which have labels of their own', async () => {
  const inner = control('Button', 'inner', 2);
  const { texts } = await read(control('Button', `outer ${inner}`, 1));
  expect(texts.map(({ text }) => text)).toEqual(['outer', 'inner']);
});

test('lines and paragraphs of a label are separate words', async () => {
  const { texts } = await read(control('Button', 'Send<br/>now', 1).replace('</div>', '</div><div>please</div>'));
  expect(texts.map(({ text }) => text)).toEqual(['Send now please']);
});
