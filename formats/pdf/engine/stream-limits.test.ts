import { deflateSync } from 'node:zlib';
import { type PdfObject, writeRawPdf } from '../../../test/support/documents/raw-pdf';
import { defaultLimits } from '../../format';
import { read } from '../read';

const mb = 1024 * 1024;
const lines = (size: number, unit = '0 0 m 1 1 l S ') => Buffer.alloc(size, unit);
const deflated = (bytes: Uint8Array) => deflateSync(bytes, { level: 1 });

/** A file whose pages all draw object 3; further objects start at 4. */
function pagesDrawing(content: PdfObject, { pages = 1, more = [] as PdfObject[], resources = '' } = {}): Uint8Array {
  const first = 4 + more.length;
  const kids = Array.from({ length: pages }, (_, index) => `${first + index} 0 R`).join(' ');
  const page = `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 3 0 R /Resources << ${resources} >> >>`;
  return writeRawPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages} >>`,
    content,
    ...more,
    ...Array.from({ length: pages }, () => page),
  ]);
}

const flate = '/Filter /FlateDecode';
const bombs: [string, () => Uint8Array, object?][] = [
  ['one stream', () => pagesDrawing({ entries: flate, stream: deflated(lines(300 * mb, ' ')) })],
  [
    'one stream, deflated twice',
    () =>
      pagesDrawing({
        entries: '/Filter [ /FlateDecode /Fl ]',
        stream: deflated(deflated(lines(300 * mb, ' '))),
      }),
  ],
  [
    'a stream that many pages draw',
    () => pagesDrawing({ entries: flate, stream: deflated(lines(20 * mb)) }, { pages: 40 }),
  ],
  [
    'a stream of objects',
    () =>
      pagesDrawing(
        { entries: flate, stream: deflated(lines(100)) },
        { more: [{ entries: `/Type /ObjStm /N 1 /First 5 ${flate}`, stream: deflated(lines(100 * mb)) }] },
      ),
  ],
  [
    'a filter with another spelling',
    () => pagesDrawing({ entries: '/Filter /Fl#61teDecode', stream: deflated(lines(300 * mb, ' ')) }),
  ],
  [
    'a stream in hexadecimal of a deflated one',
    () =>
      pagesDrawing({
        entries: '/Filter [ /AHx /Fl ]',
        stream: Buffer.from(`${deflated(lines(300 * mb, ' ')).toString('hex')}>`),
      }),
  ],
  [
    'many streams of one page',
    () =>
      pagesDrawing(
        { entries: flate, stream: deflated(Buffer.from('/F Do '.repeat(40))) },
        {
          resources: '/XObject << /F 4 0 R >>',
          more: [
            { entries: `/Type /XObject /Subtype /Form /BBox [0 0 1 1] ${flate}`, stream: deflated(lines(20 * mb)) },
          ],
        },
      ),
  ],
  [
    'a form that draws itself through others',
    () =>
      pagesDrawing(
        { entries: flate, stream: deflated(Buffer.from('/F Do')) },
        {
          resources: '/XObject << /F 4 0 R /G 5 0 R >>',
          more: ['/G Do '.repeat(2_000), lines(mb, '0 0 m 1 1 l S ').toString()].map((text, index) => ({
            entries: `/Type /XObject /Subtype /Form /BBox [0 0 1 1] /Resources << /XObject << /G 5 0 R >> >> ${flate}`,
            stream: deflated(Buffer.from(text)),
            index,
          })),
        },
      ),
  ],
  [
    'an image',
    () =>
      pagesDrawing(
        { entries: flate, stream: deflated(Buffer.from('600 0 0 800 0 0 cm /I Do')) },
        {
          resources: '/XObject << /I 4 0 R >>',
          more: [
            {
              entries: `/Type /XObject /Subtype /Image /Width 16000 /Height 14000 /ColorSpace /DeviceRGB /BitsPerComponent 8 ${flate}`,
              stream: deflated(Buffer.alloc(16_000 * 14_000 * 3)),
            },
          ],
        },
      ),
    { pageScale: 1 },
  ],
];

test.each(bombs)(
  '%s that expands without limit is rejected within seconds with its own code',
  async (_name, make, paged = {}) => {
    const bytes = make();
    expect(bytes.length).toBeLessThan(4 * mb);
    const begun = performance.now();
    await expect(read(bytes, { name: 'bomb.pdf', limits: defaultLimits, paged })).rejects.toMatchObject({
      code: 'DOCUMENT_TOO_LARGE',
      message: expect.stringContaining('MB'),
    });
    expect(performance.now() - begun).toBeLessThan(15_000);
  },
  60_000,
);

test('a page with many drawings is read', async () => {
  const bytes = pagesDrawing({ entries: flate, stream: deflated(lines(4 * mb)) });
  expect(Object.keys((await read(bytes, { name: 'map.pdf', limits: defaultLimits })).pages)).toEqual(['1']);
}, 60_000);

test('a deflated stream of runs, which would be 512 MB, is not expanded', async () => {
  // A run of 128 blanks in two bytes.
  const stream = deflated(Buffer.alloc(8 * mb, Buffer.from([129, 0x20])));
  const bytes = pagesDrawing({ entries: '/Filter [ /FlateDecode /RunLengthDecode ]', stream });
  const begun = performance.now();
  const before = process.memoryUsage().rss;
  expect(Object.keys((await read(bytes, { name: 'runs.pdf', limits: defaultLimits })).pages)).toEqual(['1']);
  expect(process.memoryUsage().rss - before).toBeLessThan(300 * mb);
  expect(performance.now() - begun).toBeLessThan(15_000);
}, 60_000);
