/** Of the known names, in a message. */
const maxNamesShown = 50;
/** Longer names are not typing errors of known ones, and comparing them would be slow. */
const maxCharacters = 40;

/** The known name that was probably meant; undefined if none is within one edit, or two for names of more than five letters. */
export function findNearestName(value: string, names: readonly string[]): string | undefined {
  if (value.length < 3 || value.length > maxCharacters) return undefined;
  const maxEdits = value.length > 5 ? 2 : 1;
  let best: { name: string; distance: number } | undefined;
  for (const name of names) {
    if (Math.abs(name.length - value.length) > maxEdits || name.length > maxCharacters) continue;
    const distance = computeEditDistance(value.toLowerCase(), name.toLowerCase());
    if (distance <= maxEdits && (!best || distance < best.distance)) best = { name, distance };
  }
  return best?.name;
}

/**
 * The known name that was probably meant, even if only a part of it was given (`chunk` for `chunker`), or more. Of several,
 * the one of the nearest length.
 */
export function findMeantName(value: string, names: readonly string[]): string | undefined {
  const near = findNearestName(value, names);
  if (near !== undefined || value.length < 4 || value.length > maxCharacters) return near;
  const text = value.toLowerCase();
  const partial = names.filter((name) => name.toLowerCase().startsWith(text) || text.startsWith(name.toLowerCase()));
  return partial.toSorted((a, b) => Math.abs(a.length - value.length) - Math.abs(b.length - value.length))[0];
}

/** Ends a sentence about an unknown name: with the nearest known name, otherwise with the first known names. */
export function suggestName(value: string, names: readonly string[], thereAre = 'there are'): string {
  const meant = findMeantName(value, names);
  return meant === undefined
    ? `; ${thereAre}: ${names.slice(0, maxNamesShown).join(', ')}.`
    : ` (did you mean '${meant}'?).`;
}

/** The number of insertions, deletions, replacements and swaps of neighbours between two texts (Damerau–Levenshtein). */
function computeEditDistance(value: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= value.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = value[row - 1] === other[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwapped = value[row - 1] === other[column - 2] && value[row - 2] === other[column - 1];
      if (row > 1 && column > 1 && isSwapped) cost = Math.min(cost, (before[column - 2] ?? 0) + 1);
      next.push(cost);
    }
    before = last;
    last = next;
  }
  return last[other.length] ?? 0;
}
