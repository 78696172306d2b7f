/** The answer of a model, without a byte order mark and without the `<think>` blocks that some models add. */
export function omitThoughts(answer: string): string {
  return answer.replace(/^\ufeff/, '').replace(/<think>[\s\S]*?(?:<\/think>|$)/g, '');
}

/** The content of the first Markdown code fence, even if it is not closed. */
export function extractFenced(text: string): string | undefined {
  return /```(?:json)?\s*([\s\S]*?)(?:```|$)/i.exec(text)?.[1];
}

/**
 * Finds the end of the JSON value whose bracket is at `start`. If the text is cut off, `closed` is the value up to its last
 * complete member, with the open brackets closed. Linear time.
 */
export function findJsonEnd(text: string, start: number): { end: number; closed?: string } {
  const open: string[] = [];
  let safe: string | undefined;
  let isString = false;
  for (let index = start; index < text.length; index++) {
    const char = text[index];
    if (isString) {
      if (char === '\\') index++;
      else if (char === '"') isString = false;
      continue;
    }
    if (char === '"') isString = true;
    else if (char === '{' || char === '[') open.push(char === '{' ? '}' : ']');
    else if (char === ',') safe = text.slice(start, index) + open.toReversed().join('');
    else if (char === '}' || char === ']') {
      open.pop();
      if (open.length === 0) return { end: index + 1 };
      safe = text.slice(start, index + 1) + open.toReversed().join('');
    }
  }
  return safe === undefined ? { end: text.length } : { end: text.length, closed: safe };
}

/** Removes commas before a closing bracket; commas inside strings stay. */
export function omitTrailingCommas(text: string): string {
  return text.replace(/("(?:\\.|[^"\\])*")|,(\s*[}\]])/g, (_all, string?: string, end?: string) => string ?? end ?? '');
}
