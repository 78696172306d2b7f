import type { Box } from '../geometry/box';
import type { Font } from '../geometry/page';

/** Glyphs that stand together without a space. */
export interface Word {
  text: string;
  box: Box;
  size: number;
  font: Font;
  /** The font of most of its letters, where that is another than the one of its first sign. */
  main?: Font;
  /** Baseline above or below that of the line, as for note numbers. */
  raised: boolean;
}

/** Words on one baseline with no wide gap between them: a line of a column, or the text of a table cell. */
export interface Line {
  text: string;
  words: Word[];
  box: Box;
  baseline: number;
  /** The size of most characters. */
  size: number;
  bold: boolean;
  italic: boolean;
  mono: boolean;
  /** The family in which most characters are set, without weight and slant. */
  family: string;
  /** Set across the rest of the page. */
  isAside: boolean;
  /** Place in the order in which the page is drawn. */
  order: number;
  /** A displayed formula with all its parts. */
  isFormula?: boolean;
  /** What a tagged PDF says it is part of, where all its letters agree. */
  tag?: string;
}
