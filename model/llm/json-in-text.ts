/** What a model answered, without a byte order mark and without the thoughts that some models put before the answer. */
export function withoutThoughts(answer: string): string {
  return answer.replace(/^\ufeff/, '').replace(/<think>[\s\S]*?(?:<\/think>|$)/g, '');
}

/** The content of the first Markdown code fence, closed or not. */
export function fencedIn(text: string): string | undefined {
  return /```(?:json)?\s*([\s\S]*?)(?:```|$)/i.exec(text)?.[1];
}

/**
 * Where the JSON value ends whose bracket is at `start`. For text that stops before the value ends, `closed` is the value up to
 * its last complete member, with the open brackets closed. Takes time linear in the length of the text.
 */
export function outlineOf(text: string, start: number): { end: number; closed?: string } {
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

/** The text without commas before a closing bracket; commas inside strings stay. */
export function withoutTrailingCommas(text: string): string {
  return text.replace(/("(?:\\.|[^"\\])*")|,(\s*[}\]])/g, (_all, string?: string, end?: string) => string ?? end ?? '');
}
