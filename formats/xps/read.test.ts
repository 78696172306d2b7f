import type { DoclingDocument } from '../../document/model';
import { convertBytes } from '../convert';
import { pngHeader } from '../ooxml/test-support';
import { fontFile, glyphs, lines, obfuscate, xpsFile, type XpsParts } from './xps-test-support';

const prose = [
  'The harbour office keeps a daily record of the water level at the northern pier,',
  'and every morning the reading is compared with the table of the tides. Any larger',
  'difference is reported to the engineer on duty, who looks at the gauge before noon.',
];
const convert = (parts: XpsParts, name = 'report.xps') => convertBytes({ bytes: xpsFile(parts), name });
const shown = ({ texts }: DoclingDocument) => texts.map(({ label, text }) => [label, text]);
const rectangle = (x: number, y: number, w: number, h: number, more: string) =>
  `<Path Data="M ${x},${y} L ${x + w},${y} ${x + w},${y + h} ${x},${y + h} Z" ${more}/>`;

test.each([
  ['XPS', {}],
  ['OpenXPS', { isOpenXps: true }],
  ['interleaved parts', { isInterleaved: true }],
])('lines become paragraphs with page and box: %s', async (_, more) => {
  const page = lines(prose, 200) + lines(['A second paragraph.'], 300);
  const { document, format, pages } = await convert({ pages: [page, page], ...more }, 'report.zip');
  expect([format, pages]).toEqual(['xps', 2]);
  const [first, second] = document.texts;
  expect([first!.text, second!.text]).toEqual([prose.join(' '), 'A second paragraph.']);
  expect(first!.prov[0]).toMatchObject({ page_no: 1, bbox: { l: 72, coord_origin: 'BOTTOMLEFT' } });
  expect(document.pages['1']!.size.width).toBeCloseTo(595.275);
  // Origin at 200 of 1,122.5 units of 3/4 points.
  expect(first!.prov[0]!.bbox.t).toBeGreaterThan((1122.5 - 200) * 0.75);
  expect(first!.prov[0]!.bbox.t).toBeLessThan((1122.5 - 184) * 0.75);
});

test('a large line is a heading, and the outline gives its level', async () => {
  const title = glyphs('Water levels', 96, 120, 'Name="top"').replace('"16"', '"32"');
  const part = glyphs('Readings', 96, 420).replace('"16"', '"24"');
  const entry = (level: number, text: string) =>
    `<OutlineEntry OutlineLevel="${level}" Description="${text}" OutlineTarget="../Pages/1.fpage#top"/>`;
  const structure = `<DocumentStructure xmlns="http://schemas.microsoft.com/xps/2005/06/documentstructure"><DocumentStructure.Outline><DocumentOutline xml:lang="en">${entry(1, 'Water levels')}${entry(2, 'Readings')}</DocumentOutline></DocumentStructure.Outline></DocumentStructure>`;
  const { document } = await convert({
    pages: [title + lines(prose, 200) + lines(prose, 280) + part + lines(prose, 460)],
    parts: { 'Documents/1/Structure/doc.struct': structure },
  });
  const headings = document.texts.filter(({ label }) => label === 'section_header' || label === 'title');
  expect(headings.map((heading) => [heading.text, 'level' in heading ? heading.level : 0])).toEqual([
    // A title has no level.
    ['Water levels', 0],
    ['Readings', 2],
  ]);
});

test('paths around cells make a table', async () => {
  const rows = [
    ['Station', 'Level'],
    ['North', '3.2'],
    ['South', '2.9'],
  ];
  const cells = rows.flatMap((row, y) =>
    row.map(
      (text, x) =>
        rectangle(96 + 150 * x, 200 + 30 * y, 150, 30, 'Stroke="#FF000000" StrokeThickness="1"') +
        glyphs(text, 104 + 150 * x, 220 + 30 * y),
    ),
  );
  const { document } = await convert({ pages: [cells.join('')] });
  expect(document.tables[0]!.data.table_cells.map(({ text }) => text)).toEqual(rows.flat());
});

