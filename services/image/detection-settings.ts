import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../../model/errors';
import type { ImagePreparation, TargetSize } from './image-tensor';

/** Settings of a detection model, read from its folder. */
export interface DetectionSettings {
  /** Class names by class number, in lower case with underscores: `Key-Value Region` becomes `key_value_region`. */
  labels: readonly string[];
  preparation: ImagePreparation;
}

/** Names of the "no object" class. Softmax models have it last, and some list it by name. */
const noObjectLabels = new Set(['no_object', 'n_a', 'background']);

/**
 * Reads `config.json` and `preprocessor_config.json` in the format of model hubs. Throws PAGE_MODEL_INVALID when one is missing
 * or unusable.
 */
export async function readDetectionSettings(folder: string): Promise<DetectionSettings> {
  const [config, preprocessor] = await Promise.all(
    ['config.json', 'preprocessor_config.json'].map((name) => readJson(path.join(folder, name))),
  );
  return {
    labels: listLabels(config ?? {}, path.join(folder, 'config.json')),
    preparation: buildPreparation(preprocessor ?? {}, path.join(folder, 'preprocessor_config.json')),
  };
}

type Json = Record<string, unknown>;

async function readJson(file: string): Promise<Json> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (isObject(value)) return value;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError(
      'PAGE_MODEL_INVALID',
      `'${file}', which is required next to the model, cannot be read: ${reason}`,
      {},
      error,
    );
  }
  throw createInvalidError(file, 'a JSON object is expected');
}

function listLabels({ id2label }: Json, file: string): string[] {
  if (!isObject(id2label))
    throw createInvalidError(file, 'id2label, the names of the classes by their number, is expected');
  const names = Object.entries(id2label).map(([id, name]) => [Number(id), normalizeLabel(String(name))] as const);
  const labels: string[] = [];
  for (const [id, name] of names) {
    if (!Number.isInteger(id) || id < 0 || id >= names.length)
      throw createInvalidError(file, `id2label has the number '${id}'; expected 0 to ${names.length - 1}`);
    labels[id] = name;
  }
  while (noObjectLabels.has(labels.at(-1) ?? '')) labels.pop();
  if (labels.length === 0) throw createInvalidError(file, 'id2label names no classes');
  return labels;
}

function normalizeLabel(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
}

function buildPreparation(config: Json, file: string): ImagePreparation {
  const isOn = (name: string, defaultValue: boolean) =>
    typeof config[name] === 'boolean' ? config[name] : defaultValue;
  const factor = config['rescale_factor'] ?? 1 / 255;
  if (typeof factor !== 'number') throw createInvalidError(file, 'rescale_factor must be a number');
  return {
    size: isOn('do_resize', true) ? readSize(config, file) : {},
    resample: config['resample'] === 3 ? 'bicubic' : 'bilinear',
    rescaleFactor: isOn('do_rescale', true) ? factor : undefined,
    normalize: isOn('do_normalize', false)
      ? { mean: readTriple(config, 'image_mean', file), std: readTriple(config, 'image_std', file) }
      : undefined,
  };
}

function readSize({ size, max_size: longestSide }: Json, file: string): TargetSize {
  if (isSide(size)) return { shortest: size, ...(isSide(longestSide) ? { longest: longestSide } : {}) };
  if (isObject(size)) {
    const { width, height, shortest_edge: shortest, longest_edge: longest } = size;
    if (isSide(width) && isSide(height)) return { width, height };
    if (isSide(shortest) || isSide(longest))
      return { ...(isSide(shortest) ? { shortest } : {}), ...(isSide(longest) ? { longest } : {}) };
  }
  throw createInvalidError(file, 'size must have width and height, or shortest_edge or longest_edge, up to 4096');
}

function isSide(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 4096;
}

function readTriple(config: Json, name: string, file: string): [number, number, number] {
  const value = config[name];
  if (Array.isArray(value) && value.length === 3 && value.every((part) => typeof part === 'number'))
    return value as [number, number, number];
  throw createInvalidError(file, `${name} must be three numbers, since do_normalize is on`);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function createInvalidError(file: string, problem: string): AppError {
  return new AppError('PAGE_MODEL_INVALID', `'${file}' does not describe the input of its model: ${problem}.`);
}
