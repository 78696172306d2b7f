import type { ReadOptions } from '../format';

/** A table of any length whose rows are read one after the other. */
export interface RowSheet {
  /** Name of the sheet; undefined for files that are one table. */
  name: string | undefined;
  isHidden: boolean;
  /** The first row is the header. Rows may have different lengths. Can be read once. */
  rows: Iterable<readonly string[]>;
}

/**
 * Reads the tables of a file row by row, with memory that does not grow with their number. Throws what a reader throws, also
 * while rows are taken.
 */
export type ReadSheets = (bytes: Uint8Array, options: Pick<ReadOptions, 'name' | 'limits'>) => Iterable<RowSheet>;

/** Of formats whose tables may be too large for a document of cells. */
export interface RowReading {
  /** Smaller files are never read row by row. */
  leastBytes: number;
  /** True if the file is read row by row. Looks at sizes only, and never throws. */
  isLarge: (bytes: Uint8Array) => boolean;
  load: () => Promise<{ readSheets: ReadSheets }>;
}