test('glyph widths come from the file, else from the obfuscated font; a glyph without text is named by the font', async () => {
  const guid = '0d1e2f30-4152-6374-8596-a7b8c9daebfc';
  const part = `Resources/Fonts/${guid}.odttf`;
  const font = `FontUri="/${part}"`;
  const given =
    glyphs('AB', 96, 100, `${font} Indices=",50;,50"`) +
    glyphs('CD', 96, 200, font) +
    glyphs('', 96, 300, `${font} Indices="5;6"`);
  const { document } = await convert({
    pages: [given],
    parts: { [part]: obfuscate(fontFile('Narrow-Bold', 250), guid) },
  });
  const boxes = document.texts.map(({ text, prov }) => [text, Math.round(prov[0]!.bbox.r - prov[0]!.bbox.l)]);
  // Sizes are 16 units or 12 points.
  expect(boxes).toEqual([
    ['AB', 12],
    ['CD', 6],
    ['EF', 6],
  ]);
});

test('words in a bold font, or with simulated bold, are marked', async () => {
  const guid = '0d1e2f30-4152-6374-8596-a7b8c9daebfc';
  const part = `Resources/Fonts/${guid}.odttf`;
  const { document } = await convert({
    pages: [
      lines(prose, 100) +
        glyphs('and', 96, 160) +
        glyphs('BOLD', 136, 160, `FontUri="/${part}"`) +
        glyphs('then', 200, 160) +
        glyphs('simulated', 264, 160, 'StyleSimulations="BoldSimulation"'),
    ],
    parts: { [part]: obfuscate(fontFile('Wide-Bold', 750), guid) },
  });
  const bold = document.texts.filter(({ formatting }) => formatting?.bold).map(({ text }) => text);
  expect(bold).toEqual(['BOLD', 'simulated']);
});

test('clusters of several characters or glyphs share their widths', async () => {
  const { document } = await convert({
    pages: [glyphs('office', 96, 100, 'Indices=",50;(3:1)7,90;,50;,50"') + glyphs('{}{a}', 96, 200)],
  });
  expect(document.texts.map(({ text }) => text)).toEqual(['office', '{a}']);
  const { l, r } = document.texts[0]!.prov[0]!.bbox;
  expect(r - l).toBeCloseTo((0.5 + 0.9 + 0.5 + 0.5) * 12, 0);
});

test('transformations of canvases apply, and text that runs sideways is read in its direction', async () => {
  const turned = `<Canvas RenderTransform="0,-1,1,0,100,900">${lines(prose, 100)}</Canvas>`;
  const { document } = await convert({ pages: [turned] });
  expect(document.texts.map(({ text }) => text)).toEqual([prose.join(' ')]);
  const { l, r, t, b } = document.texts[0]!.prov[0]!.bbox;
  expect(t - b).toBeGreaterThan(r - l);
});

test('right-to-left runs start at their right end', async () => {
  const { document } = await convert({ pages: [glyphs('שלום עולם', 600, 100, 'BidiLevel="1"')] });
  expect(document.texts.map(({ text }) => text)).toEqual(['שלום עולם']);
  expect(document.texts[0]!.prov[0]!.bbox.r).toBeCloseTo(450, 0);
});

test('links and images keep their addresses and data; addresses within the package are not links', async () => {
  const brush = '<ImageBrush ImageSource="/Resources/Images/1.png" Viewbox="0,0,1,1" Viewport="0,0,1,1"/>';
  const picture = `<Path Data="F1 M 96,300 L 496,300 496,600 96,600 Z"><Path.Fill>${brush}</Path.Fill></Path>`;
  const { document } = await convert({
    pages: [
      glyphs('The tide tables', 96, 100, 'FixedPage.NavigateUri="https://tides.example/a"') +
        glyphs('Next page', 96, 200, 'FixedPage.NavigateUri="../FixedDoc.fdoc#p2"') +
        picture,
    ],
    parts: { 'Resources/Images/1.png': pngHeader(40, 30) },
  });
  expect(document.texts.map(({ text, hyperlink }) => [text, hyperlink])).toEqual([
    ['The tide tables', 'https://tides.example/a'],
    ['Next page', null],
  ]);
  expect(document.pictures[0]!.image).toMatchObject({ mimetype: 'image/png', size: { width: 40, height: 30 } });
});

