import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createOnnxGraph, elementTypes, type OnnxGraph } from './onnx-graph';

/** An object that the model finds: everything of this colour, as one box. */
export interface Seen {
  /** Number of its class. */
  label: number;
  /** Red, green, blue from 0 to 1; null does not matter. */
  colour: readonly [number | null, number | null, number | null];
  /** From 0 to 1; default 0.9. */
  score?: number;
}

export interface ColourDetector {
  labels: readonly string[];
  seen: readonly Seen[];
  /** `decoded`: RT-DETR with its post-processing; else logits with a class for nothing (`softmax`), or without (`sigmoid`). */
  form: 'decoded' | 'softmax' | 'sigmoid';
  /** The content of preprocessor_config.json. */
  preprocessor: Record<string, unknown>;
  /** `onnx` puts the model into the folder of that name, as hubs do. */
  place?: 'plain' | 'onnx';
}

const tolerance = 0.08;

/**
 * Writes a detection model that really analyses its image: each of its queries finds the pixels of a colour and returns their
 * bounding box. It reverses the normalization by mean and deviation, so that a wrong normalization makes it fail.
 */
export function writeColourDetector(folder: string, detector: ColourDetector): void {
  const graph = createOnnxGraph();
  const count = detector.seen.length;
  const isDecoded = detector.form === 'decoded';
  const image = graph.input(isDecoded ? 'images' : 'pixel_values', 'float', [1, 3, 'height', 'width']);
  const { corners, isThere } = getBoxes(graph, plain(graph, image, detector.preprocessor), detector.seen);
  if (isDecoded) {
    const sizes = graph.input('orig_target_sizes', 'int64', [1, 2]);
    const size = graph.apply('Cast', [sizes], { to: elementTypes.float });
    const scale = graph.apply('Concat', [size, size], { axis: 1 });
    const boxes = graph.apply('Mul', [graph.apply('Concat', corners, { axis: 1 }), scale]);
    const scores = graph.apply('Mul', [
      isThere,
      graph.constant(
        detector.seen.map(({ score = 0.9 }) => score),
        [count, 1],
      ),
    ]);
    const labels = graph.integers(
      detector.seen.map(({ label }) => label),
      [1, count],
    );
    graph.output('labels', labels, 'int64', [1, count]);
    graph.output('boxes', unsqueezed(graph, boxes), 'float', [1, count, 4]);
    graph.output('scores', graph.apply('Transpose', [scores], { perm: [1, 0] }), 'float', [1, count]);
  } else {
    writeLogits(graph, detector, { corners, isThere });
  }
  graph.write(path.join(folder, ...(detector.place === 'onnx' ? ['onnx'] : []), 'model.onnx'));
  const json = (name: string, content: object) => writeFileSync(path.join(folder, name), JSON.stringify(content));
  json('config.json', { id2label: Object.fromEntries(detector.labels.map((label, id) => [String(id), label])) });
  json('preprocessor_config.json', detector.preprocessor);
}

/** Scales values back to 0 to 1. */
function plain(
  graph: OnnxGraph,
  image: string,
  { do_normalize, image_mean, image_std }: Record<string, unknown>,
): string {
  if (do_normalize !== true) return image;
  const [mean, std] = [image_mean as number[], image_std as number[]];
  const spread = graph.apply('Mul', [image, graph.constant(std, [1, 3, 1, 1])]);
  return graph.apply('Add', [spread, graph.constant(mean, [1, 3, 1, 1])]);
}

