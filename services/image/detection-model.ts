import path from 'node:path';
import { AppError } from '../../model/errors';
import type { Detection } from '../../model/page/page-models';
import { type DetectionSettings, readDetectionSettings } from './detection-settings';
import { createImageTensor, type RgbImage } from './image-tensor';
import { findOnnxFile, openOnnxSession, type OnnxInput, type OnnxSession, type OnnxValue } from './onnx-session';

/** An object detection model, opened from a folder. */
export interface DetectionModel {
  /** Names of its classes, in lower case with underscores. */
  labels: readonly string[];
  /**
   * Detections with at least this score, highest score first. Throws PAGE_MODEL_INVALID when the output has an unexpected form.
   */
  detect(image: RgbImage, minScore: number): Promise<Detection<string>[]>;
  close(): Promise<void>;
}

type Answer = Awaited<ReturnType<OnnxSession['run']>>;

/**
 * Opens `model.onnx`, exported in one of two forms. RT-DETR with post-processing: inputs `images` and `orig_target_sizes` (width,
 * height), outputs `labels`, `boxes` (corners in pixels) and `scores`. DETR, RT-DETR and similar models without it: inputs
 * `pixel_values` and optionally `pixel_mask`, outputs `logits` and `pred_boxes` (center and size, relative to the image). Throws
 * PAGE_MODEL_INVALID, or OPTIONAL_PACKAGE_MISSING without the runtime.
 */
export async function openDetectionModel(folder: string): Promise<DetectionModel> {
  const file = findOnnxFile(folder);
  if (file === undefined)
    throw new AppError('PAGE_MODEL_INVALID', `'${folder}' has no model: expected model.onnx or onnx/model.onnx.`);
  const settings = await readDetectionSettings(folder);
  const session = await openOnnxSession(file);
  const name = path.relative(path.dirname(folder), file);
  const form = findForm(session, name);
  return {
    labels: settings.labels,
    async detect(image, minScore) {
      const answer = await session.run(buildFeeds(session.inputs, image, settings, name));
      const detections = form === 'decoded' ? readDetections(answer, image, name) : readLogits(answer, settings, name);
      return detections
        .filter(({ score }) => score >= minScore)
        .toSorted((a, b) => b.score - a.score)
        .map(({ id, score, box }) => ({ label: findLabel(settings, id, name), score, box }));
    },
    close: () => session.close(),
  };
}

interface Found extends Omit<Detection<string>, 'label'> {
  id: number;
}

function findForm({ outputs }: OnnxSession, name: string): 'decoded' | 'logits' {
  if (['labels', 'boxes', 'scores'].every((output) => outputs.includes(output))) return 'decoded';
  if (['logits', 'pred_boxes'].every((output) => outputs.includes(output))) return 'logits';
  throw createInvalidError(
    name,
    `returns ${joinNames(outputs)}; expected 'labels', 'boxes' and 'scores', or 'logits' and 'pred_boxes'`,
  );
}

function buildFeeds(
  inputs: readonly OnnxInput[],
  image: RgbImage,
  { preparation }: DetectionSettings,
  name: string,
): Record<string, OnnxValue> {
  const pixels = inputs.find((input) => input.name === 'images' || input.name === 'pixel_values');
  if (!pixels)
    throw createInvalidError(
      name,
      `takes ${joinNames(inputs.map((input) => input.name))}; expected 'images' or 'pixel_values'`,
    );
  if (pixels.type !== 'float32') throw createInvalidError(name, `takes pixels as ${pixels.type}; expected float32`);
  const { data, width, height } = createImageTensor(image, preparation);
  const feeds: Record<string, OnnxValue> = { [pixels.name]: { type: 'float32', data, dims: [1, 3, height, width] } };
  for (const input of inputs) {
    if (input === pixels) continue;
    if (input.name === 'orig_target_sizes') {
      feeds[input.name] = {
        type: 'int64',
        data: BigInt64Array.from([image.width, image.height].map(BigInt)),
        dims: [1, 2],
      };
    } else if (input.name === 'pixel_mask') feeds[input.name] = buildMask(input, { width, height });
    else
      throw createInvalidError(
        name,
        `takes '${input.name}'; besides the image, expected only 'orig_target_sizes' and 'pixel_mask'`,
      );
  }
  return feeds;
}

