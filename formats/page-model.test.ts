import { treeProblems } from '../document/validate';
import { toMarkdown } from '../document/write/markdown';
import { AppError } from '../model/errors';
import type { PageModel, VisionAnswer } from '../model/page/vision';
import { convertBytes } from './convert';
import { writePng } from './image/png';
import { draw } from './pdf/pdf-test-support';

const pages = (count: number) =>
  draw((pdf) => {
    for (let page = 1; page <= count; page += 1) {
      if (page > 1) pdf.addPage();
      pdf.text(`page ${page}`);
    }
  });

function getModel(answer: (pageNo: number) => string | Partial<VisionAnswer> | Promise<string>, more = {}) {
  const seen: { pageNo: number; width: number; height: number }[] = [];
  const model: PageModel = {
    format: 'doctags',
    scale: 1,
    concurrency: 2,
    async ask({ png, pageNo }) {
      const view = Buffer.from(png);
      seen.push({ pageNo, width: view.readUInt32BE(16), height: view.readUInt32BE(20) });
      const said = await answer(pageNo);
      return typeof said === 'string' ? { text: said, isTruncated: false } : { text: '', isTruncated: false, ...said };
    },
    ...more,
  };
  return { model, seen };
}
const readPdf = async (count: number, model: PageModel, range?: [number, number]) =>
  convertBytes({
    bytes: await pages(count),
    name: 'scan.pdf',
    pageModel: model,
    ...(range ? { paged: { range } } : {}),
  });

test('the pages of a PDF are shown at the requested size, several at a time, and stay in order', async () => {
  let open = 0;
  let most = 0;
  const waiting: (() => void)[] = [];
  const { model, seen } = getModel(
    async (pageNo) => {
      most = Math.max(most, ++open);
      // The first page is answered last.
      if (pageNo === 1) await new Promise<void>((resolve) => waiting.push(resolve));
      else if (pageNo === 4) for (const go of waiting) go();
      open -= 1;
      return `<text><loc_50><loc_100><loc_250><loc_200>I am ${pageNo}</text>`;
    },
    { scale: 2 },
  );
  const { document, pages: count, failedPages } = await readPdf(4, model);
  expect(toMarkdown(document)).toBe('I am 1\n\nI am 2\n\nI am 3\n\nI am 4');
  expect(most).toBe(2);
  expect(new Set(seen.map(({ pageNo }) => pageNo))).toEqual(new Set([1, 2, 3, 4]));
  expect(seen[0]).toMatchObject({ width: 1191, height: 1684 });
  expect(document.texts[3]?.prov[0]).toEqual({
    page_no: 4,
    bbox: { l: 59.55, t: 168.4, r: 297.75, b: 336.8, coord_origin: 'TOPLEFT' },
    charspan: [0, 6],
  });
  expect([count, failedPages]).toEqual([4, []]);
  expect(treeProblems(document)).toEqual([]);
});

test.each([
  ['markdown', '# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n$x$ is **bold**'],
  ['markdown', '```markdown\n# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n```'],
  ['markdown', '<|ref|>title<|/ref|><|det|>[[1, 2, 3, 4]]<|/det|>\n# Title\n\n<table><tr><td>a</td></tr></table>'],
  ['html', '<h1>Title</h1><table><tr><th>a</th></tr></table>'],
  ['doctags', '# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |'],
  ['doctags', '<html><body><h1>Title</h1><table><tr><td>a</td></tr></table></body></html>'],
  ['doclang', '<doclang><heading>Title</heading><page_break/><table><fcel/>a & b<nl/></table>'],
  ['markdown', '<doctag><title>Title</title><otsl><fcel>a<nl></otsl></doctag>'],
] as const)('an answer instead of %s: %s', async (format, answer) => {
  const { document } = await readPdf(1, getModel(() => answer, { format }).model);
  expect(document.texts[0]).toMatchObject({ label: 'title', text: 'Title' });
  expect(document.tables).toHaveLength(1);
  expect(document.tables[0]?.prov[0]).toMatchObject({ page_no: 1, bbox: { l: 0, t: 0 } });
  expect(document.pages['1']?.size.height).toBeCloseTo(842, 0);
});

test('plain text is kept unchanged', async () => {
  const { document } = await readPdf(1, getModel(() => '# one\ntwo\n\n<b>three</b>', { format: 'plaintext' }).model);
  expect(document.texts.map(({ label, text }) => [label, text])).toEqual([
    ['text', '# one\ntwo'],
    ['text', '<b>three</b>'],
  ]);
});

