import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import { documentToJson } from '../../document/json/write';
import { convertBytes } from '../../formats/convert';
import { draw, type Drawing, prose, ruledTable } from '../../formats/pdf/pdf-test-support';
import type { OcrPage } from '../../model/page/ocr';
import type { PageRange } from '../../services/conversion/page/kept-pages';
import { createKeptPages } from './kept-pages';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
type Turned = Drawing & { rotate(angle: number, options: { origin: [number, number] }): Turned };

/** Text with a table and a rotated stamp, a page whose text runs sideways, and two scans, the second of which cannot be read. */
const mixed = () =>
  draw((pdf) => {
    pdf.fontSize(18).text('Tides').fontSize(11).text(prose);
    ruledTable(
      pdf,
      [
        ['Pier', 'Level'],
        ['North', '4.1 m'],
      ],
      { x: 72, y: 400, width: 90, height: 20 },
    );
    (pdf as Turned).rotate(90, { origin: [500, 300] }).text('COPY', 500, 300);
    pdf.addPage();
    (pdf as Turned).rotate(90, { origin: [300, 300] }).text(prose, 100, 300, { width: 400 });
    for (let scan = 0; scan < 2; scan += 1) pdf.addPage().image(png, 0, 0, { width: 595, height: 842 });
    pdf.addPage().text(prose);
  });

interface Attempt {
  result: string;
  ranges: PageRange[];
  /** Pages that were read or rendered, in order. */
  read: number[];
  recognized: number;
  /** The reported numbers of finished pages. */
  done: string[];
}

async function attempt(bytes: Uint8Array, ranges: PageRange[], everyMs = 0): Promise<Attempt> {
  const { port1, port2 } = new MessageChannel();
  const read: number[] = [];
  const done: string[] = [];
  let recognized = 0;
  const recognize = async (): Promise<OcrPage> => {
    recognized += 1;
    const size = { width: 1_654, height: 2_339, turned: 0 as const };
    if (read.at(-1) === 4) return { ...size, words: [], isUnreadable: true };
    const box = { x0: 200, y0: 200, x1: 500, y1: 240 };
    return { ...size, words: [{ text: 'Scanned', confidence: 0.9, box, line: 1, baseline: 236, height: 40 }] };
  };
  const { document, ...facts } = await convertBytes({
    bytes,
    name: 'report.pdf',
    ocr: { mode: 'auto', recognize },
    onPage: (pageNo) => void (pageNo > 0 && read.at(-1) !== pageNo && read.push(pageNo)),
    onPageDone: (count, total) => done.push(`${count}/${total}`),
    keptPages: createKeptPages({ ranges, port: port2 }, bytes, { everyMs }),
  });
  const kept: PageRange[] = [];
  for (let message = receiveMessageOnPort(port1); message; message = receiveMessageOnPort(port1))
    kept.push(message.message as PageRange);
  port1.close();
  return { result: JSON.stringify([documentToJson(document), facts]), ranges: kept, read, recognized, done };
}

test('a later attempt reads only what the earlier one has not kept, and its document is the same', async () => {
  const bytes = await mixed();
  const whole = await attempt(bytes, []);
  expect(whole.read).toEqual([1, 2, 3, 4, 5]);
  expect(whole.recognized).toBe(2);
  expect(whole.result).toContain('the text of page 4 cannot be read');
  expect(whole.ranges.map(({ from, to }) => [from, to])).toEqual([1, 2, 3, 4, 5].map((no) => [no, no]));
  for (const count of [1, 2, 3, 4, 5]) {
    const later = await attempt(bytes, whole.ranges.slice(0, count));
    expect(later.result).toBe(whole.result);
    expect(later.done).toEqual(['0/5', '1/5', '2/5', '3/5', '4/5', '5/5']);
    // The first recognized page is recognized again.
    expect(later.read).toEqual([1, 2, 3, 4, 5].filter((no) => no > count || no === 3));
  }
});

test('ranges that overlap are both used', async () => {
  const bytes = await mixed();
  const single = await attempt(bytes, []);
  const [first, second] = single.ranges as [PageRange, PageRange];
  const later = await attempt(bytes, [{ ...first, to: 2 }, second]);
  expect([later.result, later.read]).toEqual([single.result, [3, 4, 5]]);
});

test('ranges of other bytes, and damaged ones, are ignored', async () => {
  const bytes = await mixed();
  const other = await draw((pdf) => void pdf.text('Another text.').addPage().text('And its second page.'));
  const { ranges } = await attempt(other, []);
  const whole = await attempt(bytes, []);
  const damaged = whole.ranges.map((range) => ({ ...range, bytes: range.bytes.slice(0, -9) }));
  for (const useless of [ranges, damaged]) {
    const later = await attempt(bytes, useless);
    expect([later.result, later.read]).toEqual([whole.result, whole.read]);
  }
});

test('a document that is read faster than the interval keeps nothing', async () => {
  expect((await attempt(await mixed(), [], 600_000)).ranges).toEqual([]);
});
