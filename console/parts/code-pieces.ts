/** A piece of a message: running text, or a name that the message has set between backticks. */
interface Piece {
  value: string;
  isCode: boolean;
}

/** Splits a message at its names between backticks. A single backtick stays as it is. */
export function splitCode(text: string): Piece[] {
  return text
    .split(/(`[^`\n]+`)/)
    .map((piece, index) =>
      index % 2 === 1 ? { value: piece.slice(1, -1), isCode: true } : { value: piece, isCode: false },
    )
    .filter(({ value }) => value !== '');
}
