/** A token of SQL text. `depth` counts the open parentheses and brackets around it. */
export interface SqlToken {
  /** `word`: a keyword or plain name. `name`: a quoted name, without quotes. `text`: a literal. `sign`: anything else. */
  kind: 'word' | 'name' | 'text' | 'sign';
  text: string;
  depth: number;
}

const patterns: readonly [SqlToken['kind'] | 'nothing', RegExp][] = [
  ['nothing', /\s+|--[^\n]*|\/\*[\s\S]*?\*\//y],
  ['text', /[eE]'(?:[^'\\]|\\[\s\S]|'')*'|[xX]?'(?:[^']|'')*'|\$([A-Za-z_]*)\$[\s\S]*?\$\1\$/y],
  ['name', /"(?:[^"]|"")*"/y],
  ['text', /(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?/y],
  ['word', /[\p{L}_][\p{L}\p{N}_$]*/uy],
  ['sign', /[^'"]/uy],
];

/**
 * The tokens of a text; undefined when a quote, comment or parenthesis is not closed, or a closing parenthesis has no opening
 * one.
 */
export function tokenizeSql(sql: string): SqlToken[] | undefined {
  const tokens: SqlToken[] = [];
  const open: string[] = [];
  for (let position = 0; position < sql.length;) {
    const end = match(sql, position);
    // A closed comment would have matched, so this one is open.
    if (!end || (end.kind === 'sign' && sql.startsWith('/*', position))) return undefined;
    position += end.text.length;
    if (end.kind === 'nothing') continue;
    if (end.kind === 'sign' && ')]}'.includes(end.text) && open.pop() !== end.text) return undefined;
    tokens.push({
      kind: end.kind,
      text: end.kind === 'name' ? end.text.slice(1, -1).replaceAll('""', '"') : end.text,
      depth: open.length,
    });
    const closing = end.kind === 'sign' ? { '(': ')', '[': ']', '{': '}' }[end.text] : undefined;
    if (closing) open.push(closing);
  }
  return open.length === 0 ? tokens : undefined;
}

function match(sql: string, position: number): { kind: SqlToken['kind'] | 'nothing'; text: string } | undefined {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = position;
    const text = pattern.exec(sql)?.[0];
    if (text) return { kind, text };
  }
  return undefined;
}

/** True for the keyword in any letter case, but not for a quoted name. */
export function isWord(token: SqlToken | undefined, ...words: string[]): boolean {
  return token?.kind === 'word' && words.includes(token.text.toLowerCase());
}
