/** A workflow whose only step computes for some hundred milliseconds. */
export async function longStep(): Promise<number> {
  let sum = 0;
  for (let turn = 0; turn < 200_000_000; turn += 1) sum += turn % 3;
  return sum;
}
