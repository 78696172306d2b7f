import type { Box } from '../geometry/box';
import type { Frame } from '../geometry/frame';
import { isUnseen, readAnnotations, readCorners } from './annotations';
import type { Pdfium } from './pdfium';

/** The subtype of text that a reviewer struck out, as pdfium numbers it. */
const strikeOut = 12;
/** Areas of one annotation; a struck paragraph has one for each line. */
const maxAreas = 1_000;

/** The areas of text that reviewers struck out, in frame coordinates. */
export function readStruckAreas(pdfium: Pdfium, page: number, frame: Frame): Box[] {
  return readAnnotations(pdfium, page, (annotation) => {
    if (pdfium._FPDFAnnot_GetSubtype(annotation) !== strikeOut || isUnseen(pdfium, annotation)) return undefined;
    const count = Math.min(pdfium._FPDFAnnot_CountAttachmentPoints(annotation), maxAreas);
    return Array.from({ length: count }, (_, index) =>
      readCorners(pdfium, frame, (address) => pdfium._FPDFAnnot_GetAttachmentPoints(annotation, index, address)),
    ).filter((box) => box !== undefined);
  }).flat();
}
