import type { Line } from '../text/line';

/** Monospaced names, and the first lines of the text beside them. */
export interface NamesBeside {
  names: ReadonlySet<Line>;
  described: ReadonlySet<Line>;
}

/** This many names with words at one left edge beside them are terms, even if no words continue below. */
const minNames = 3;

/**
 * Monospaced names at the left of paragraphs, as in the margin or in a list of definitions: the text beside one continues below
 * it at about the same left edge, or several have text at one left edge beside them.
 */
export function findNames(rows: readonly { lines: readonly Line[] }[]): NamesBeside {
  const pairs = rows.flatMap(({ lines: [name, text] }): [Line, Line][] =>
    name?.mono && text && !text.mono && name.words.length <= 2 ? [[name, text]] : [],
  );
  const starts = rows.flatMap(({ lines: [line] }) => (line && isText(line) ? [line] : []));
  const isContinued = (text: Line) =>
    starts.some(({ box, size, baseline }) => {
      const distance = text.baseline - baseline;
      return distance > 0 && distance < 2.5 * size && Math.abs(box.l - text.box.l) < 2.5 * size;
    });
  const level = pairs.filter(([, text]) => {
    const alike = pairs.filter(([, other]) => Math.abs(other.box.l - text.box.l) < 1);
    // The same word beside all of them is that of a button.
    return alike.length >= minNames && alike.some(([, other]) => other.text !== text.text);
  });
  const isFound = level.length > 0 || pairs.some(([, text]) => isText(text) && isContinued(text));
  return {
    names: new Set(isFound ? pairs.map(([name]) => name) : []),
    described: new Set(level.map(([, text]) => text)),
  };
}

function isText({ mono, words }: Line): boolean {
  return !mono && words.length > 3;
}
