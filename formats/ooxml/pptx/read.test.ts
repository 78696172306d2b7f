import type { DoclingDocument } from '../../../document/model';
import { treeProblems } from '../../../document/validate';
import type { RecordOmission } from '../../coverage';
import {
  pngHeader,
  presentationFile,
  readOptions,
  type RelationshipRow,
  relationshipsXml,
  rootXml,
} from '../test-support';
import { read } from './read';

type Extra = Parameters<typeof presentationFile>[1];
function readSlides(slides: string[], extra?: Extra): DoclingDocument {
  const document = read(presentationFile(slides, extra), readOptions('sample.pptx'));
  expect(treeProblems(document)).toEqual([]);
  return document;
}
const place = (x: number, y: number, cx = 1_270_000, cy = 127_000) =>
  `<a:xfrm><a:off x="${x}" y="${y}"/><a:ext cx="${cx}" cy="${cy}"/></a:xfrm>`;
const p = (text: string, properties = '', level = 0) =>
  `<a:p><a:pPr lvl="${level}">${properties}</a:pPr><a:r><a:t>${text}</a:t></a:r></a:p>`;
function shape(paragraphs: string, { at = '', placeholder = '' }: { at?: string; placeholder?: string } = {}): string {
  return `<p:sp><p:nvSpPr><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:spPr>${at}</p:spPr><p:txBody>${paragraphs}</p:txBody></p:sp>`;
}
const bullet = '<a:buChar char="•"/>';
const number = '<a:buAutoNum type="arabicPeriod" startAt="3"/>';
const labels = ({ texts }: DoclingDocument) => texts.map(({ label, text }) => `${label}:${text}`);

test('a slide is a page in points and a group; hidden slides are marked', () => {
  const hidden = rootXml('p:sld', '<p:cSld><p:spTree/></p:cSld>').replace('<p:sld ', '<p:sld show="0" ');
  const document = readSlides([shape(p('a')), hidden]);
  expect(document.pages['1']!.size).toEqual({ width: 720, height: 540 });
  expect(document.groups.map(({ name, label, meta }) => [name, label, meta])).toEqual([
    ['slide-0', 'chapter', null],
    ['slide-1', 'chapter', { docloom__hidden: true }],
  ]);
});

test('shapes are read in rows from the top, left to right, and have boxes in points', () => {
  const slide =
    shape(p('low'), { at: place(0, 2_540_000) }) +
    shape(p('right'), { at: place(2_540_000, 10_000) }) +
    shape(p('left'), { at: place(127_000, 0) });
  const document = readSlides([slide]);
  expect(labels(document)).toEqual(['paragraph:left', 'paragraph:right', 'paragraph:low']);
  expect(document.texts[0]!.prov[0]).toMatchObject({
    page_no: 1,
    bbox: { l: 10, t: 0, r: 110, b: 10, coord_origin: 'TOPLEFT' },
  });
});

test('titles, paragraphs and lists are distinguished; nested items are below items of the level above, and each level counts separately', () => {
  const slide =
    shape(p('Title'), { placeholder: '<p:ph type="ctrTitle"/>' }) +
    shape(
      p('plain') +
        p('one', bullet) +
        p('deeper', bullet, 1) +
        p('two', bullet) +
        p('three', number) +
        p('third', number, 1) +
        p('four', number),
    );
  const document = readSlides([slide]);
  expect(labels(document)).toEqual([
    'title:Title',
    'paragraph:plain',
    'list_item:one',
    'list_item:deeper',
    'list_item:two',
    'list_item:three',
    'list_item:third',
    'list_item:four',
  ]);
  expect(document.texts.slice(2).map(({ marker, parent }) => [marker, parent?.$ref])).toEqual(
    ['', '', '', '3.', '3.', '4.'].map((marker, index) => [marker, `#/groups/${[1, 2, 1, 1, 3, 1][index]}`]),
  );
});

test('bullets and positions are inherited from layout and master', () => {
  const layout = rootXml(
    'p:sldLayout',
    `<p:cSld><p:spTree>${shape(p('prompt'), { at: place(12_700, 25_400), placeholder: '<p:ph type="body" idx="1"/>' })}</p:spTree></p:cSld>`,
  );
  const master = rootXml(
    'p:sldMaster',
    '<p:cSld><p:spTree/></p:cSld><p:txStyles><p:bodyStyle><a:lvl1pPr><a:buChar char="•"/></a:lvl1pPr></p:bodyStyle></p:txStyles>',
  );
  const document = readSlides(
    [shape(p('inherited') + p('not this', '<a:buNone/>'), { placeholder: '<p:ph idx="1"/>' })],
    {
      slideRelationships: { 0: [['rId1', 'slideLayout', '../slideLayouts/l.xml']] },
      parts: {
        'ppt/slideLayouts/l.xml': layout,
        'ppt/slideLayouts/_rels/l.xml.rels':
          '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="x/slideMaster" Target="../slideMasters/m.xml"/></Relationships>',
        'ppt/slideMasters/m.xml': master,
      },
    },
  );
  expect(labels(document)).toEqual(['list_item:inherited', 'paragraph:not this']);
  expect(document.texts[0]!.prov[0]!.bbox).toMatchObject({ l: 1, t: 2 });
});

