import { extractFenced, findJsonEnd, omitThoughts, omitTrailingCommas } from '../../model/llm/json-in-text';

/** A JSON value found in a text. */
export interface FoundJson {
  value: unknown;
  /** True when the text was not valid JSON as a whole, or was cut off. */
  isMended: boolean;
}

/**
 * Finds the JSON object or array in a model's answer: as the whole text, in a code fence, after reasoning or prose, with trailing
 * commas, or cut off (then closed after the last complete member). Undefined when there is none.
 */
export function findJson(answer: string): FoundJson | undefined {
  const whole = parseJson(answer);
  if (whole) return { value: whole.value, isMended: false };
  const text = omitThoughts(answer);
  const fenced = extractFenced(text);
  for (const candidate of [text, ...(fenced ? [fenced] : []), ...iterateFragments(text)]) {
    const json = parseJson(candidate);
    if (json) return { value: json.value, isMended: true };
  }
  return undefined;
}

/** Accepts only objects and arrays: a bare word or number in prose is not an answer. */
function parseJson(text: string): { value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text.trim());
    return typeof value === 'object' && value !== null ? { value } : undefined;
  } catch {
    // Not valid JSON; another part of the answer may be.
    return undefined;
  }
}

const maxFragments = 10;

/** Candidates that start with a bracket. Tries only the first few brackets, because prose with many would take quadratic time. */
function* iterateFragments(text: string): Generator<string> {
  let tried = 0;
  for (let start = text.search(/[{[]/); start >= 0 && tried < maxFragments; tried++) {
    const { end, closed } = findJsonEnd(text, start);
    const piece = text.slice(start, end);
    yield piece;
    yield omitTrailingCommas(piece);
    if (closed !== undefined) yield omitTrailingCommas(closed);
    const next = text.slice(end).search(/[{[]/);
    start = next < 0 ? -1 : end + next;
  }
}
