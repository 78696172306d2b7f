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
  const expectedClosings: string[] = [];
  for (let position = 0; position < sql.length;) {
    const read = readToken(sql, position);
    // A closed comment would have matched, so this one is open.
    if (!read || (read.kind === 'sign' && sql.startsWith('/*', position))) return undefined;
    const { kind, text } = read;
    position += text.length;
    if (kind === 'nothing') continue;
    if (kind === 'sign' && ')]}'.includes(text) && expectedClosings.pop() !== text) return undefined;
    tokens.push({
      kind,
      text: kind === 'name' ? text.slice(1, -1).replaceAll('""', '"') : text,
      depth: expectedClosings.length,
    });
    const closing = kind === 'sign' ? { '(': ')', '[': ']', '{': '}' }[text] : undefined;
    if (closing) expectedClosings.push(closing);
  }
  return expectedClosings.length === 0 ? tokens : undefined;
}

/** The token at the position; undefined where none of the patterns matches, such as at an open quote. */
function readToken(sql: string, position: number): { kind: SqlToken['kind'] | 'nothing'; text: string } | undefined {
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
