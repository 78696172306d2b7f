import { findAnnotationBox, isUnseen, readAnnotations } from '../engine/annotations';
import { readGlyphs } from '../engine/glyphs';
import type { Pdfium } from '../engine/pdfium';
import { type Box, holds } from '../geometry/box';
import type { Frame } from '../geometry/frame';
import type { Glyph } from '../geometry/page';

/** The subtypes and the field type whose text is only in their appearance, as pdfium numbers them. */
const subtypes = { stamp: 13, widget: 20 } as const;
const signature = 7;
/** An appearance of this length in bytes is only the zero at its end. */
const emptyAppearance = 2;
const normalAppearance = 0;
const asOnScreen = 0;
/** Glyphs closer than this, in points, are the same one. */
const samePlace = 0.5;

/** The boxes of the signatures and stamps of a page that have an appearance. `form` is 0 if the document has no form. */
export function findAppearances(pdfium: Pdfium, { page, form }: { page: number; form: number }, frame: Frame): Box[] {
  return readAnnotations(pdfium, page, (annotation) => {
    const subtype = pdfium._FPDFAnnot_GetSubtype(annotation);
    const isSignature =
      subtype === subtypes.widget && form !== 0 && pdfium._FPDFAnnot_GetFormFieldType(form, annotation) === signature;
    if ((!isSignature && subtype !== subtypes.stamp) || isUnseen(pdfium, annotation)) return undefined;
    if (!hasAppearance(pdfium, annotation)) return undefined;
    return findAnnotationBox(pdfium, annotation, frame);
  });
}

/** True if the file has a drawing of the annotation. */
export function hasAppearance(pdfium: Pdfium, annotation: number): boolean {
  return pdfium._FPDFAnnot_GetAP(annotation, normalAppearance, 0, 0) > emptyAppearance;
}

/**
 * The glyphs that annotations show in these boxes. The engine reads no text of annotations, so it draws them into the
 * page first: `copy` is a separate document, because its page has no annotations afterwards.
 */
export function readAppearances(
  pdfium: Pdfium,
  { copy, pageNo, printed }: { copy: number; pageNo: number; printed: readonly Glyph[] },
  { boxes, frame }: { boxes: readonly Box[]; frame: Frame },
): Glyph[] {
  if (!drawAnnotations(pdfium, copy, pageNo)) return [];
  const page = pdfium._FPDF_LoadPage(copy, pageNo - 1);
  const text = page === 0 ? 0 : pdfium._FPDFText_LoadPage(page);
  try {
    if (text === 0) return [];
    const printedPlaces = new Set(printed.flatMap((glyph) => listPlaces(glyph)));
    return readGlyphs(pdfium, text, frame).filter(
      (glyph) => boxes.some((box) => holds(box, glyph.box)) && !printedPlaces.has(formatPlace(glyph)),
    );
  } finally {
    if (text !== 0) pdfium._FPDFText_ClosePage(text);
    if (page !== 0) pdfium._FPDF_ClosePage(page);
  }
}

function drawAnnotations(pdfium: Pdfium, document: number, pageNo: number): boolean {
  const page = pdfium._FPDF_LoadPage(document, pageNo - 1);
  if (page === 0) return false;
  const isDrawn = pdfium._FPDFPage_Flatten(page, asOnScreen) !== 0;
  pdfium._FPDF_ClosePage(page);
  return isDrawn;
}

function formatPlace({ text, box }: Glyph, right = 0, up = 0): string {
  return `${text} ${Math.round(box.l / samePlace) + right} ${Math.round(box.b / samePlace) + up}`;
}

/** The place of a glyph and those around it, because places are rounded. */
function listPlaces(glyph: Glyph): string[] {
  return [-1, 0, 1].flatMap((right) => [-1, 0, 1].map((up) => formatPlace(glyph, right, up)));
}
