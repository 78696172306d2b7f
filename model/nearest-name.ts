/** Longer names are not typing errors of known ones, and comparing them would be slow. */
const longest = 40;

/** The known name that was probably meant; undefined if none is within one edit, or two for names of more than five letters. */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  if (given.length < 3 || given.length > longest) return undefined;
  const most = given.length > 5 ? 2 : 1;
  let best: { name: string; distance: number } | undefined;
  for (const name of known) {
    if (Math.abs(name.length - given.length) > most || name.length > longest) continue;
    const distance = editDistance(given.toLowerCase(), name.toLowerCase());
    if (distance <= most && (!best || distance < best.distance)) best = { name, distance };
  }
  return best?.name;
}

/**
 * The known name that was probably meant, even if only a part of it was given (`chunk` for `chunker`), or more. Of several,
 * the one of the nearest length.
 */
function findMeantName(given: string, known: readonly string[]): string | undefined {
  const near = nearestName(given, known);
  if (near !== undefined || given.length < 4 || given.length > longest) return near;
  const text = given.toLowerCase();
  const partial = known.filter((name) => name.toLowerCase().startsWith(text) || text.startsWith(name.toLowerCase()));
  return partial.toSorted((a, b) => Math.abs(a.length - given.length) - Math.abs(b.length - given.length))[0];
}

/** Ends a sentence about an unknown name: with the nearest known name, otherwise with the first fifty known names. */
export function suggestName(given: string, known: readonly string[], thereAre = 'there are'): string {
  const meant = findMeantName(given, known);
  return meant === undefined ? `; ${thereAre}: ${known.slice(0, 50).join(', ')}.` : ` (did you mean '${meant}'?).`;
}

/** Insertions, deletions, replacements, and neighbours that changed places. */
function editDistance(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (row > 1 && column > 1 && isSwapped) cost = Math.min(cost, (before[column - 2] ?? 0) + 1);
      next.push(cost);
    }
    before = last;
    last = next;
  }
  return last[other.length] ?? 0;
}
