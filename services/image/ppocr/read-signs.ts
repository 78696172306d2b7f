/** A sign read in the image of a line. */
export interface ReadSign {
  text: string;
  /** From 0 to 1. */
  confidence: number;
  /** Its middle, as a share of the width of the image that the model read. */
  at: number;
  /** The highest probability of a space between the sign before and this one; where a space was read, it is a sign of its own. */
  space: number;
}

/** Output of the model: the probability of each class for each step from left to right. Class 0 is the gap between two signs. */
export interface StepClasses {
  values: ArrayLike<number>;
  steps: number;
  classes: number;
}

/**
 * Reads signs from the classes of steps (CTC): the likeliest class of each step counts, repeated classes are one sign, and class 0
 * separates. `signs` are the texts of the classes; classes that are not among `allowed` cannot be read.
 */
export function readSigns(
  { values, steps, classes }: StepClasses,
  signs: readonly string[],
  allowed: ArrayLike<number>,
): ReadSign[] {
  const found: (ReadSign & { first: number; last: number })[] = [];
  const spaceClass = signs.lastIndexOf(' ');
  let [before, space] = [0, 0];
  for (let step = 0; step < steps; step += 1) {
    const start = step * classes;
    let best = 0;
    for (let index = 0; index < allowed.length; index += 1) {
      const id = allowed[index] as number;
      if ((values[start + id] as number) > (values[start + best] as number)) best = id;
    }
    const confidence = values[start + best] as number;
    if (spaceClass > 0) space = Math.max(space, values[start + spaceClass] as number);
    const last = found.at(-1);
    if (best !== 0 && best === before && last) {
      last.last = step;
      last.confidence = Math.max(last.confidence, confidence);
    } else if (best !== 0) {
      found.push({ text: signs[best] ?? '', confidence, at: 0, first: step, last: step, space });
      space = 0;
    }
    before = best;
  }
  return found.map(({ text, confidence, first, last, space: beforeSign }) => ({
    text,
    confidence,
    space: beforeSign,
    at: ((first + last) / 2 + 0.5) / steps,
  }));
}

const ideograph = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\u{20000}-\u{3ffff}]/u;

/** The classes that may be read: all, or without the signs of Chinese and Japanese, which are mistaken for others. */
export function listAllowedClasses(signs: readonly string[], withIdeographs: boolean): Int32Array {
  return Int32Array.from(signs.keys()).filter((id) => withIdeographs || !ideograph.test(signs[id] ?? ''));
}
