import type { Box } from '../geometry/box';
import type { Frame } from '../geometry/frame';
import { findAnnotationBox, readAnnotationEntry, isUnseen } from './annotations';
import type { Pdfium } from './pdfium';

/** A comment on a page: a note, or the comment of marked text or of a drawing. */
export interface Comment {
  text: string;
  /** Empty if unknown. */
  author: string;
  /** When it was last changed; undefined if unknown. */
  time: Date | undefined;
  box: Box;
}

/**
 * Subtypes whose `Contents` is a comment, as pdfium numbers them: Text, Line to Polyline, Highlight to StrikeOut, Stamp, Caret, Ink
 * and FileAttachment. Text typed on the page (FreeText) is part of the page.
 */
const commentSubtypes: ReadonlySet<number> = new Set([1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17]);

/** The comment of an annotation; undefined if it has none, or is hidden. */
export function findComment(pdfium: Pdfium, annotation: number, frame: Frame): Comment | undefined {
  if (!commentSubtypes.has(pdfium._FPDFAnnot_GetSubtype(annotation)) || isUnseen(pdfium, annotation)) return undefined;
  const text = readAnnotationEntry(pdfium, annotation, 'Contents').replace(/\r\n?/g, '\n').trim();
  const box = text === '' ? undefined : findAnnotationBox(pdfium, annotation, frame);
  if (!box) return undefined;
  const time = readAnnotationEntry(pdfium, annotation, 'M') || readAnnotationEntry(pdfium, annotation, 'CreationDate');
  return { text, author: readAnnotationEntry(pdfium, annotation, 'T').trim(), time: readTime(time), box };
}

/** Reads a date such as `D:20260104054807+01'00'` (ISO 32000-1, 7.9.4). Without an offset, it counts as UTC. */
function readTime(text: string): Date | undefined {
  const parts = /^D:(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?(?:Z|([+-]\d\d)'?(\d\d)?)?/.exec(text);
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second = '00', offset, minutes = '00'] = parts;
  const zone = offset === undefined ? 'Z' : `${offset}:${minutes}`;
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
  return Number.isNaN(time.getTime()) ? undefined : time;
}
