import type { Stretch } from './properties';
import type { Stories } from './structure';

/** The streams of a binary Word document, with its text in order (MS-DOC 2.4.1). */
export interface WordFile {
  main: Buffer;
  /** The table stream: everything except the text. */
  table: Buffer;
  data: Buffer;
  /** All stories, one after another. */
  text: string;
  /** The range of each story in the text. */
  stories: Stories;
  /** Returns the offset of a character in the main stream. */
  getOffset(position: number): number;
  /** Returns a structure of the table stream by its index in the header (MS-DOC 2.5.6); empty if there is none. */
  structure(index: number): Buffer;
  /** Returns the table stream from the start of a structure, for structures longer than their stated length. */
  from(index: number): Buffer;
  /** True for Word 6 and 95, whose structures are shorter. */
  isOld: boolean;
  /** Properties of paragraphs or characters by position. */
  stretches(kind: 'paragraph' | 'character'): Stretch[];
}
