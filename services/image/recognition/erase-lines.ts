import { computePaper, type GreyImage } from '../grey-image';

/**
 * A ruling is this many times as long as letters are high, or consists of parts that together are as long as `parts`. It is thinner
 * than `thickness` times the height of letters.
 */
const line = { length: 5, part: 2, parts: 7, thickness: 0.45, minThickness: 3 };
/** Parts of one ruling are this many pixels apart. */
const sameLine = 2;
/** This share of a ruling is thin; blurred letters that touch each other are not. */
const thinShare = 0.75;
/** Rulings are darker than this share of the paper's brightness: thin ones are grey in a scan. */
const rulingShare = 0.85;
/** Noise interrupts rulings by up to this many pixels. */
const gap = 2;

/**
 * The image without its rulings, which the engine reads as brackets when they are close to text. Letters that cross a ruling stay
 * whole, because only its thin parts are erased.
 */
export function eraseLines(image: GreyImage, letterHeight: number): GreyImage {
  const { width, height } = image;
  const paper = computePaper(image.pixels);
  const darkest = rulingShare * paper;
  const pixels = Uint8Array.from(image.pixels);
  const dark = new Uint8Array(pixels.length);
  for (let at = 0; at < dark.length; at += 1) if ((pixels[at] as number) < darkest) dark[at] = 1;
  const limits = {
    length: line.length * letterHeight,
    part: line.part * letterHeight,
    parts: line.parts * letterHeight,
    thickness: Math.max(line.minThickness, line.thickness * letterHeight),
  };
  const crossed = new Uint8Array(pixels.length);
  const erase = { dark, pixels, paper, limits, crossed };
  eraseAlong({ ...erase, rows: height, length: width, step: { along: 1, across: width } }, 1);
  eraseAlong({ ...erase, rows: width, length: height, step: { along: width, across: 1 } }, 2);
  for (let at = 0; at < crossed.length; at += 1) if (crossed[at] === 3) pixels[at] = paper;
  return { pixels, width, height };
}

interface Eraser {
  /** Bit 1 for a level ruling that is too thick at a pixel, bit 2 for an upright one: with both, two rulings cross there. */
  crossed: Uint8Array;
  dark: Uint8Array;
  pixels: Uint8Array;
  paper: number;
  limits: Record<'length' | 'part' | 'parts' | 'thickness', number>;
  rows: number;
  length: number;
  /** Distance in the array of neighbours in a row, and of neighbours across rows. */
  step: { along: number; across: number };
}

function eraseAlong(eraser: Eraser, bit: 1 | 2): void {
  const { pixels, paper, limits, rows, step, crossed } = eraser;
  const runs = Array.from({ length: rows }, (_, row) => findRuns(eraser, row));
  const lengths = runs.map((group) => group.reduce((sum, { thin }) => sum + thin.length, 0));
  for (const [row, rowRuns] of runs.entries()) {
    const together = Math.max(...lengths.slice(Math.max(0, row - sameLine), row + sameLine + 1));
    for (const { from, thin } of rowRuns) {
      if (thin.length < limits.length && together < limits.parts) continue;
      for (const [index, limit] of thin.entries()) {
        if (!limit) {
          for (let across = Math.max(0, row - 1); across <= Math.min(rows - 1, row + 1); across += 1)
            crossed[across * step.across + (from + index) * step.along]! |= bit;
          continue;
        }
        // With the grey edge of the ruling.
        for (let across = Math.max(0, limit[0] - 1); across <= Math.min(rows - 1, limit[1] + 1); across += 1)
          pixels[across * step.across + (from + index) * step.along] = paper;
      }
    }
  }
}

/** A run of ink; `thin` has the extent of the ink across at each place, or nothing where it is too thick for a ruling. */
interface InkRun {
  from: number;
  thin: ([first: number, last: number] | undefined)[];
}

function findRuns({ dark, limits, rows, length, step }: Eraser, row: number): InkRun[] {
  const runs: InkRun[] = [];
  const start = row * step.across;
  for (let place = 0; place < length; place += 1) {
    if (dark[start + place * step.along] === 0) continue;
    const from = place;
    let to = place + 1;
    for (; place < length && place - to < gap; place += 1) if (dark[start + place * step.along] === 1) to = place + 1;
    if (to - from < limits.part) continue;
    const thin = Array.from({ length: to - from }, (_, index) => findThin((from + index) * step.along));
    if (thin.filter((limit) => limit !== undefined).length >= thinShare * thin.length) runs.push({ from, thin });
  }
  return runs;

  function findThin(offset: number): [first: number, last: number] | undefined {
    let [first, last] = [row, row];
    while (first > 0 && row - first <= limits.thickness && dark[(first - 1) * step.across + offset] === 1) first -= 1;
    while (last < rows - 1 && last - row <= limits.thickness && dark[(last + 1) * step.across + offset] === 1)
      last += 1;
    return last - first < limits.thickness ? [first, last] : undefined;
  }
}
