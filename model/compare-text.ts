/** Orders texts by their UTF-16 code units, the same in every locale. */
export function compareText(text: string, other: string): number {
  return text < other ? -1 : Number(text > other);
}
