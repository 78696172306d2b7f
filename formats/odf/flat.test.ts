import { toMarkdown } from '../../document';
import { convertBytes } from '../convert';
import { pngHeader } from '../ooxml/test-support';
import { flatOdf, odfFile, odfXml } from './test-support';

const p = (text: string) => `<text:p>${text}</text:p>`;
const cell = (text: string) => `<table:table-cell office:value-type="string">${p(text)}</table:table-cell>`;
const row = (...texts: string[]) => `<table:table-row>${texts.map(cell).join('')}</table:table-row>`;
const box = (text: string, x: number, y: number) =>
  `<draw:frame svg:x="${x}cm" svg:y="${y}cm" svg:width="4cm" svg:height="1cm"><draw:text-box>${p(text)}</draw:text-box></draw:frame>`;
const page = (inner: string) => `<draw:page draw:name="One">${inner}</draw:page>`;
const read = (bytes: Uint8Array, name: string) => convertBytes({ bytes, name });

test.each([
  ['text', 'odt', `<text:h text:outline-level="1">Head</text:h>${p('a')}`, '## Head\n\na'],
  ['spreadsheet', 'ods', `<table:table table:name="S">${row('a', 'b')}${row('1', '2')}</table:table>`, '|   a |   b |'],
  ['presentation', 'odp', page(box('Hello', 1, 1)), 'Hello'],
  ['drawing', 'odg', page(box('Hello', 1, 1)), 'Hello'],
] as const)('a flat %s is recognized by its content, whatever its name', async (kind, format, body, expected) => {
  for (const name of ['a.xml', `a.f${format}`, 'a.txt', 'a']) {
    const document = await read(flatOdf(kind, body), name);
    expect(document.format).toBe(format);
    expect(toMarkdown(document.document)).toContain(expected);
  }
});

test('pictures in a flat file are kept with their size', async () => {
  const data = Buffer.from(pngHeader(30, 20))
    .toString('base64')
    .replace(/(.{10})/g, '$1\n');
  const image = (inner: string) => p(`<draw:frame><draw:image>${inner}</draw:image></draw:frame>`);
  const body =
    image(`<office:binary-data>${data}</office:binary-data>`) +
    image('<office:binary-data>!!!!</office:binary-data>') +
    p('<draw:frame><draw:image xlink:href="file:///etc/passwd.png"/></draw:frame>') +
    p('<draw:frame><draw:image xlink:href="https://a.example/a.png"/></draw:frame>');
  const { document } = await read(flatOdf('text', body), 'a.fodt');
  expect(document.pictures.map(({ image: one }) => one?.size)).toEqual([{ width: 30, height: 20 }]);
});

test('charts and formulas in a flat file are read', async () => {
  const chart =
    '<loext:p/><office:document><office:body><office:chart><chart:chart chart:class="chart:bar">' +
    `<table:table>${row('', 'Sum')}${row('North', '3')}</table:table></chart:chart></office:chart></office:body></office:document>`;
  const math = '<math xmlns="http://www.w3.org/1998/Math/MathML"><msup><mi>x</mi><mn>2</mn></msup></math>';
  const frame = (inner: string) => p(`<draw:frame><draw:object>${inner}</draw:object></draw:frame>`);
  const { document } = await read(flatOdf('text', frame(chart) + frame(math) + frame('<loext:p/>')), 'a.fodt');
  expect(toMarkdown(document)).toMatch(/Bar chart[^]*North[^]*\$\$x\^\{2\}\$\$$/);
});

test('shapes of a drawing are read row by row with their positions, and pages are counted', async () => {
  const shapes =
    box('bottom', 1, 9) +
    box('right', 10, 2.2) +
    `<draw:g>${box('left', 1, 2)}</draw:g>` +
    `<draw:custom-shape draw:transform="rotate (1.57) translate (1cm 5cm)">${p('middle')}</draw:custom-shape>` +
    '<draw:line svg:x1="1cm" svg:y1="1cm"/>';
  const document = await read(odfFile('drawing', page(shapes) + page(box('next', 1, 1))), 'a.odg');
  expect([document.format, document.pages]).toEqual(['odg', 2]);
  expect(document.document.texts.map(({ text }) => text)).toEqual(['left', 'right', 'middle', 'bottom', 'next']);
  expect(document.document.texts[1]?.prov[0]).toMatchObject({
    page_no: 1,
    bbox: { l: 283.46, coord_origin: 'TOPLEFT' },
  });
});

const deep = (name: string, levels: number) => `<${name}>`.repeat(levels) + `</${name}>`.repeat(levels);
const entity = (body: string) =>
  Buffer.from(
    Buffer.from(flatOdf('text', body))
      .toString()
      .replace('?>', '?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY y "&x;&x;">]>'),
  );
const flat = (body: string) => flatOdf('text', body);
const drawing = (body: string) => flatOdf('drawing', body);

