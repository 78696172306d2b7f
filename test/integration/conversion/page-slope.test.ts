import path from 'node:path';
import sharp from 'sharp';
import { createWorker, OEM, PSM, type Worker } from 'tesseract.js';
import { openReader } from '../../../formats/pdf/engine/reader';
import { writePdf } from '../../../samples/write-pdf';
import { measureSlope } from '../../../services/image/recognition/slope';

const dataFile = require.resolve('@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz');
let worker: Worker;
beforeAll(async () => {
  const place = { langPath: path.dirname(dataFile), gzip: true, cacheMethod: 'none' };
  worker = await createWorker(['eng'], OEM.LSTM_ONLY, place);
  await worker.setParameters({ tessedit_pageseg_mode: PSM.AUTO, debug_file: '/dev/null' });
});
afterAll(() => worker?.terminate());

/** A page of thirty lines, turned clockwise. */
async function drawPage(degrees: number): Promise<Buffer> {
  const lines = Array.from({ length: 30 }, (_, line) => ({
    text: `Item ${line} of the list of parts and its place in the store`,
  }));
  const reader = await openReader(await writePdf('Parts', lines), 'parts.pdf');
  const { png } = await reader.render(1, 2).finally(() => reader.close());
  return sharp(png).rotate(degrees, { background: '#ffffff' }).png().toBuffer();
}

test('the slope of a page is measured', async () => {
  expect(Math.abs(await measureSlope(worker, await drawPage(3)))).toBeCloseTo(0.052, 2);
  expect(await measureSlope(worker, await drawPage(0))).toBe(0);
});

test('a page without lines does not have the slope of the page that was read before', async () => {
  await worker.recognize(await drawPage(3));
  const blank = await sharp({ create: { width: 800, height: 600, channels: 3, background: 'white' } })
    .png()
    .toBuffer();
  expect(await measureSlope(worker, blank)).toBe(0);
});
