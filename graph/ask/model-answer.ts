import { extractFenced, findJsonEnd, omitThoughts, omitTrailingCommas } from '../../model/llm/json-in-text';
import { parseJsonText } from '../core/json-text';
import { type Attributes, isRecord } from '../core/value';

/**
 * Finds the JSON object in a model's answer: on its own, in a code fence, after thoughts or prose, with trailing commas, or
 * truncated (then closed after the last complete member). Undefined when there is none.
 */
export function findObject(answer: string): Attributes | undefined {
  for (const candidate of iterateCandidates(omitThoughts(answer))) {
    const value = parseAnswer(candidate);
    if (isRecord(value)) return value;
  }
  return undefined;
}

function* iterateCandidates(text: string): Generator<string> {
  yield text.trim();
  const fenced = extractFenced(text);
  if (fenced) yield fenced.trim();
  const start = text.indexOf('{');
  if (start < 0) return;
  const { end, closed } = findJsonEnd(text, start);
  const whole = text.slice(start, end);
  yield whole;
  yield omitTrailingCommas(whole);
  if (closed !== undefined) yield omitTrailingCommas(closed);
}

function parseAnswer(text: string) {
  try {
    return parseJsonText(text);
  } catch {
    // Not JSON; try the next candidate.
    return undefined;
  }
}
