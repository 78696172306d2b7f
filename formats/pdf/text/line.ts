import type { Box } from '../geometry/box';
import type { CellTag, Font, Glyph } from '../geometry/page';

/** Adjacent glyphs without a space between them. */
export interface Word {
  text: string;
  box: Box;
  size: number;
  font: Font;
  /** The font of most letters, if it differs from that of the first glyph. */
  main?: Font;
  /** The parts of a word that is partly bold or italic, from left to right. */
  styles?: readonly StyledPart[];
  /** The parts of a word that is partly raised or lowered, from left to right. */
  scripts?: readonly ScriptPart[];
  /** The baseline is above or below that of the line, as for note numbers. */
  raised: boolean;
  /** The baseline of a `raised` word is below that of the line. */
  lowered?: boolean;
  /** The glyphs of a word that may be part of a formula within its line. */
  signs?: readonly Glyph[];
  /** The cell of a table in a tagged PDF. */
  cell?: CellTag;
  /** The word belongs to the value of a form field. */
  isEntry?: boolean;
  /** The word is tagged as the label of a list item. */
  isLabel?: boolean;
}

/** Letters of a word in one font, or in fonts of one weight and slant. */
export interface StyledPart {
  length: number;
  font: Font;
}

/** Letters of a word on one baseline: `m` and the raised `2` of an area. */
export interface ScriptPart {
  length: number;
  script: 'baseline' | 'super' | 'sub';
}

/** Words on one baseline without a wide gap: a line of a column, or the text of a table cell. */
export interface Line {
  text: string;
  words: Word[];
  box: Box;
  baseline: number;
  /** The type size of most characters. */
  size: number;
  bold: boolean;
  italic: boolean;
  mono: boolean;
  /** The font family of most characters, without weight and slant. */
  family: string;
  /** Rotated relative to the rest of the page. */
  isAside: boolean;
  /** Position in drawing order. */
  order: number;
  /** The line is a displayed formula with all its parts. */
  isFormula?: boolean;
  /** The glyphs of a line that may be a formula, or a part of one. */
  signs?: readonly Glyph[];
  /** The structure tag in a tagged PDF, if all letters share it. */
  tag?: string;
}
