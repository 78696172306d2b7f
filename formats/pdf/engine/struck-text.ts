import type { Box } from '../geometry/box';
import type { Frame } from '../geometry/frame';
import { isUnseen, readAnnotations, readCorners } from './annotations';
import type { Pdfium } from './pdfium';

/** The subtype of text that a reviewer struck out, as pdfium numbers it. */
const strikeOut = 12;
/** Areas of a page; a struck paragraph has one for each line. Only malicious files have more. */
const maxAreas = 2_000;

/** The areas of text that reviewers struck out, in frame coordinates. */
export function readStruckAreas(pdfium: Pdfium, page: number, frame: Frame): Box[] {
  let left = maxAreas;
  return readAnnotations(pdfium, page, (annotation) => {
    if (pdfium._FPDFAnnot_GetSubtype(annotation) !== strikeOut || isUnseen(pdfium, annotation)) return undefined;
    const count = Math.min(pdfium._FPDFAnnot_CountAttachmentPoints(annotation), left);
    left -= count;
    return Array.from({ length: count }, (_, index) =>
      readCorners(pdfium, frame, (address) => pdfium._FPDFAnnot_GetAttachmentPoints(annotation, index, address)),
    ).filter((box) => box !== undefined);
  }).flat();
}
