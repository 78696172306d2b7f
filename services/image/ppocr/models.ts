import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../../../model/errors';
import { recognitionPack } from '../../../model/llm/model-packs';
import type { GreyImage } from '../grey-image';
import { scaleGrey } from '../images';
import { type OnnxSession, openOnnxSession } from '../onnx-session';
import { listAllowedClasses, type ReadSign, readSigns } from './read-signs';
import type { TextMap } from './text-regions';

/** Sides of the images for detection are multiples of this, and at most `maxSide`, because memory and time grow with the pixels. */
const sideStep = 32;
const maxSide = 1_792;
/** Height of lines for recognition, and the least and the greatest width: longer lines are narrowed. */
const line = { height: 48, minWidth: 320, maxWidth: 4_000 };
/** Brightness of the pixels with which the models were trained. */
const detectionRange = { mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225] } as const;

/** The opened models of PP-OCRv5: one finds lines, the other reads them. */
export interface TextModels {
  /** The map of an image that was reduced to `scale`. `width` and `height` are those of the reduced image; the map itself is cut to them. */
  findText(image: GreyImage): Promise<TextMap & { scale: number }>;
  /** The signs of an image of one line. `at` is a share of the width of the image. */
  readLine(image: GreyImage): Promise<ReadSign[]>;
  close(): Promise<void>;
}

/** The folder of the installed pack; undefined if a file is missing. */
export function findTextModels(modelsFolder: string | undefined): string | undefined {
  if (modelsFolder === undefined) return undefined;
  const folder = path.join(modelsFolder, recognitionPack.name);
  return recognitionPack.files.every(({ to }) => existsSync(path.join(folder, to))) ? folder : undefined;
}

/**
 * Opens the models of the installed pack, with one thread. Throws OPTIONAL_PACKAGE_MISSING without the pack or the runtime, and
 * PAGE_MODEL_INVALID if the files do not belong together.
 */
export async function openTextModels(
  modelsFolder: string | undefined,
  { withIdeographs }: { withIdeographs: boolean },
): Promise<TextModels> {
  const folder = findTextModels(modelsFolder);
  if (folder === undefined)
    throw new AppError(
      'OPTIONAL_PACKAGE_MISSING',
      `The models of the text recognition ppocr are not installed where documents are converted.`,
    );
  const signs = (await readFile(path.join(folder, 'keys.txt'), 'utf8')).replace(/\r?\n$/, '').split(/\r?\n/);
  const allowed = listAllowedClasses(signs, withIdeographs);
  const open = (name: string) => openOnnxSession(path.join(folder, name), { threads: 1, isVaried: true });
  const detector = await open('det.onnx');
  const reader = await open('rec.onnx').catch(async (error: unknown) => {
    await detector.close();
    throw error;
  });
  return {
    findText: (image) => findText(detector, image),
    readLine: async (image) => {
      const width = Math.min(Math.max(Math.round((image.width * line.height) / image.height), 1), line.maxWidth);
      const padded = Math.max(width, line.minWidth);
      const { values, dims } = await run(reader, await buildLine(image, width, padded), [1, 3, line.height, padded]);
      const [, steps = 0, classes = 0] = dims;
      if (classes !== signs.length)
        throw createInvalidError(`rec.onnx has ${classes} classes; keys.txt has ${signs.length} lines`);
      const read = readSigns({ values, steps, classes }, signs, allowed);
      return read.map((sign) => ({ ...sign, at: Math.min((sign.at * padded) / width, 1) }));
    },
    async close() {
      await Promise.all([detector.close(), reader.close()]);
    },
  };
}

async function findText(detector: OnnxSession, image: GreyImage): Promise<TextMap & { scale: number }> {
  const scale = Math.min(1, maxSide / Math.max(image.width, image.height));
  const [width, height] = [image.width, image.height].map((side) => Math.max(Math.round(side * scale), 1)) as [
    number,
    number,
  ];
  const reduced = await scaleGrey(image, { width, height });
  const [wide, high] = [width, height].map((side) => Math.ceil(side / sideStep) * sideStep) as [number, number];
  const data = new Float32Array(3 * wide * high);
  for (const channel of [0, 1, 2] as const) {
    const [mean, std] = [detectionRange.mean[channel], detectionRange.std[channel]];
    const start = channel * wide * high;
    // The border is paper.
    data.fill((1 - mean) / std, start, start + wide * high);
    for (let y = 0; y < height; y += 1)
      for (let x = 0; x < width; x += 1)
        data[start + y * wide + x] = ((reduced.pixels[y * width + x] as number) / 255 - mean) / std;
  }
  const { values, dims } = await run(detector, data, [1, 3, high, wide]);
  if (dims[2] !== high || dims[3] !== wide) throw createInvalidError('det.onnx returns a map of another size');
  const cut = new Float32Array(width * height);
  for (let y = 0; y < height; y += 1) cut.set(values.subarray(y * wide, y * wide + width), y * width);
  return { values: cut, width, height, scale };
}

/** The tensor of a line: all channels alike, from -1 to 1, zero beyond the line. */
async function buildLine(image: GreyImage, width: number, padded: number): Promise<Float32Array> {
  const { pixels } = await scaleGrey(image, { width, height: line.height });
  const data = new Float32Array(3 * line.height * padded);
  for (let row = 0; row < 3 * line.height; row += 1)
    for (let x = 0; x < width; x += 1)
      data[row * padded + x] = (pixels[(row % line.height) * width + x] as number) / 127.5 - 1;
  return data;
}

async function run(
  session: OnnxSession,
  data: Float32Array,
  dims: readonly number[],
): Promise<{ values: Float32Array; dims: readonly number[] }> {
  const [input] = session.inputs;
  const [output] = session.outputs;
  if (!input || output === undefined) throw createInvalidError('a model has no input or no output');
  const answer = (await session.run({ [input.name]: { type: 'float32', data, dims } }))[output];
  if (!answer) throw createInvalidError('a model returns nothing');
  return { values: answer.data as Float32Array, dims: answer.dims };
}

function createInvalidError(problem: string): AppError {
  return new AppError('PAGE_MODEL_INVALID', `The model pack ${recognitionPack.name} cannot be used: ${problem}.`);
}
