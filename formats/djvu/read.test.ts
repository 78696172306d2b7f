import { toMarkdown } from '../../document';
import { convertBytes } from '../convert';
import {
  bundle,
  chunk,
  file,
  form,
  indirect,
  info,
  line,
  linesFrom,
  page,
  plainText,
  single,
  stream,
  text,
  type TestZone,
} from './djvu-test-support';

const convert = (bytes: Uint8Array, more: Partial<Parameters<typeof convertBytes>[0]> = {}) =>
  convertBytes({ bytes, name: 'tides.djvu', ...more });
const fails = (code: string, message = '') =>
  expect.objectContaining({ code, message: expect.stringContaining(message) as string }) as Error;

const prose = [
  'The water rises twice a day and falls again, as the moon',
  'passes over the coast. Every harbour keeps a list of the high-',
  'est levels, which the harbour master reads from a staff at ex-',
  'actly the same time.',
];
const prosePage = page(text(linesFrom(prose)));
const shared = form('DJVI', [chunk('Djbz', Buffer.alloc(3))]);

test('lines become a paragraph with page and box, and hyphenated words are joined', async () => {
  const { document, format, pages, coverage, warnings, shares } = await convert(single(text(linesFrom(prose))));
  expect([format, pages, coverage, warnings]).toEqual(['djvu', 1, [], []]);
  expect(document.texts.map((item) => item.text)).toEqual([
    'The water rises twice a day and falls again, as the moon passes over the coast. Every harbour keeps a list of the highest levels, which the harbour master reads from a staff at exactly the same time.',
  ]);
  expect(document.pages['1']!.size).toEqual({ width: 612, height: 792 });
  const [place] = document.texts[0]!.prov;
  expect(place!.page_no).toBe(1);
  // 100 pixels are an inch.
  const { l, r, t, b } = place!.bbox;
  expect([l, r].map(Math.round)).toEqual([72, Math.round((100 + 62 * 8) * 0.72)]);
  expect(place!.bbox.coord_origin).toBe('BOTTOMLEFT');
  expect(Math.abs(t - 1010 * 0.72)).toBeLessThan(2);
  expect(Math.abs(b - (1000 - 54 - 3) * 0.72)).toBeLessThan(2);
  expect(shares).toEqual([{ page: 1, letters: shares[0]!.letters, found: shares[0]!.letters }]);
});

test.each(['\u00ad', '¬'])('a line that ends within a word with %j is joined', async (sign) => {
  const lines = ['The staff of the harbour shows the level of the wa' + sign, 'ter, and the master writes it down.'];
  const { document } = await convert(single(text(linesFrom(lines))));
  expect(document.texts.map((item) => item.text)).toEqual([
    'The staff of the harbour shows the level of the water, and the master writes it down.',
  ]);
});

test('compressed text, and text without positions', async () => {
  const short = await convert(single(plainText('First part of the text\nsecond part\n\nA new paragraph')));
  expect(toMarkdown(short.document)).toContain('First part of the text');
  expect(toMarkdown(short.document)).toContain('A new paragraph');
  const compressed = await convert(single(chunk('TXTz', stream('text'))));
  expect(toMarkdown(compressed.document)).toBe('Compressed on every page.');
  // The stream has no length before the text: its first letters are read as one.
  await expect(convert(single(chunk('TXTz', stream('short'))))).rejects.toEqual(fails('DOCUMENT_CORRUPT'));
});

test('every kind of zone, characters too; text outside of the zones is kept', async () => {
  const word = (content: string, x: number): TestZone => ({
    kind: 'word',
    box: [x, 900, x + 8 * content.length, 910],
    zones: Array.from(content, (sign, index): TestZone => ({
      kind: 'character',
      box: [x + 8 * index, 900, x + 8 * index + 8, 910],
      text: sign,
    })),
  });
  const paragraph: TestZone = {
    kind: 'paragraph',
    box: [100, 890, 500, 1000],
    zones: [
      {
        kind: 'line',
        box: [100, 900, 400, 910],
        zones: [{ ...word('Low', 100), text: 'Low', zones: [] }, word('tide', 132)],
      },
    ],
  };
  const column = (box: TestZone['box'], zones: TestZone[]): TestZone => ({
    kind: 'column',
    box,
    zones: [{ kind: 'region', box, zones }],
  });
  const root: TestZone = {
    kind: 'page',
    box: [0, 0, 850, 1100],
    zones: [
      column([100, 890, 500, 1000], [paragraph]),
      column([520, 600, 800, 800], [{ kind: 'paragraph', box: [520, 600, 800, 800], text: 'Only a paragraph' }]),
    ],
  };
  const { document, shares } = await convert(single(text(root)));
  const markdown = toMarkdown(document);
  expect(markdown).toContain('Only a paragraph');
  expect(markdown.replaceAll(/\s/g, '')).toContain('Lowtide');
  expect(shares[0]).toEqual({ page: 1, letters: 21, found: 21 });
});

