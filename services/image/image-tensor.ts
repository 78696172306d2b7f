/** Pixels as three bytes (red, green, blue), row by row. */
export interface RgbImage {
  rgb: Uint8Array;
  width: number;
  height: number;
}

/** Preprocessing of an image for a model, as defined in its `preprocessor_config.json`. */
export interface ImagePreparation {
  size: TargetSize;
  resample: 'bilinear' | 'bicubic';
  /** Factor for byte values; undefined keeps the values. */
  rescaleFactor: number | undefined;
  /** Undefined: no normalization. */
  normalize: { mean: readonly [number, number, number]; std: readonly [number, number, number] } | undefined;
}

/** A fixed size, or one whose shortest side is `shortest` unless the longest side would then exceed `longest`. */
export type TargetSize = { width: number; height: number } | { shortest?: number; longest?: number };

/** Width and height of an image after preprocessing. */
export function computeTargetSize(
  image: Pick<RgbImage, 'width' | 'height'>,
  size: TargetSize,
): { width: number; height: number } {
  if ('width' in size) return { width: size.width, height: size.height };
  const [short, long] = [Math.min(image.width, image.height), Math.max(image.width, image.height)];
  const byShortest = (size.shortest ?? Infinity) / short;
  const byLongest = (size.longest ?? Infinity) / long;
  const scale = Math.min(byShortest, byLongest);
  const scaleSide = (side: number) => Math.max(1, Number.isFinite(scale) ? Math.round(side * scale) : side);
  return { width: scaleSide(image.width), height: scaleSide(image.height) };
}

/** The image as a tensor, channel by channel (1 × 3 × height × width). */
export function createImageTensor(
  image: RgbImage,
  preparation: ImagePreparation,
): { data: Float32Array; width: number; height: number } {
  const { width, height } = computeTargetSize(image, preparation.size);
  const { rgb } = resizePixels(image, { width, height }, preparation.resample);
  const factor = preparation.rescaleFactor ?? 1;
  const { mean, std } = preparation.normalize ?? { mean: [0, 0, 0], std: [1, 1, 1] };
  const plane = width * height;
  const data = new Float32Array(3 * plane);
  for (const channel of [0, 1, 2] as const) {
    // Computed once per byte value.
    const values = Float32Array.from({ length: 256 }, (_, byte) => (byte * factor - mean[channel]) / std[channel]);
    for (let pixel = 0; pixel < plane; pixel += 1)
      data[channel * plane + pixel] = values[rgb[3 * pixel + channel] as number] as number;
  }
  return { data, width, height };
}

/** The pixels of a region. The region is clipped to the image and never empty. */
export function cropPixels(image: RgbImage, part: { x0: number; y0: number; x1: number; y1: number }): RgbImage {
  const roundWithin = (value: number, max: number) => Math.min(Math.max(Math.round(value), 0), max);
  const [left, top] = [roundWithin(part.x0, image.width - 1), roundWithin(part.y0, image.height - 1)];
  const width = Math.max(roundWithin(part.x1, image.width) - left, 1);
  const height = Math.max(roundWithin(part.y1, image.height) - top, 1);
  const rgb = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    const from = ((top + y) * image.width + left) * 3;
    rgb.set(image.rgb.subarray(from, from + width * 3), y * width * 3);
  }
  return { rgb, width, height };
}

/** The source pixels of one resized pixel in a row or column, and their weights. */
interface Mix {
  from: number;
  weights: Float64Array;
}

const kernels = {
  bilinear: { reach: 1, weight: (x: number) => Math.max(0, 1 - Math.abs(x)) },
  bicubic: { reach: 2, weight: computeCubicWeight },
} as const;

/** Keys' cubic convolution with a = -0.5. */
function computeCubicWeight(distance: number): number {
  const x = Math.abs(distance);
  if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
  return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0;
}

/**
 * Resizes the image. When shrinking, the kernel covers all source pixels of a target pixel, like the imaging library with which
 * models are trained. Each direction is rounded to bytes.
 */
export function resizePixels(
  image: RgbImage,
  { width, height }: { width: number; height: number },
  resample: ImagePreparation['resample'],
): RgbImage {
  if (image.width === width && image.height === height) return image;
  const wide = new Uint8Array(width * image.height * 3);
  const columns = computeMixes(image.width, width, resample);
  for (let y = 0; y < image.height; y += 1)
    for (let x = 0; x < width; x += 1)
      mixInto(wide, (y * width + x) * 3, { source: image.rgb, start: y * image.width * 3, step: 3 }, columns[x] as Mix);
  const rgb = new Uint8Array(width * height * 3);
  const rows = computeMixes(image.height, height, resample);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      mixInto(rgb, (y * width + x) * 3, { source: wide, start: x * 3, step: width * 3 }, rows[y] as Mix);
  return { rgb, width, height };
}

function computeMixes(from: number, to: number, resample: ImagePreparation['resample']): Mix[] {
  const { reach, weight } = kernels[resample];
  const scale = from / to;
  const stretch = Math.max(scale, 1);
  return Array.from({ length: to }, (_, index) => {
    const middle = (index + 0.5) * scale;
    const first = Math.max(0, Math.floor(middle - reach * stretch + 0.5));
    const end = Math.min(from, Math.floor(middle + reach * stretch + 0.5));
    const weights = Float64Array.from({ length: Math.max(end - first, 1) }, (_value, offset) =>
      weight((first + offset - middle + 0.5) / stretch),
    );
    const sum = weights.reduce((total, value) => total + value, 0);
    return { from: Math.min(first, from - 1), weights: weights.map((value) => (sum === 0 ? 1 : value / sum)) };
  });
}

function mixInto(
  target: Uint8Array,
  at: number,
  { source, start, step }: { source: Uint8Array; start: number; step: number },
  { from, weights }: Mix,
): void {
  for (let channel = 0; channel < 3; channel += 1) {
    let sum = 0;
    let index = start + from * step + channel;
    for (let place = 0; place < weights.length; place += 1, index += step)
      sum += (weights[place] as number) * (source[index] as number);
    target[at + channel] = Math.min(255, Math.max(0, Math.round(sum)));
  }
}
