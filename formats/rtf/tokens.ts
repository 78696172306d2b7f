/** The start or end of a group, a control word or symbol with its number, or bytes of text. */
export type Token =
  | { kind: 'open' }
  | { kind: 'close' }
  | { kind: 'word'; word: string; number: number | undefined }
  | { kind: 'text'; bytes: Buffer };

const word = /\\([a-zA-Z]{1,32})(-?\d{1,10})? ?/y;

/** Yields the tokens of a file (RTF 1.9.1, "Basic entities"). The data after `\bin` is skipped by its length. */
export function* iterateTokens(bytes: Buffer): Generator<Token> {
  const source = bytes.toString('latin1');
  let from = 0;
  let at = 0;
  const takeText = function* (): Generator<Token> {
    if (at > from) yield { kind: 'text', bytes: bytes.subarray(from, at) };
  };
  while (at < source.length) {
    const sign = source[at]!;
    if (sign === '{' || sign === '}') {
      yield* takeText();
      yield sign === '{' ? { kind: 'open' } : { kind: 'close' };
      at += 1;
      from = at;
    } else if (sign === '\r' || sign === '\n') {
      yield* takeText();
      at += 1;
      from = at;
    } else if (sign === '\\') {
      yield* takeText();
      word.lastIndex = at;
      const match = word.exec(source);
      if (match) {
        const number = match[2] === undefined ? undefined : Number(match[2]);
        at = word.lastIndex;
        if (match[1] === 'bin') at += Math.max(number ?? 0, 0);
        else yield { kind: 'word', word: match[1]!, number };
      } else if (source[at + 1] === "'") {
        yield { kind: 'text', bytes: Buffer.from([Number.parseInt(source.slice(at + 2, at + 4), 16) || 0x20]) };
        at += 4;
      } else {
        yield { kind: 'word', word: source[at + 1] ?? '', number: undefined };
        at += 2;
      }
      from = at;
    } else at += 1;
  }
  yield* takeText();
}
