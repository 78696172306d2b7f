import { fencedIn, outlineOf, withoutThoughts, withoutTrailingCommas } from '../../model/llm/json-in-text';

/** A JSON value found in a text; undefined members cannot occur in it. */
export interface FoundJson {
  value: unknown;
  /** True where the text was no JSON as it stood, or stopped before its end. */
  isMended: boolean;
}

/**
 * The JSON object or array in a model's answer: whole, in a code fence, after thoughts or prose, with trailing commas, or cut
 * off (then closed where the last whole member ends). Undefined when there is none.
 */
export function jsonInAnswer(answer: string): FoundJson | undefined {
  const whole = parsed(answer);
  if (whole) return { value: whole.value, isMended: false };
  const text = withoutThoughts(answer);
  const fenced = fencedIn(text);
  for (const candidate of [text, ...(fenced ? [fenced] : []), ...fragments(text)]) {
    const found = parsed(candidate);
    if (found) return { value: found.value, isMended: true };
  }
  return undefined;
}

/** Only objects and arrays: a bare word or number in prose is no answer. */
function parsed(text: string): { value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text.trim());
    return typeof value === 'object' && value !== null ? { value } : undefined;
  } catch {
    // No JSON: another piece of the answer may be.
    return undefined;
  }
}

/** Pieces that begin with a bracket; the first few brackets only, so that prose full of them costs no quadratic time. */
function* fragments(text: string): Generator<string> {
  let tried = 0;
  for (let start = text.search(/[{[]/); start >= 0 && tried < 10; tried++) {
    const { end, closed } = outlineOf(text, start);
    const piece = text.slice(start, end);
    yield piece;
    yield withoutTrailingCommas(piece);
    if (closed !== undefined) yield withoutTrailingCommas(closed);
    const next = text.slice(end).search(/[{[]/);
    start = next < 0 ? -1 : end + next;
  }
}