/** Ten bad inputs for each reader. Expected: `read` (without the bad part) or an error code. */
test.each<[what: string, name: string, bytes: Uint8Array, expected: string]>([
  ['entities of files', 'a.fodt', entity(p('&x;')), 'DOCUMENT_CORRUPT'],
  ['entities in entities', 'a.fodt', entity(p('&y;')), 'DOCUMENT_CORRUPT'],
  ['no end', 'a.fodt', flat(p('a')).slice(0, -30), 'DOCUMENT_CORRUPT'],
  ['another root', 'a.fodt', Buffer.from('<a/>'), 'DOCUMENT_CORRUPT'],
  ['no body', 'a.fodt', Buffer.from(odfXml('office:document', '')), 'DOCUMENT_CORRUPT'],
  [
    'another kind',
    'a.fodt',
    Buffer.from(odfXml('office:document', '<office:body><office:chart/></office:body>')),
    'DOCUMENT_CORRUPT',
  ],
  ['bytes that are not text', 'a.fodt', Buffer.alloc(5_000, 0xff), 'DOCUMENT_CORRUPT'],
  ['sections in sections', 'a.fodt', flat(deep('text:section', 600)), 'DOCUMENT_TOO_LARGE'],
  [
    'lists in lists',
    'a.fodt',
    flat(
      deep('text:list><text:list-item', 300).replaceAll(
        '</text:list><text:list-item>',
        '</text:list-item></text:list>',
      ),
    ),
    'DOCUMENT_TOO_LARGE',
  ],
  [
    'a row repeated forever',
    'a.fods',
    flatOdf(
      'spreadsheet',
      `<table:table><table:table-row table:number-rows-repeated="999999999">${cell('a')}</table:table-row></table:table>`,
    ),
    'DOCUMENT_TOO_LARGE',
  ],
  ['groups in groups', 'a.fodg', drawing(page(deep('draw:g', 600))), 'DOCUMENT_TOO_LARGE'],
  ['too many pages', 'a.fodg', drawing('<draw:page/>'.repeat(10_001)), 'DOCUMENT_TOO_LARGE'],
  ['no pages', 'a.fodg', drawing(''), 'read'],
  [
    'no drawing',
    'a.odg',
    odfFile('text', p('a'), { parts: { mimetype: 'application/vnd.oasis.opendocument.graphics' } }),
    'DOCUMENT_CORRUPT',
  ],
  ['half a container', 'a.odg', odfFile('drawing', page('')).slice(0, 200), 'DOCUMENT_CORRUPT'],
  [
    'a password',
    'a.odg',
    odfFile('drawing', page(''), {
      parts: {
        'META-INF/manifest.xml': odfXml(
          'manifest:manifest',
          '<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>',
        ),
      },
    }),
    'DOCUMENT_ENCRYPTED',
  ],
  [
    'invalid sizes',
    'a.fodg',
    drawing(page('<draw:frame svg:x="NaNcm" svg:y="1e999cm" svg:width="-1cm"><draw:text-box/></draw:frame>')),
    'read',
  ],
  ['a group without shapes', 'a.fodg', drawing(page('<draw:g/><draw:g><draw:g/></draw:g>')), 'read'],
  [
    'a transform that takes long to match',
    'a.fodg',
    drawing(page(`<draw:custom-shape draw:transform="translate (${' '.repeat(50_000)}">${p('a')}</draw:custom-shape>`)),
    'read',
  ],
  [
    'links out of the container',
    'a.odg',
    odfFile(
      'drawing',
      page(
        '<draw:frame><draw:image xlink:href="../../etc/passwd.png"/><draw:object xlink:href="file:///etc"/></draw:frame>',
      ),
    ),
    'read',
  ],
])('%s (%s)', async (_, name, bytes, expected) => {
  const answer = await read(bytes, name).then(
    ({ document }) => (document.pictures.length === 0 ? 'read' : 'pictures'),
    (error: { code: string }) => error.code,
  );
  expect(answer).toBe(expected);
});

test('modules of macros are counted, and the indexes of their libraries are not', async () => {
  const module = '<?xml version="1.0"?><script:module xmlns:script="http://openoffice.org/2000/script"/>';
  const packed = odfFile('text', p('a'), {
    parts: {
      'Basic/Standard/script-lb.xml': module,
      'Basic/script-lc.xml': module,
      'Basic/Standard/First.xml': module,
      'Basic/Standard/Second.xml': module,
    },
  });
  const macros = { kind: 'macro', count: 2, words: 0, in_json: false };
  expect((await read(packed, 'a.odt')).coverage).toEqual([macros]);
  const flat = Buffer.from(flatOdf('text', p('a'))).toString();
  const scripts = '<ooo:module ooo:name="First">Sub A</ooo:module>';
  const scripted = flat.replace(
    '<office:body>',
    `<office:scripts xmlns:ooo="o">${scripts}</office:scripts><office:body>`,
  );
  expect((await read(Buffer.from(scripted), 'a.fodt')).coverage).toEqual([{ ...macros, count: 1 }]);
});
