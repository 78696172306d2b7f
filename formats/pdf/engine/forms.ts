import type { Box } from '../geometry/box';
import { type Frame, frameBox } from '../geometry/frame';
import { allocate, type Pdfium } from './pdfium';

/** Text on a page outside its content stream: the value of a form field, or a comment typed on the page. */
export interface Entry {
  text: string;
  box: Box;
  /** True if the text is the symbol of a checkbox or radio button. */
  isSign: boolean;
}

/** Annotation subtypes, field types and flags, as pdfium and ISO 32000-1 (12.5.3, 12.7.4.3) number them. */
const subtypes = { freeText: 3, widget: 20 } as const;
const fieldTypes = { checkBox: 2, radioButton: 3, comboBox: 4, listBox: 5, text: 6 } as const;
const unseen = (1 << 1) | (1 << 5);
const password = 1 << 13;
/** Only malicious files have pages with more annotations. */
const mostAnnotations = 5_000;
const mostBytes = 65_536;
/** FPDF_FORMFILLINFO: its version, followed by callbacks that reading does not use. */
const formInfo = { bytes: 512, version: 2 };

/** The forms of an open document. */
export interface Forms {
  /** The field values and typed comments of a page, with boxes in frame coordinates. */
  entries(page: number, frame: Frame): Entry[];
  close(): void;
}

/** Opens the forms of a document; the caller must close them before the document. */
export function openForms(pdfium: Pdfium, document: number): Forms {
  const info = allocate(pdfium, formInfo.bytes);
  pdfium.HEAPU8.fill(0, info.address, info.address + formInfo.bytes);
  pdfium.HEAP32[info.address >> 2] = formInfo.version;
  const hasForm = pdfium._FPDF_GetFormType(document) > 0;
  const form = hasForm ? pdfium._FPDFDOC_InitFormFillEnvironment(document, info.address) : 0;
  return {
    entries: (page, frame) => readEntries({ pdfium, form, frame }, page),
    close() {
      if (form !== 0) pdfium._FPDFDOC_ExitFormFillEnvironment(form);
      info.free();
    },
  };
}

interface Reader {
  pdfium: Pdfium;
  /** 0 if the document has no form. */
  form: number;
  frame: Frame;
}

function readEntries(reader: Reader, page: number): Entry[] {
  const { pdfium } = reader;
  const count = Math.min(pdfium._FPDFPage_GetAnnotCount(page), mostAnnotations);
  const entries: Entry[] = [];
  for (let index = 0; index < count; index += 1) {
    const annotation = pdfium._FPDFPage_GetAnnot(page, index);
    if (annotation === 0) continue;
    const entry = readEntry(reader, annotation);
    if (entry) entries.push(entry);
    pdfium._FPDFPage_CloseAnnot(annotation);
  }
  return entries;
}

function readEntry({ pdfium, form, frame }: Reader, annotation: number): Entry | undefined {
  const subtype = pdfium._FPDFAnnot_GetSubtype(annotation);
  const isField = subtype === subtypes.widget && form !== 0;
  if (!isField && subtype !== subtypes.freeText) return undefined;
  if ((pdfium._FPDFAnnot_GetFlags(annotation) & unseen) !== 0) return undefined;
  const box = boxOf(pdfium, annotation, frame);
  if (!box) return undefined;
  if (!isField) return written(box, entryOf(pdfium, annotation, 'Contents'));
  const type = pdfium._FPDFAnnot_GetFormFieldType(form, annotation);
  if (type === fieldTypes.checkBox || type === fieldTypes.radioButton)
    return { text: isTicked(pdfium, annotation) ? '☒' : '☐', box, isSign: true };
  if (type !== fieldTypes.text && type !== fieldTypes.comboBox && type !== fieldTypes.listBox) return undefined;
  if ((pdfium._FPDFAnnot_GetFormFieldFlags(form, annotation) & password) !== 0 && type === fieldTypes.text)
    return undefined;
  return written(
    box,
    readText(pdfium, (address, bytes) => pdfium._FPDFAnnot_GetFormFieldValue(form, annotation, address, bytes)),
  );
}

function written(box: Box, text: string): Entry | undefined {
  return text.trim() === '' ? undefined : { text, box, isSign: false };
}

function boxOf(pdfium: Pdfium, annotation: number, frame: Frame): Box | undefined {
  const memory = allocate(pdfium, 16);
  // FS_RECTF: left, top, right, bottom.
  const known = pdfium._FPDFAnnot_GetRect(annotation, memory.address) !== 0;
  const box = frameBox(frame, memory.float(0), memory.float(3), memory.float(2), memory.float(1));
  memory.free();
  return known && box.r > box.l && box.t > box.b ? box : undefined;
}

/** The appearance state of an unticked box; any other state means ticked. */
const untickedState = 'Off';

function isTicked(pdfium: Pdfium, annotation: number): boolean {
  const state = entryOf(pdfium, annotation, 'AS') || entryOf(pdfium, annotation, 'V');
  return state !== '' && state !== untickedState;
}

/** A string or name in an annotation's dictionary; empty if there is none. */
function entryOf(pdfium: Pdfium, annotation: number, name: string): string {
  const key = new TextEncoder().encode(`${name}\0`);
  const memory = allocate(pdfium, key.length);
  pdfium.HEAPU8.set(key, memory.address);
  const text = readText(pdfium, (address, bytes) =>
    pdfium._FPDFAnnot_GetStringValue(annotation, memory.address, address, bytes),
  );
  memory.free();
  return text;
}

/** Reads zero-terminated UTF-16 from pdfium: the first call returns the length, the second the text. */
function readText(pdfium: Pdfium, call: (address: number, bytes: number) => number): string {
  const bytes = Math.min(call(0, 0), mostBytes);
  if (bytes <= 2) return '';
  const memory = allocate(pdfium, bytes);
  call(memory.address, bytes);
  const text = new TextDecoder('utf-16le').decode(memory.bytes(bytes - 2));
  memory.free();
  return text;
}