test('text of zones that overlap is read once', async () => {
  const bytes = single(text(linesFrom(['one two three four'])));
  // The second word and those after it start three bytes earlier.
  const zones = bytes.lastIndexOf(Buffer.from('one two three four')) + 20;
  const skipped = zones + 3 * 17 + 9;
  expect(bytes.readUInt16BE(skipped)).toBe(0x8000);
  bytes.writeUInt16BE(0x8000 - 3, skipped);
  const { document } = await convert(bytes);
  expect(document.texts.map((item) => item.text.replaceAll(' ', ''))).toEqual(['onetwothreefour']);
});

test('words above each other are not on one line, whatever the file says', async () => {
  const zones = linesFrom(['HARBOURS', '', '', 'Staffs']).zones!.flatMap((one) => one.zones!);
  const both: TestZone = { kind: 'line', box: [100, 940, 200, 1010], zones };
  const { document } = await convert(single(text({ kind: 'page', box: [0, 0, 850, 1100], zones: [both] })));
  expect(document.texts.map((item) => item.text)).toEqual(['HARBOURS', 'Staffs']);
});

/** The zones after the page of 850 by 1,100 pixels was turned clockwise, or upside down. */
function turn({ box: [l, b, r, t], zones, ...zone }: TestZone, degrees: 90 | 180): TestZone {
  const box: TestZone['box'] = degrees === 90 ? [b, 850 - r, t, 850 - l] : [850 - r, 1100 - t, 850 - l, 1100 - b];
  return { ...zone, box, ...(zones ? { zones: zones.map((one) => turn(one, degrees)) } : {}) };
}

test.each([
  ['viewers turn it', 6, { width: 1100, height: 850 }, 90],
  ['viewers do not turn it', 1, { width: 1100, height: 850 }, 90],
  ['it is upside down', 1, { width: 850, height: 1100 }, 180],
] as const)('a page that was scanned in another direction is read upright: %s', async (_, rotation, size, degrees) => {
  const sideways = turn(linesFrom(prose), degrees);
  const { document } = await convert(file(form('DJVU', [info({ rotation, ...size }), text(sideways)])));
  expect(document.texts.map((item) => item.text.slice(0, 30))).toEqual([prose[0]!.slice(0, 30)]);
  expect(document.pages['1']!.size).toEqual({ width: 612, height: 792 });
  expect(Math.round(document.texts[0]!.prov[0]!.bbox.l)).toBe(72);
});

test('pages of a document in order, with the outline as headings; pages without text are named and counted', async () => {
  const heading = (title: string) => page(text(linesFrom([title, '', ...prose])));
  const bytes = bundle([shared, heading('Tides'), page(), heading('High water')], { outline: stream('outline') });
  const { document, pages, coverage, warnings } = await convert(bytes);
  expect(pages).toBe(3);
  const headings = document.texts.filter(({ label }) => label === 'section_header');
  expect(headings.map((item) => [item.text, item.prov[0]!.page_no, 'level' in item && item.level])).toEqual([
    ['Tides', 1, 1],
    ['High water', 3, 2],
  ]);
  expect(coverage).toEqual([{ kind: 'page without text', count: 1, words: 0, in_json: false }]);
  expect(warnings).toEqual(['Page 2 has no text layer. The images of DjVu pages are not read.']);
});

test('a requested range reads its pages only', async () => {
  const broken = page(chunk('TXTz', Buffer.alloc(9)));
  const { document, failedPages } = await convert(bundle([shared, broken, prosePage, broken]), {
    paged: { range: [2, 2] },
  });
  expect([Object.keys(document.pages), failedPages]).toEqual([['2'], []]);
  await expect(convert(bundle([shared, prosePage]), { paged: { range: [4, 5] } })).rejects.toEqual(
    fails('VALIDATION_ERROR', 'fewer than the requested'),
  );
});

test('a file is recognized by its content', async () => {
  expect(await convert(single(text(linesFrom(prose))), { name: 'scan' })).toMatchObject({ format: 'djvu', pages: 1 });
});

test('a file without any text is refused with a reason', async () => {
  await expect(convert(single())).rejects.toEqual(fails('FORMAT_UNSUPPORTED', 'has no text layer'));
  await expect(convert(file(shared))).rejects.toEqual(fails('FORMAT_UNSUPPORTED', 'a part of a DjVu document'));
});

test('pages in other files are read where these are, and refused elsewhere', async () => {
  const files = new Map([['two.djvu', file(prosePage)]]);
  const related = (name: string) => files.get(name);
  const { document, failedPages } = await convert(indirect(), { related });
  expect(document.texts).toHaveLength(1);
  expect(failedPages).toEqual([
    { pageNo: 1, message: 'The page (one.djvu) is missing.' },
    { pageNo: 3, message: 'The page (three.djvu) is missing.' },
  ]);
  await expect(convert(indirect())).rejects.toEqual(fails('FORMAT_UNSUPPORTED', 'in other files'));
});