/** A mask in which every pixel counts. Some exports have a fixed mask size. */
function buildMask({ shape }: OnnxInput, { width, height }: { width: number; height: number }): OnnxValue {
  const side = (value: number | string | undefined, defaultValue: number) =>
    typeof value === 'number' ? value : defaultValue;
  const dims = [1, side(shape[1], height), side(shape[2], width)] as const;
  return { type: 'int64', data: new BigInt64Array(dims[1] * dims[2]).fill(1n), dims };
}

function readDetections(answer: Answer, { width, height }: RgbImage, name: string): Found[] {
  const readOutput = createOutputReader(answer, name);
  const scores = readOutput('scores', '1 × n', (dims) => dims.length === 2 && dims[0] === 1);
  const count = scores.dims[1] ?? 0;
  const ids = readOutput('labels', `1 × ${count}`, (dims) => dims.length === 2 && dims[1] === count);
  const boxes = readOutput(
    'boxes',
    `1 × ${count} × 4`,
    (dims) => dims.length === 3 && dims[1] === count && dims[2] === 4,
  );
  return Array.from({ length: count }, (_, index) => {
    const [x0, y0, x1, y1] = readFour(boxes.data, index);
    const box = { x0: x0 / width, y0: y0 / height, x1: x1 / width, y1: y1 / height };
    return { id: Number(ids.data[index]), score: Number(scores.data[index]), box };
  });
}

/**
 * With one class more than labels, the last class means "no object" and the classes are exclusive: softmax, one detection per
 * query. Otherwise the classes are independent: sigmoid, and the top scores over all queries and classes count, as many as there
 * are queries.
 */
function readLogits(answer: Answer, { labels }: DetectionSettings, name: string): Found[] {
  const readOutput = createOutputReader(answer, name);
  const isFitting = (dims: readonly number[]) =>
    dims.length === 3 && dims[0] === 1 && (dims[2] === labels.length || dims[2] === labels.length + 1);
  const logits = readOutput('logits', `1 × n × ${labels.length} or ${labels.length + 1}`, isFitting);
  const [, queries = 0, classes = 0] = logits.dims;
  const boxes = readOutput(
    'pred_boxes',
    `1 × ${queries} × 4`,
    (dims) => dims.length === 3 && dims[1] === queries && dims[2] === 4,
  );
  const buildBox = (query: number) => {
    const [x, y, width, height] = readFour(boxes.data, query);
    return { x0: x - width / 2, y0: y - height / 2, x1: x + width / 2, y1: y + height / 2 };
  };
  const getLogit = (query: number, id: number) => Number(logits.data[query * classes + id]);
  const detections: Found[] = [];
  for (let query = 0; query < queries; query += 1) {
    const logits = labels.map((_, id) => getLogit(query, id));
    if (classes === labels.length) {
      logits.forEach((value, id) => detections.push({ id, score: 1 / (1 + Math.exp(-value)), box: buildBox(query) }));
      continue;
    }
    const maxLogit = Math.max(...logits, getLogit(query, labels.length));
    const sum = [...logits, getLogit(query, labels.length)].reduce(
      (total, value) => total + Math.exp(value - maxLogit),
      0,
    );
    const best = logits.reduce((surest, value, id) => (value > (logits[surest] as number) ? id : surest), 0);
    detections.push({ id: best, score: Math.exp((logits[best] as number) - maxLogit) / sum, box: buildBox(query) });
  }
  return detections.toSorted((a, b) => b.score - a.score).slice(0, queries);
}

/** Reads outputs of the model `name` by name; one that lacks the expected shape makes the model invalid. */
function createOutputReader(answer: Answer, name: string) {
  return (output: string, expected: string, isFitting: (dims: readonly number[]) => boolean): Answer[string] => {
    const value = answer[output];
    if (value && isFitting(value.dims)) return value;
    throw createInvalidError(
      name,
      `returns '${output}' with the shape ${value?.dims.join(' × ') ?? 'nothing'}; expected ${expected}`,
    );
  };
}

function readFour(data: ArrayLike<number | bigint>, index: number): [number, number, number, number] {
  const at = (offset: number) => Number(data[4 * index + offset]);
  return [at(0), at(1), at(2), at(3)];
}

function findLabel({ labels }: DetectionSettings, id: number, name: string): string {
  const label = labels[id];
  if (label !== undefined) return label;
  throw createInvalidError(name, `returns the class ${id}; its config.json names 0 to ${labels.length - 1}`);
}

function joinNames(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ') || 'nothing';
}

function createInvalidError(name: string, problem: string): AppError {
  return new AppError('PAGE_MODEL_INVALID', `The model '${name}' ${problem}.`);
}
