/** Data nested more deeply is truncated. */
const maxDepth = 50;

/**
 * Formats data on one line in Python notation, as in the output of the reference: `{'a': [1, True, None]}`. With `floats`,
 * integers get a fraction: `1.0`.
 */
export function formatPythonLiteral(value: unknown, { floats = false } = {}, depth = 0): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return floats && Number.isInteger(value) ? value.toFixed(1) : String(value);
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object') return '';
  if (depth > maxDepth) return '...';
  const inside = (part: unknown) => formatPythonLiteral(part, { floats }, depth + 1);
  if (Array.isArray(value)) return `[${value.map(inside).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, part]) => `${quote(key)}: ${inside(part)}`)
    .join(', ')}}`;
}

/** Quotes with single quotes, or with double quotes if the text contains only single quotes. */
function quote(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
  return mark + (mark === "'" ? escaped.replaceAll("'", "\\'") : escaped) + mark;
}
