import type { Box } from '../geometry/box';
import type { Word } from '../text/line';

/** Words of one cell on one baseline. */
export interface Piece {
  text: string;
  box: Box;
  words: readonly Word[];
}

/** The pieces on one baseline, from left to right. */
export interface PieceRow {
  pieces: Piece[];
  baseline: number;
  size: number;
}
