/** A figure and the bound that it should keep. */
export interface Target {
  name: string;
  value: number;
  unit: string;
  atMost?: number;
  atLeast?: number;
}

/** Prints each figure with its bound. Returns the exit code: 1 if a figure exceeds its bound. */
export function reportTargets(targets: readonly Target[], print: (line: string) => void): number {
  const isMet = ({ value, atMost = Infinity, atLeast = -Infinity }: Target) => value <= atMost && value >= atLeast;
  for (const target of targets) {
    const { name, value, unit, atMost, atLeast } = target;
    const bound = atMost === undefined ? `at least ${atLeast}` : `at most ${atMost}`;
    print(`${isMet(target) ? 'met   ' : 'MISSED'} ${name}: ${value.toFixed(2)}${unit}, ${bound}${unit}`);
  }
  return targets.every(isMet) ? 0 : 1;
}