test('the bullets of content come from the master before the layout, those of a subtitle from the layout only', () => {
  const prompt = (placeholder: string, bullets: string) =>
    `<p:sp><p:nvSpPr><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:txBody><a:lstStyle><a:lvl1pPr>${bullets}</a:lvl1pPr></a:lstStyle></p:txBody></p:sp>`;
  const body = '<p:ph type="body" idx="1"/>';
  const subtitle = '<p:ph type="subTitle" idx="2"/>';
  const read = (inBody: string, inSubtitle: string, inMaster: string) =>
    labels(
      readSlides([shape(p('a'), { placeholder: body }) + shape(p('b'), { placeholder: subtitle })], {
        slideRelationships: { 0: [['rId1', 'slideLayout', '../slideLayouts/l.xml']] },
        parts: {
          'ppt/slideLayouts/l.xml': rootXml(
            'p:sldLayout',
            `<p:cSld><p:spTree>${prompt(body, inBody)}${prompt(subtitle, inSubtitle)}</p:spTree></p:cSld>`,
          ),
          'ppt/slideLayouts/_rels/l.xml.rels': relationshipsXml([['rId1', 'slideMaster', '../slideMasters/m.xml']]),
          'ppt/slideMasters/m.xml': rootXml(
            'p:sldMaster',
            `<p:cSld><p:spTree/></p:cSld><p:txStyles><p:bodyStyle><a:lvl1pPr>${inMaster}</a:lvl1pPr></p:bodyStyle></p:txStyles>`,
          ),
        },
      }),
    );
  expect(read('<a:buNone/>', '', bullet)).toEqual(['list_item:a', 'paragraph:b']);
  expect(read(bullet, bullet, '<a:buNone/>')).toEqual(['paragraph:a', 'list_item:b']);
  expect(read(bullet, '', '')).toEqual(['list_item:a', 'paragraph:b']);
});

test('shapes in a group are positioned by the group', () => {
  const group = `<p:grpSp><p:grpSpPr><a:xfrm><a:off x="127000" y="127000"/><a:ext cx="1270000" cy="1270000"/><a:chOff x="0" y="0"/><a:chExt cx="635000" cy="635000"/></a:xfrm></p:grpSpPr>${shape(p('in'), { at: place(127_000, 0, 127_000, 127_000) })}</p:grpSp>`;
  const { texts } = readSlides([group]);
  expect(texts[0]!.prov[0]!.bbox).toMatchObject({ l: 30, t: 10, r: 50, b: 30 });
});

