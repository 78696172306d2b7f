import type { Worker } from 'tesseract.js';
import { writeGrey } from '../images';

/** The largest angle of a page that was photographed or laid on the scanner, in radians. More is measured on drawings. */
const maxSlope = 0.35;

/**
 * By how much the lines of an image are turned, in radians; 0 if it has none. `worker` must be in its mode for whole pages, and is in it
 * afterwards.
 */
export async function measureSlope(worker: Worker, image: Uint8Array): Promise<number> {
  await forgetSlope(worker);
  const { data } = await worker.recognize(Buffer.from(image), { rotateAuto: true }, { blocks: false, text: false });
  const radians = data.rotateRadians ?? 0;
  return Math.abs(radians) > maxSlope ? 0 : radians;
}

/**
 * If the engine finds no line in an image, it reports the slope of the one before. An empty image that is read as a single block sets it
 * to 0.
 */
async function forgetSlope(worker: Worker): Promise<void> {
  const { PSM } = await import('tesseract.js');
  const blank = await writeGrey({ pixels: new Uint8Array(32 * 32).fill(255), width: 32, height: 32 });
  await worker.setParameters({ tessedit_pageseg_mode: PSM.SINGLE_BLOCK });
  try {
    await worker.recognize(Buffer.from(blank), {}, { blocks: false, text: true });
  } finally {
    await worker.setParameters({ tessedit_pageseg_mode: PSM.AUTO });
  }
}
