/** Deeper data are cut: nobody reads them in a line. */
const maxDepth = 50;

/**
 * Data as a line of text, in the notation of Python that readers of the reference's output know: `{'a': [1, True, None]}`.
 * With `floats`, whole numbers have their fraction, `1.0`.
 */
export function literal(value: unknown, { floats = false } = {}, depth = 0): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return floats && Number.isInteger(value) ? value.toFixed(1) : String(value);
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object') return '';
  if (depth > maxDepth) return '...';
  const inside = (part: unknown) => literal(part, { floats }, depth + 1);
  if (Array.isArray(value)) return `[${value.map(inside).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, part]) => `${quoted(key)}: ${inside(part)}`)
    .join(', ')}}`;
}

/** Between single quotes, or double ones when the text has single ones only. */
function quoted(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
  return mark + (mark === "'" ? escaped.replaceAll("'", "\\'") : escaped) + mark;
}
