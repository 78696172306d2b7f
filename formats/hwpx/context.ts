import type { DocumentBuilder } from '../../document/builder';
import type { ImageRef, NodeItem } from '../../document/model';
import type { RecordOmission } from '../coverage';
import { listDescendants, type XmlElement } from '../xml/xml';
import { readPieces, type TextState } from './runs';

/** The state of reading a document. */
export interface Reading {
  builder: DocumentBuilder;
  text: TextState;
  image: (id: string) => ImageRef | undefined;
  recordOmission: RecordOmission;
  addBlocks(reading: Reading, paragraphs: readonly XmlElement[], place: Place): void;
  /** Headers and footers added so far, since each section repeats them. */
  furniture: Set<string>;
}

/** Where blocks are added. */
export interface Place {
  parent: NodeItem;
}

/** Counts a paragraph, and returns its number or bullet as shown; empty if it has none. */
export function readMarker({ text: { styles } }: Reading, paragraph: XmlElement): string {
  const { level, bullet, numbering } = styles.getKind(paragraph);
  return bullet ?? (numbering === undefined ? '' : styles.nextNumber(numbering, level));
}

/** Returns the texts of all paragraphs within an element, also those in its tables and boxes, as lines with their numbers. */
export function readBlockText(reading: Reading, element: XmlElement | undefined): string {
  if (!element) return '';
  return listDescendants(element, 'hp:p')
    .map((paragraph) => {
      const pieces = readPieces(paragraph, reading.text);
      const line = pieces.flatMap((piece) => ('runs' in piece ? piece.runs.map(({ text }) => text) : [])).join('');
      return line.trim() === '' ? '' : [readMarker(reading, paragraph), line].filter(Boolean).join(' ');
    })
    .filter((line) => line !== '')
    .join('\n');
}