test('links of the annotations apply to the words below, and comments are counted', async () => {
  const annotations = String.raw`(background #FFFFFF)
    (maparea "https://example.org/a" "" (rect 96 996 80 20) (xor))
    (maparea (url "javascript:alert(1)" "_top") "not a link" (rect 100 978 500 20))
    (maparea "#two.djvu" "" (rect 100 960 500 20))
    (maparea "" "A \"note\" of a reader about the staff" (poly 1 1 5 1 5 5))`;
  const bytes = single(text(linesFrom(['Almanac', '', ...prose])), chunk('ANTa', Buffer.from(annotations)));
  const { document, coverage } = await convert(bytes);
  expect(document.texts.filter(({ hyperlink }) => hyperlink).map((item) => [item.text, item.hyperlink])).toEqual([
    ['Almanac', 'https://example.org/a'],
  ]);
  expect(coverage).toEqual([{ kind: 'comment', count: 2, words: 11, in_json: false }]);
});

describe('damaged files', () => {
  test('a damaged page is reported, and the others are read', async () => {
    const broken = page(chunk('TXTz', Buffer.alloc(9)));
    const { document, failedPages } = await convert(bundle([shared, prosePage, broken, form('DJVU', [])]));
    expect(Object.keys(document.pages)).toEqual(['1']);
    expect(failedPages).toEqual([
      { pageNo: 2, message: expect.stringContaining('compressed part is') as string },
      { pageNo: 3, message: 'The page has no size.' },
    ]);
  });

  test('without a directory, pages are read in the order of the file', async () => {
    const bytes = bundle([shared, prosePage, prosePage], { directory: Buffer.alloc(20, 0x55) });
    const { pages, warnings } = await convert(bytes);
    expect(pages).toBe(2);
    expect(warnings).toEqual([expect.stringContaining('The pages are in the order of the file')]);
  });

  test('a damaged outline or annotation loses nothing else', async () => {
    const annotated = page(text(linesFrom(prose)), chunk('ANTz', Buffer.alloc(9)));
    const bytes = bundle([shared, annotated, prosePage, prosePage], { outline: Buffer.alloc(30, 0x55) });
    const { document, warnings } = await convert(bytes);
    expect(Object.keys(document.pages)).toHaveLength(3);
    expect(warnings).toEqual([
      expect.stringContaining('The outline is not used'),
      expect.stringContaining('The links of page 1 are missing'),
    ]);
  });

  test('pages that the directory lists twice are read once', async () => {
    const one = bundle([shared, prosePage]);
    const at = one.indexOf('DJVU') - 8;
    const { pages } = await convert(bundle([shared, prosePage], { places: [0, at, at, at] }));
    expect(pages).toBe(1);
  });

  test('cut off anywhere, the file ends in an error or keeps its whole pages', async () => {
    const whole = bundle([shared, prosePage, prosePage, prosePage]);
    for (let length = 0; length < whole.length; length += 37) {
      const result = await convert(whole.subarray(0, length)).then(
        ({ failedPages }) => (failedPages.length > 0 ? 'failed pages' : 'whole'),
        (error: { code: string }) => error.code,
      );
      expect(['failed pages', 'DOCUMENT_CORRUPT', 'DOCUMENT_EMPTY', 'FORMAT_UNSUPPORTED']).toContain(result);
    }
  });

  test('no header, an empty form and a directory without pages', async () => {
    for (const bytes of [Buffer.from('AT&TFORM'), file(form('DJVM', [])), Buffer.from('something else')])
      await expect(convert(bytes)).rejects.toEqual(fails('DOCUMENT_CORRUPT'));
  });
});

describe('limits', () => {
  test('pages and expanded bytes', async () => {
    const bytes = bundle([shared, prosePage, prosePage, prosePage], { outline: stream('blocks') });
    await expect(convert(bytes, { limits: { maxPages: 2 } })).rejects.toEqual(fails('DOCUMENT_TOO_LARGE', '3 pages'));
    await expect(convert(bytes, { limits: { maxExpandedBytes: 10_000 } })).rejects.toEqual(
      fails('DOCUMENT_TOO_LARGE', 'expands to more than'),
    );
    await expect(convert(bytes, { limits: { maxEntries: 3 } })).rejects.toEqual(
      fails('DOCUMENT_TOO_LARGE', '4 components'),
    );
  });

  test('zones within zones', async () => {
    let zone: TestZone = line('deep', 100, 900);
    for (let depth = 0; depth < 60; depth += 1) zone = { kind: 'region', box: [0, 0, 850, 1100], zones: [zone] };
    const bytes = single(text(zone));
    await expect(convert(bytes, { limits: { maxDepth: 50 } })).rejects.toEqual(
      fails('DOCUMENT_TOO_LARGE', 'more than 50 levels'),
    );
    expect(toMarkdown((await convert(bytes)).document)).toBe('deep');
  });

  test('characters of a page: the other pages are read', async () => {
    const long = page(plainText('wave '.repeat(25_000)));
    const { document, failedPages } = await convert(bundle([shared, prosePage, long, prosePage]));
    expect(Object.keys(document.pages)).toEqual(['1', '3']);
    expect(failedPages).toEqual([{ pageNo: 2, message: 'The page has more than 100000 characters.' }]);
    await expect(convert(file(long))).rejects.toEqual(fails('DOCUMENT_TOO_LARGE', '100000 characters'));
  });
});
