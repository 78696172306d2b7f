/** The largest number; -Infinity if there are none. `Math.max(...values)` overflows the stack if a file has 120,000 of them. */
export function findLargest(values: Iterable<number>): number {
  let largest = -Infinity;
  for (const value of values) if (value > largest) largest = value;
  return largest;
}

/** The smallest number; Infinity if there are none. */
export function findSmallest(values: Iterable<number>): number {
  let smallest = Infinity;
  for (const value of values) if (value < smallest) smallest = value;
  return smallest;
}