/** Left, top, right and bottom of each colour, as fractions (n × 1), and whether the colour occurs. */
function getBoxes(graph: OnnxGraph, image: string, seen: readonly Seen[]): { corners: string[]; isThere: string } {
  const count = seen.length;
  const colours = graph.constant(
    seen.flatMap(({ colour }) => colour.map((part) => part ?? 0)),
    [count, 3, 1, 1],
  );
  const matters = graph.constant(
    seen.flatMap(({ colour }) => colour.map((part) => (part === null ? 0 : 1))),
    [count, 3, 1, 1],
  );
  const difference = graph.apply('Mul', [graph.apply('Abs', [graph.apply('Sub', [image, colours])]), matters]);
  const worst = graph.apply('ReduceMax', [difference], { axes: [1], keepdims: 0 });
  const isNear = graph.apply('Less', [worst, graph.constant([tolerance])]);
  const mask = graph.apply('Cast', [isNear], { to: elementTypes.float });
  const across = graph.apply('ReduceMax', [mask], { axes: [1], keepdims: 0 });
  const down = graph.apply('ReduceMax', [mask], { axes: [2], keepdims: 0 });
  const [left, right] = getEnds(graph, across, getSide(graph, image, 3));
  const [top, bottom] = getEnds(graph, down, getSide(graph, image, 2));
  const isThere = graph.apply('ReduceMax', [across], { axes: [1], keepdims: 1 });
  return { corners: [left, top, right, bottom], isThere };
}

function getSide(graph: OnnxGraph, image: string, axis: number): string {
  return graph.apply('Gather', [graph.apply('Shape', [image]), graph.integers([axis])], { axis: 0 });
}

/** The first and the last place of a profile (n × side) that is not 0, as fractions. */
function getEnds(graph: OnnxGraph, profile: string, side: string): [string, string] {
  const places = graph.apply('Range', [graph.integers([0]), side, graph.integers([1])]);
  const length = graph.apply('Cast', [side], { to: elementTypes.float });
  const starts = graph.apply('Div', [graph.apply('Cast', [places], { to: elementTypes.float }), length]);
  const ends = graph.apply('Add', [starts, graph.apply('Div', [graph.constant([1]), length])]);
  const value = graph.constant([1]);
  const most = (values: string) =>
    graph.apply('ReduceMax', [graph.apply('Mul', [profile, values])], { axes: [1], keepdims: 1 });
  return [graph.apply('Sub', [value, most(graph.apply('Sub', [value, starts]))]), most(ends)];
}

function writeLogits(
  graph: OnnxGraph,
  { seen, labels, form }: ColourDetector,
  { corners: [left, top, right, bottom], isThere }: { corners: string[]; isThere: string },
): void {
  const half = graph.constant([0.5]);
  const middle = (a = '', b = '') => graph.apply('Mul', [graph.apply('Add', [a, b]), half]);
  const size = (a = '', b = '') => graph.apply('Sub', [b, a]);
  const parts = [middle(left, right), middle(top, bottom), size(left, right), size(top, bottom)];
  const classes = labels.length + (form === 'softmax' ? 1 : 0);
  // The score of a colour that is present, otherwise far below zero.
  const rows = seen.map(({ label, score = 0.9 }) => {
    const sure = Math.log(score / (1 - score));
    const isNothing = (id: number) => form === 'softmax' && id === classes - 1;
    const absent = Array.from({ length: classes }, (_, id) => (isNothing(id) ? 20 : -20));
    const there = Array.from({ length: classes }, (_, id) => (id === label ? sure : isNothing(id) ? 0 : -20));
    return { absent, change: there.map((value, id) => value - (absent[id] ?? 0)) };
  });
  const table = (values: number[][]) => graph.constant(values.flat(), [seen.length, classes]);
  const logits = graph.apply('Add', [
    table(rows.map(({ absent }) => absent)),
    graph.apply('Mul', [table(rows.map(({ change }) => change)), isThere]),
  ]);
  graph.output('logits', unsqueezed(graph, logits), 'float', [1, seen.length, classes]);
  const boxes = graph.apply('Concat', parts, { axis: 1 });
  graph.output('pred_boxes', unsqueezed(graph, boxes), 'float', [1, seen.length, 4]);
}

function unsqueezed(graph: OnnxGraph, value: string): string {
  return graph.apply('Unsqueeze', [value, graph.integers([0], [1])]);
}
