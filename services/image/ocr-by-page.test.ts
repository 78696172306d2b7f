import sharp from 'sharp';
import { AppError, type ErrorCode } from '../../model/errors';
import type { OcrPage } from '../../model/page/ocr';
import type { Ocr } from './ocr';
import { createOcrByPage } from './ocr-by-page';

const [width, height] = [640, 400];

interface Look {
  /** Brightness of the paper. */
  white: number;
  /** The paper is darker than that by at most this. */
  noise: number;
  /** Height of the letters in pixels. */
  letters: number;
  /** How much less light the right edge of the page has. */
  shadow: number;
  /** How many rows at the top show a dark picture. */
  picture?: number;
}
const screen: Look = { white: 255, noise: 0, letters: 8, shadow: 0 };
const scan: Look = { white: 240, noise: 12, letters: 18, shadow: 0 };

/** A page with lines of letters. */
function drawPage({ white, noise, letters, shadow, picture = 0 }: Look): Promise<Uint8Array> {
  const pixels = Uint8Array.from({ length: width * height }, (_, index) => {
    const [x, y] = [index % width, Math.floor(index / width)];
    if (y < picture) return 60;
    const isInk = y % (3 * letters) < letters && x % letters < letters / 3;
    if (isInk) return white < 100 ? 220 : 30;
    const light = 1 - (shadow * x) / width;
    return Math.max(0, light * (white - ((Math.imul(index, 2_654_435_761) >>> 20) % (noise + 1))));
  });
  return sharp(pixels, { raw: { width, height, channels: 1 } })
    .png()
    .toBuffer();
}

/** An engine whose name is its only word. */
function createFake(name: string, answer: Partial<OcrPage> | AppError = {}): Ocr {
  const box = { x0: 0, x1: 9, y0: 0, y1: 9 };
  const words = [{ text: name, confidence: 1, box, line: 0, baseline: 9, height: 9 }];
  return {
    listMissingLanguages: () => [],
    recognize: () =>
      answer instanceof AppError
        ? Promise.reject(answer)
        : Promise.resolve({ words, turned: 0, width, height, ...answer }),
    close: () => Promise.resolve(),
  };
}

async function read(
  look: Look,
  { scale, answer }: { scale?: number; answer?: Partial<OcrPage> | AppError } = {},
): Promise<string | undefined> {
  const ocr = createOcrByPage({ usual: createFake('usual'), poor: createFake('poor', answer) });
  const { words } = await ocr.recognize(await drawPage(look), scale);
  return words[0]?.text;
}

test.each<[string, Look, number | undefined, string]>([
  ['a picture of a screen', screen, undefined, 'usual'],
  ['a dark one', { ...screen, white: 20 }, undefined, 'usual'],
  ['a scan', scan, undefined, 'usual'],
  ['a scan that was stored with twice as many pixels', { ...scan, letters: 9 }, 0.5, 'usual'],
  ['a scan with a dark picture', { ...scan, picture: 128 }, undefined, 'usual'],
  ['a scan with small letters', { ...scan, letters: 9 }, undefined, 'poor'],
  ['a scan that was stored with half as many pixels', scan, 2, 'poor'],
  ['a photo', { ...scan, shadow: 0.3 }, undefined, 'poor'],
])('%s is read by the engine for it', async (_, look, scale, expected) => {
  expect(await read(look, scale === undefined ? {} : { scale })).toBe(expected);
});

test('a poor page that its engine cannot read, or for which it is not usable, is read by the usual one', async () => {
  const photo = { ...scan, shadow: 0.3 };
  expect(await read(photo, { answer: { words: [], isUnreadable: true } })).toBe('usual');
  for (const code of ['OPTIONAL_PACKAGE_MISSING', 'PAGE_MODEL_INVALID'] satisfies ErrorCode[])
    expect(await read(photo, { answer: new AppError(code, 'no model') })).toBe('usual');
  await expect(read(photo, { answer: new AppError('CONVERSION_FAILED', 'broken') })).rejects.toThrow('broken');
});