test('a failing page is reported and omitted; a truncated answer is reported and kept', async () => {
  const { model } = getModel((pageNo) => {
    if (pageNo === 1) return { text: 'the beginning', isTruncated: true };
    if (pageNo === 2) throw new AppError('CONNECTION_ERROR', 'The model host is unreachable.');
    return pageNo === 3 ? '' : 'fine';
  });
  const { document, failedPages } = await readPdf(4, model);
  expect(toMarkdown(document)).toBe('the beginning\n\nfine');
  expect(failedPages).toEqual([
    {
      pageNo: 1,
      message: "The model's answer for page 1 was cut off at its length limit.",
      code: 'MODEL_ANSWER_INVALID',
      isKept: true,
    },
    { pageNo: 2, message: 'The model host is unreachable.', code: 'CONNECTION_ERROR', isKept: false },
    { pageNo: 3, message: 'The model gave an empty answer for page 3.', code: 'MODEL_ANSWER_INVALID', isKept: false },
  ]);
});

test('pages that would fail too are not requested, and a document without any page fails', async () => {
  const { model, seen } = getModel((pageNo) => {
    if (pageNo === 1) return 'fine';
    throw new AppError('HOSTEDMODEL_AUTH_FAILED', 'The key is refused.');
  });
  const { failedPages } = await readPdf(6, { ...model, concurrency: 1 });
  expect(seen).toHaveLength(2);
  expect(failedPages.map(({ pageNo }) => pageNo)).toEqual([2, 3, 4, 5, 6]);
  expect(failedPages[4]?.message).toBe('Page 6 was not sent to the model: The key is refused.');
  const nothing = getModel(() => {
    throw new AppError('CONNECTION_ERROR', 'away');
  });
  await expect(readPdf(9, { ...nothing.model, concurrency: 1 })).rejects.toMatchObject({ code: 'CONNECTION_ERROR' });
  expect(nothing.seen).toHaveLength(5);
});

test('only the pages of the range are requested', async () => {
  const { model, seen } = getModel((pageNo) => `page ${pageNo}`);
  const { document } = await readPdf(5, model, [2, 3]);
  expect(new Set(seen.map(({ pageNo }) => pageNo))).toEqual(new Set([2, 3]));
  expect(Object.keys(document.pages)).toEqual(['2', '3']);
});

test('the pages of an image are shown unchanged; items are cut out of them', async () => {
  const png = writePng(new Uint8Array(40 * 20 * 3), 40, 20);
  const cut: unknown[] = [];
  const drawn = new Map<string, Uint8Array>();
  const { model, seen } = getModel(
    () =>
      '<picture><loc_250><loc_0><loc_500><loc_500></picture><text>a</text><formula><loc_0><loc_0><loc_9><loc_9></formula>',
  );
  const { document } = await convertBytes({
    bytes: png,
    name: 'scan.png',
    openImage: async () => ({ pages: 1, page: async () => ({ png, width: 40, height: 20, dpi: 144 }) }),
    pageModel: model,
    paged: {
      drawn: {
        labels: new Set(['picture']),
        scale: 1,
        crop: async (_png, box) => {
          cut.push(box);
          return Uint8Array.of(1);
        },
        take: (ref, image) => drawn.set(ref, image),
      },
    },
  });
  expect(seen).toEqual([{ pageNo: 1, width: 40, height: 20 }]);
  expect(document.pages['1']?.size).toEqual({ width: 20, height: 10 });
  expect(cut).toEqual([{ left: 20, top: 0, width: 20, height: 20 }]);
  expect([...drawn]).toEqual([['#/pictures/0', Uint8Array.of(1)]]);
});

test('items of a PDF are rendered from their positions', async () => {
  const drawn = new Map<string, Buffer>();
  const bytes = await draw((pdf) => {
    pdf.font('Courier').text('def area(r):\n    return 3.14 * r * r\n\nprint(area(2))');
    pdf.rect(100, 400, 200, 100).fill('red');
  });
  const { document } = await convertBytes({
    bytes,
    name: 'a.pdf',
    paged: {
      drawn: {
        labels: new Set(['code', 'picture', 'text']),
        scale: 2,
        crop: () => Promise.reject(new Error('not for PDF')),
        take: (ref, image) => drawn.set(ref, Buffer.from(image)),
      },
    },
  });
  expect([...drawn.keys()].toSorted()).toEqual(
    [...document.texts, ...document.pictures].map(({ self_ref }) => self_ref).toSorted(),
  );
  for (const image of drawn.values()) expect(image.readUInt32BE(16)).toBeGreaterThan(20);
});