test('merged cells of tables have spans', () => {
  const cell = (text: string, attributes = '') => `<a:tc ${attributes}><a:txBody>${p(text)}</a:txBody></a:tc>`;
  const table = `<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tblGrid><a:gridCol/><a:gridCol/></a:tblGrid><a:tr>${cell('wide', 'gridSpan="2"')}${cell('', 'hMerge="1"')}</a:tr><a:tr>${cell('a')}${cell('b')}</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
  const { data } = readSlides([table]).tables[0]!;
  expect([data.num_rows, data.num_cols]).toEqual([2, 2]);
  expect(data.table_cells.map(({ text, col_span, column_header }) => [text, col_span, column_header])).toEqual([
    ['wide', 2, true],
    ['a', 1, false],
    ['b', 1, false],
  ]);
});

test('the caption of a chart is in the body', () => {
  const chart =
    '<p:graphicFrame><a:graphic><a:graphicData><c:chart r:id="rId1"/></a:graphicData></a:graphic></p:graphicFrame>';
  const part = rootXml(
    'c:chartSpace',
    '<c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart/></c:plotArea></c:chart>',
  );
  const document = readSlides([chart], {
    slideRelationships: { 0: [['rId1', 'chart', '../charts/c.xml']] },
    parts: { 'ppt/charts/c.xml': part },
  });
  expect(document.pictures[0]).toMatchObject({ captions: [{ $ref: '#/texts/0' }], children: [] });
  expect(document.body.children.map(({ $ref }) => $ref)).toEqual(['#/groups/0', '#/texts/0']);
});

test('embedded images are kept as pictures', () => {
  const picture = (id: string) => `<p:pic><p:blipFill><a:blip r:embed="${id}"/></p:blipFill></p:pic>`;
  const document = readSlides([picture('rId1') + picture('rId2') + picture('rId9') + '<p:pic/>'], {
    slideRelationships: {
      0: [
        ['rId1', 'image', '../media/a.png'],
        ['rId2', 'image', '../media/gone.png'],
      ],
    },
    parts: { 'ppt/media/a.png': pngHeader(8, 6) },
  });
  expect(document.pictures.map(({ image }) => image?.size)).toEqual([{ width: 8, height: 6 }]);
});

test('speaker notes and comments are in the notes layer', () => {
  const relations: RelationshipRow[] = [
    ['rId1', 'notesSlide', '../notesSlides/n.xml'],
    ['rId2', 'comments', '../comments/c.xml'],
  ];
  const document = readSlides([shape(p('seen'))], {
    slideRelationships: { 0: relations },
    parts: {
      'ppt/notesSlides/n.xml': rootXml(
        'p:notes',
        shape(p('said'), { placeholder: '<p:ph type="body" idx="1"/>' }) +
          shape(p('1'), { placeholder: '<p:ph type="sldNum"/>' }),
      ),
      'ppt/comments/c.xml': rootXml(
        'p:cmLst',
        '<p:cm authorId="0" dt="2026-01-01T10:00:00.000" idx="1"><p:text>hm</p:text></p:cm>',
      ),
    },
  });
  expect(document.texts.map(({ text, content_layer }) => [text, content_layer])).toEqual([
    ['seen', 'body'],
    ['said', 'notes'],
    ['[time: 2026-01-01T10:00:00.000]: hm', 'notes'],
  ]);
});

test('headers and footers of printed notes are counted as omitted', () => {
  const left: Parameters<RecordOmission>[] = [];
  const bytes = presentationFile([shape(p('seen'))], {
    slideRelationships: { 0: [['rId1', 'notesSlide', '../notesSlides/n.xml']] },
    parts: {
      'ppt/notesSlides/n.xml': rootXml(
        'p:notes',
        shape(p('Draft'), { placeholder: '<p:ph type="hdr"/>' }) +
          shape(p('Page'), { placeholder: '<p:ph type="ftr"/>' }) +
          shape(p('1'), { placeholder: '<p:ph type="sldNum"/>' }) +
          shape(p('a box')),
      ),
    },
  });
  read(bytes, { ...readOptions('x.pptx'), recordOmission: (...item) => void left.push(item) });
  expect(left).toEqual([
    ['notes header', 'Draft'],
    ['notes footer', 'Page'],
    ['text on a notes page', 'a box'],
  ]);
});

test('texts on the masters of notes and handouts are counted as omitted; their placeholders are not counted', () => {
  const master = (text: string) =>
    rootXml('p:master', shape(p('Click to edit'), { placeholder: '<p:ph type="body"/>' }) + shape(p(text)));
  const bytes = presentationFile([shape(p('seen'))], {
    parts: {
      'ppt/_rels/presentation.xml.rels': relationshipsXml([
        ['rId1', 'slide', 'slides/slide1.xml'],
        ['rIdN', 'notesMaster', 'notesMasters/n.xml'],
        ['rIdH', 'handoutMaster', 'handoutMasters/h.xml'],
      ]),
      'ppt/notesMasters/n.xml': master('All rights reserved'),
      'ppt/handoutMasters/h.xml': master('Confidential'),
    },
  });
  const left: Parameters<RecordOmission>[] = [];
  read(bytes, { ...readOptions('x.pptx'), recordOmission: (...item) => void left.push(item) });
  expect(left).toEqual([
    ['master text', 'All rights reserved'],
    ['master text', 'Confidential'],
  ]);
});

test('too many slides are rejected before they are read', () => {
  const bytes = presentationFile([shape(p('a')), shape(p('b'))]);
  expect(() => read(bytes, readOptions('x.pptx', { maxPages: 1 }))).toThrow(
    expect.objectContaining({ code: 'DOCUMENT_TOO_LARGE' }),
  );
});

test('a file of another type is reported as a damaged presentation', () => {
  const bytes = presentationFile([], { parts: { 'ppt/presentation.xml': '<other/>' } });
  expect(() => read(bytes, readOptions('x.pptx'))).toThrow(expect.objectContaining({ code: 'DOCUMENT_CORRUPT' }));
});
