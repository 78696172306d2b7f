const candidates = [',', ';', '\t', '|', ':'] as const;
const sampledCharacters = 64 * 1024;
const sampledLines = 200;

/** Returns the character that splits the first lines into the most even rows; a comma if no candidate occurs outside quotes. */
export function findDelimiter(text: string): string {
  let best = { delimiter: ',', score: 0 };
  for (const delimiter of candidates) {
    const score = measureEvenness(listFieldCounts(text, delimiter));
    // Colons occur in times and URLs, so a colon needs a clearly better score.
    const weighted = delimiter === ':' ? score / 2 : score;
    if (weighted > best.score) best = { delimiter, score: weighted };
  }
  return best.delimiter;
}

/** Counts the fields of each record. Delimiters inside quotes do not count. */
function listFieldCounts(text: string, delimiter: string): number[] {
  const counts: number[] = [];
  let [fields, isQuoted, isEmpty] = [1, false, true];
  const end = Math.min(text.length, sampledCharacters);
  for (let at = 0; at < end && counts.length < sampledLines; at++) {
    const character = text[at]!;
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === delimiter) fields += 1;
    else if (character === '\n') {
      if (!isEmpty) counts.push(fields);
      [fields, isEmpty] = [1, true];
      continue;
    }
    isEmpty = false;
  }
  if (!isEmpty && (end === text.length || counts.length === 0)) counts.push(fields);
  return counts;
}

/** Returns the share of rows with the most frequent number of fields, from two on. Ties go to the larger number of fields. */
function measureEvenness(counts: readonly number[]): number {
  const frequency = new Map<number, number>();
  for (const count of counts) frequency.set(count, (frequency.get(count) ?? 0) + 1);
  let best = 0;
  for (const [fields, rows] of frequency) {
    if (fields > 1) best = Math.max(best, rows / counts.length + Math.min(fields, 100) / 10_000);
  }
  return best;
}
