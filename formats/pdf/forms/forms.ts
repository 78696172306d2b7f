import { findAnnotationBox, readAnnotationEntry, isUnseen, readAnnotations, readWideText } from '../engine/annotations';
import { type Comment, findComment } from '../engine/comments';
import { allocate, type Pdfium } from '../engine/pdfium';
import type { Box } from '../geometry/box';
import type { Frame } from '../geometry/frame';
import { findAppearances, hasAppearance } from './appearances';

/** Text on a page outside its content stream: the value of a form field, or a comment typed on the page. */
export interface Entry {
  text: string;
  box: Box;
  /**
   * `sign`: the symbol of a check box or radio button; `value`: that of another field; `number`: a value with an appearance, in
   * which a script of the form may have written it differently (`302.8` as `302,80`); `comment`: text typed on the page.
   */
  kind: 'sign' | 'value' | 'number' | 'comment';
}

/** Annotation subtypes, field types and flags, as pdfium and ISO 32000-1 (12.5.3, 12.7.4.3) number them. */
const subtypes = { freeText: 3, widget: 20 } as const;
const fieldTypes = { checkBox: 2, radioButton: 3, comboBox: 4, listBox: 5, text: 6 } as const;
const password = 1 << 13;
/** Only malicious files have fields with more options. */
const maxOptions = 2_000;
const plainNumber = /^[-+]?[\d.,]+$/;
/** The type of a form that `FPDF_GetFormType` returns for a catalog with `NeedsRendering`. */
const xfaForm = 2;
/** FPDF_FORMFILLINFO: its version, followed by callbacks that reading does not use. */
const formInfo = { bytes: 512, version: 2 };

/** The forms of an open document. */
export interface Forms {
  /** True for a form in Adobe's XFA language without pages of its own: what the pages show is a substitute. */
  isXfa: boolean;
  /** The field values and typed comments of a page, with boxes in frame coordinates. */
  readEntries(page: number, frame: Frame): Entry[];
  /** The comments of a page, with boxes in frame coordinates. */
  readComments(page: number, frame: Frame): Comment[];
  /** The boxes of signatures and stamps with text or drawings, in frame coordinates. */
  listAppearances(page: number, frame: Frame): Box[];
  close(): void;
}

/** Opens the forms of a document; the caller must close them before the document. */
export function openForms(pdfium: Pdfium, document: number): Forms {
  const info = allocate(pdfium, formInfo.bytes);
  pdfium.HEAPU8.fill(0, info.address, info.address + formInfo.bytes);
  pdfium.HEAP32[info.address >> 2] = formInfo.version;
  const formType = pdfium._FPDF_GetFormType(document);
  const form = formType > 0 ? pdfium._FPDFDOC_InitFormFillEnvironment(document, info.address) : 0;
  return {
    isXfa: formType === xfaForm,
    readEntries: (page, frame) =>
      readAnnotations(pdfium, page, (annotation) => readEntry({ pdfium, form, frame }, annotation)),
    readComments: (page, frame) =>
      readAnnotations(pdfium, page, (annotation) => findComment(pdfium, annotation, frame)),
    listAppearances: (page, frame) => findAppearances(pdfium, { page, form }, frame),
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

function readEntry({ pdfium, form, frame }: Reader, annotation: number): Entry | undefined {
  const subtype = pdfium._FPDFAnnot_GetSubtype(annotation);
  const isField = subtype === subtypes.widget && form !== 0;
  if (!isField && subtype !== subtypes.freeText) return undefined;
  if (isUnseen(pdfium, annotation)) return undefined;
  const box = findAnnotationBox(pdfium, annotation, frame);
  if (!box) return undefined;
  if (!isField) return createEntry('comment', box, readAnnotationEntry(pdfium, annotation, 'Contents'));
  const type = pdfium._FPDFAnnot_GetFormFieldType(form, annotation);
  if (type === fieldTypes.checkBox || type === fieldTypes.radioButton)
    return { text: isTicked(pdfium, annotation) ? '☒' : '☐', box, kind: 'sign' };
  const value = () =>
    readWideText(pdfium, (address, bytes) => pdfium._FPDFAnnot_GetFormFieldValue(form, annotation, address, bytes));
  if (type === fieldTypes.comboBox || type === fieldTypes.listBox)
    return createEntry('value', box, readChosenLabels(pdfium, form, annotation) || value());
  if (type !== fieldTypes.text) return undefined;
  if ((pdfium._FPDFAnnot_GetFormFieldFlags(form, annotation) & password) !== 0) return undefined;
  const text = value();
  const isNumber = plainNumber.test(text) && hasAppearance(pdfium, annotation);
  return createEntry(isNumber ? 'number' : 'value', box, text);
}

function createEntry(kind: Entry['kind'], box: Box, text: string): Entry | undefined {
  return text.trim() === '' ? undefined : { text, box, kind };
}

/** The labels of the chosen options, one per line. The value of the field may have other texts, which no reader sees. */
function readChosenLabels(pdfium: Pdfium, form: number, annotation: number): string {
  const count = Math.min(pdfium._FPDFAnnot_GetOptionCount(form, annotation), maxOptions);
  const labels: string[] = [];
  for (let index = 0; index < count; index += 1) {
    if (pdfium._FPDFAnnot_IsOptionSelected(form, annotation, index) !== 1) continue;
    labels.push(
      readWideText(pdfium, (address, bytes) =>
        pdfium._FPDFAnnot_GetOptionLabel(form, annotation, index, address, bytes),
      ).trim(),
    );
  }
  return labels.join('\n');
}

/** The appearance state of an unticked box; any other state means ticked. */
const untickedState = 'Off';

function isTicked(pdfium: Pdfium, annotation: number): boolean {
  const state = readAnnotationEntry(pdfium, annotation, 'AS') || readAnnotationEntry(pdfium, annotation, 'V');
  return state !== '' && state !== untickedState;
}
