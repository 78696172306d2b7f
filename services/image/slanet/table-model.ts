import { existsSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../../../model/errors';
import { tableStructurePack } from '../../../model/llm/model-packs';
import type { FindTableCells } from '../../../model/page/page-models';
import { cropPixels, createImageTensor, type RgbImage } from '../image-tensor';
import { readPixels } from '../images';
import { type OnnxSession, openOnnxSession } from '../onnx-session';
import { decodeStructure, structureTokens } from './structure-tokens';

/** The model sees square images of this size; the table fills them from the upper left corner. */
const side = 488;
/** Brightness of the pixels with which the model was trained. */
const normalize = { mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225] } as const;

/** The model of the pack `slanet-plus`. */
export interface TableModel {
  /** Opens the model on first use, with one thread. Throws PAGE_MODEL_INVALID, or OPTIONAL_PACKAGE_MISSING without the runtime. */
  readStructure: FindTableCells;
  close(): Promise<void>;
}

/** True if the model pack for table structure is installed. */
export function hasTableModel(modelsFolder: string | undefined): boolean {
  return modelsFolder !== undefined && existsSync(findFile(modelsFolder));
}

/** The model of the installed pack; undefined without it. */
export function createTableModel(modelsFolder: string | undefined): TableModel | undefined {
  if (modelsFolder === undefined || !hasTableModel(modelsFolder)) return undefined;
  let opened: Promise<OnnxSession> | undefined;
  const open = () => {
    if (opened) return opened;
    const opening = openOnnxSession(findFile(modelsFolder), { threads: 1 });
    // After the pack is repaired, the next use works without a restart.
    opening.catch(() => (opened = undefined));
    return (opened = opening);
  };
  return {
    async readStructure({ bytes, turned }, part) {
      const session = await open();
      const page = await readPixels(bytes, turned);
      const [across, down] = [page.width, page.height];
      const box = { x0: part.x0 * across, y0: part.y0 * down, x1: part.x1 * across, y1: part.y1 * down };
      const { data, width, height } = buildInput(cropPixels(page, box));
      const [input] = session.inputs;
      if (!input) throw createInvalidError('it takes nothing');
      const answer = await session.run({ [input.name]: { type: 'float32', data, dims: [1, 3, side, side] } });
      const filled = { width: width / side, height: height / side };
      return decodeStructure(readAnswer(Object.values(answer)), filled);
    },
    async close() {
      await (await opened)?.close();
    },
  };
}

function findFile(modelsFolder: string): string {
  return path.join(modelsFolder, tableStructurePack.name, 'model.onnx');
}

/** The image as a square tensor, zero beyond the image. */
function buildInput(image: RgbImage): { data: Float32Array; width: number; height: number } {
  const scale = side / Math.max(image.width, image.height);
  const shrink = (length: number) => Math.max(Math.trunc(length * scale), 1);
  const size = { width: shrink(image.width), height: shrink(image.height) };
  const seen = createImageTensor(image, { size, resample: 'bilinear', rescaleFactor: 1 / 255, normalize });
  const data = new Float32Array(3 * side * side);
  for (let row = 0; row < 3 * size.height; row += 1) {
    const [channel, y] = [Math.floor(row / size.height), row % size.height];
    data.set(seen.data.subarray(row * size.width, (row + 1) * size.width), (channel * side + y) * side);
  }
  return { data, ...size };
}

/** Finds the two outputs by the size of their last dimension: their names and order depend on the export. */
function readAnswer(outputs: readonly { data: ArrayLike<number | bigint>; dims: readonly number[] }[]) {
  const find = (length: number) => outputs.find(({ dims }) => dims.length === 3 && dims[2] === length);
  const [corners, tokens] = [find(8), find(structureTokens.length)];
  if (!corners || !tokens || corners.dims[1] !== tokens.dims[1])
    throw createInvalidError(`it returns ${outputs.map(({ dims }) => dims.join(' × ')).join(' and ')}`);
  if ([corners, tokens].some(({ data }) => typeof data[0] === 'bigint'))
    throw createInvalidError('it returns 64-bit integers instead of probabilities and corners');
  return {
    steps: tokens.dims[1] as number,
    tokens: tokens.data as ArrayLike<number>,
    corners: corners.data as ArrayLike<number>,
  };
}

function createInvalidError(problem: string): AppError {
  return new AppError('PAGE_MODEL_INVALID', `The model pack ${tableStructurePack.name} cannot be used: ${problem}.`);
}