test('paths use the resources of a page, including those in a separate dictionary', async () => {
  const dictionary =
    '<ResourceDictionary xmlns="http://schemas.microsoft.com/xps/2005/06" xmlns:x="http://schemas.microsoft.com/xps/2005/06/resourcedictionary-key"><ImageBrush x:Key="b" ImageSource="/Resources/1.png"/><PathGeometry x:Key="g"><PathFigure StartPoint="96,300" IsClosed="true"><PolyLineSegment Points="496,300 496,600 96,600"/></PathFigure></PathGeometry></ResourceDictionary>';
  const { document } = await convert({
    pages: [
      `<FixedPage.Resources><ResourceDictionary Source="/Resources/d.dict"/></FixedPage.Resources><Path Data="{StaticResource g}" Fill="{StaticResource b}"/>${glyphs('text', 96, 100)}`,
    ],
    parts: { 'Resources/1.png': pngHeader(4, 3), 'Resources/d.dict': dictionary },
  });
  expect(document.pictures).toHaveLength(1);
  expect(document.pictures[0]!.image).toBeDefined();
});

test('only the pages asked for are read, and a damaged page is reported', async () => {
  const bytes = xpsFile({ pages: [glyphs('one', 96, 100), '<Canvas>', glyphs('three', 96, 100)] });
  const { document, failedPages } = await convertBytes({ bytes, name: 'a.xps', paged: { range: [2, 3] } });
  expect(shown(document)).toEqual([['text', 'three']]);
  expect(failedPages).toMatchObject([{ pageNo: 2 }]);
  await expect(convertBytes({ bytes, name: 'a.xps', paged: { range: [4, 5] } })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
});

test.each<[string, XpsParts, string]>([
  ['no page can be read', { pages: ['<Canvas>'] }, 'DOCUMENT_CORRUPT'],
  ['a page has no size', { pages: [''], size: 'Width="0" Height="NaN"' }, 'DOCUMENT_CORRUPT'],
  [
    'elements are nested too deeply',
    { pages: ['<Canvas>'.repeat(600) + '</Canvas>'.repeat(600)] },
    'DOCUMENT_TOO_LARGE',
  ],
])('it is an error that %s', async (_, parts, code) => {
  await expect(convert(parts)).rejects.toMatchObject({ code });
});

test('too many pages are refused', async () => {
  const bytes = xpsFile({ pages: ['', ''] });
  await expect(convertBytes({ bytes, name: 'a.xps', limits: { maxPages: 1 } })).rejects.toMatchObject({
    code: 'DOCUMENT_TOO_LARGE',
  });
});

test('damaged fonts, clusters beyond the text and endless paths do no harm', async () => {
  const part = 'Resources/f.ttf';
  const path = `M 0,0 ${'L 1,1 '.repeat(60_000)}`;
  const run = glyphs('abc', 96, 100, `FontUri="/${part}" Indices="${'(999999:999999),999999999;'.repeat(50)}"`);
  for (const length of [0, 5, 40, 100, 180]) {
    const { document } = await convert({
      pages: [
        `${run}<Path Data="${path}" Stroke="#000000"/><Path Data="M 1 L" Fill="#000000"/>${glyphs('whole', 96, 300)}`,
      ],
      parts: { [part]: fontFile('x', 500).subarray(0, length) },
    });
    expect(document.texts.map(({ text }) => text).join(' ')).toContain('whole');
  }
});
