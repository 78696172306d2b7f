/** `1 result`, `2 results`. */
export function countNouns(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
