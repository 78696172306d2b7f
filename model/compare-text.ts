/** Orders texts by their UTF-16 code units, the same in every locale. */
export function compareText(text: string, other: string): number {
  if (text === other) return 0;
  return text < other ? -1 : 1;
}
