import { parseJsonText } from './json-text';
import { type Attributes, isRecord } from './value';

/**
 * The JSON object in a model's answer: whole, in a code fence, after thoughts or prose, with trailing commas, or cut off
 * (then closed where the last whole member ends). Undefined when there is none.
 */
export function objectInAnswer(answer: string): Attributes | undefined {
  const text = answer.replace(/^\ufeff/, '').replace(/<think>[\s\S]*?(?:<\/think>|$)/g, '');
  for (const candidate of candidates(text)) {
    const value = parsed(candidate);
    if (isRecord(value)) return value;
  }
  return undefined;
}

function* candidates(text: string): Generator<string> {
  yield text.trim();
  const fenced = /```(?:json)?\s*([\s\S]*?)(?:```|$)/i.exec(text)?.[1];
  if (fenced) yield fenced.trim();
  const start = text.indexOf('{');
  if (start < 0) return;
  const { whole, closed } = outline(text, start);
  yield whole;
  yield withoutTrailingCommas(whole);
  if (closed !== undefined) yield withoutTrailingCommas(closed);
}

function parsed(text: string) {
  try {
    return parseJsonText(text);
  } catch {
    // No JSON: the next candidate may be.
    return undefined;
  }
}

// Follows brackets and strings from the first brace: to its end, or for a text that stops before, to the last whole member.
function outline(text: string, start: number): { whole: string; closed?: string } {
  const open: string[] = [];
  let isString = false;
  let safe: string | undefined;
  for (let index = start; index < text.length; index++) {
    const char = text[index];
    if (isString) {
      if (char === '\\') index++;
      else if (char === '"') isString = false;
      continue;
    }
    if (char === '"') isString = true;
    if (char === '{') open.push('}');
    if (char === '[') open.push(']');
    if (char === ',') safe = text.slice(start, index) + open.toReversed().join('');
    if (char !== '}' && char !== ']') continue;
    open.pop();
    if (open.length === 0) return { whole: text.slice(start, index + 1) };
    safe = text.slice(start, index + 1) + open.toReversed().join('');
  }
  return { whole: text.slice(start), closed: safe };
}

function withoutTrailingCommas(text: string): string {
  return text.replace(
    /("(?:\\.|[^"\\])*")|,(\s*[}\]])/g,
    (_match, string?: string, end?: string) => string ?? end ?? '',
  );
}
