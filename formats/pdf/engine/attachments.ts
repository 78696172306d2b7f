import { readAnnotations, readWideText } from './annotations';
import { allocate, type Pdfium } from './pdfium';

/** A file attached to a PDF. */
export interface PdfAttachment {
  name: string;
  bytes: Uint8Array;
}

/** The subtype of paper clips on pages, as pdfium numbers it. */
const fileAttachment = 17;
/** A damaged file may claim any number. */
const maxAttachments = 10_000;
/** Only malicious files attach more. */
const maxBytes = 512 * 1024 * 1024;

/** Number of files attached to the document as a whole. */
export function countAttachments(pdfium: Pdfium, document: number): number {
  return Math.min(pdfium._FPDFDoc_GetAttachmentCount(document), maxAttachments);
}

/** Number of files attached to places of a page. */
export function countPageAttachments(pdfium: Pdfium, page: number): number {
  return readAnnotations(pdfium, page, (annotation) => (isAttached(pdfium, annotation) ? true : undefined)).length;
}

/** The files of the document, then those of its pages. Files without content are skipped. */
export function readAttachments(pdfium: Pdfium, document: number): PdfAttachment[] {
  const files: PdfAttachment[] = [];
  let left = maxBytes;
  const take = (attachment: number) => {
    const file = attachment === 0 ? undefined : readAttachment(pdfium, attachment, left);
    if (file === undefined || files.length >= maxAttachments) return;
    left -= file.bytes.length;
    files.push(file);
  };
  for (let index = 0; index < countAttachments(pdfium, document); index += 1)
    take(pdfium._FPDFDoc_GetAttachment(document, index));
  const pages = pdfium._FPDF_GetPageCount(document);
  for (let index = 0; index < pages; index += 1) {
    const page = pdfium._FPDF_LoadPage(document, index);
    if (page === 0) continue;
    readAnnotations(pdfium, page, (annotation) => {
      if (isAttached(pdfium, annotation)) take(pdfium._FPDFAnnot_GetFileAttachment(annotation));
      return undefined;
    });
    pdfium._FPDF_ClosePage(page);
  }
  return files;
}

function isAttached(pdfium: Pdfium, annotation: number): boolean {
  return pdfium._FPDFAnnot_GetSubtype(annotation) === fileAttachment;
}

function readAttachment(pdfium: Pdfium, attachment: number, maxSize: number): PdfAttachment | undefined {
  const size = allocate(pdfium, 4);
  try {
    const hasFile = pdfium._FPDFAttachment_GetFile(attachment, 0, 0, size.address) !== 0;
    const length = size.int(0) >>> 0;
    if (!hasFile || length === 0 || length > maxSize) return undefined;
    const memory = allocate(pdfium, length);
    const isRead = pdfium._FPDFAttachment_GetFile(attachment, memory.address, length, size.address) !== 0;
    const bytes = memory.bytes(length);
    memory.free();
    const name = readWideText(pdfium, (address, room) => pdfium._FPDFAttachment_GetName(attachment, address, room));
    return isRead ? { name: name.trim() === '' ? 'file' : name, bytes } : undefined;
  } finally {
    size.free();
  }
}
