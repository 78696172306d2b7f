import { PDFiumModule } from '@hyzyla/pdfium';

type Native = (...args: number[]) => number;
type NativeName =
  | '_FPDF_LoadMemDocument'
  | '_FPDF_GetLastError'
  | '_FPDF_CloseDocument'
  | '_FPDF_GetPageCount'
  | '_FPDF_LoadPage'
  | '_FPDF_ClosePage'
  | '_FPDF_GetPageWidthF'
  | '_FPDF_GetPageHeightF'
  | '_FPDF_GetPageBoundingBox'
  | '_FPDFPage_GetRotation'
  | '_FPDFCatalog_IsTagged'
  | '_FPDF_StructTree_GetForPage'
  | '_FPDF_StructTree_Close'
  | '_FPDF_StructTree_CountChildren'
  | '_FPDF_StructTree_GetChildAtIndex'
  | '_FPDF_StructElement_GetType'
  | '_FPDF_StructElement_GetAttributeCount'
  | '_FPDF_StructElement_GetAttributeAtIndex'
  | '_FPDF_StructElement_Attr_GetValue'
  | '_FPDF_StructElement_Attr_GetNumberValue'
  | '_FPDF_StructElement_CountChildren'
  | '_FPDF_StructElement_GetChildAtIndex'
  | '_FPDF_StructElement_GetChildMarkedContentID'
  | '_FPDFPageObj_GetMarkedContentID'
  | '_FPDFPageObj_CountMarks'
  | '_FPDFPageObj_GetMark'
  | '_FPDFPageObjMark_GetName'
  | '_FPDFText_LoadPage'
  | '_FPDFText_ClosePage'
  | '_FPDFText_CountChars'
  | '_FPDFText_GetUnicode'
  | '_FPDFText_IsGenerated'
  | '_FPDFText_HasUnicodeMapError'
  | '_FPDFText_GetTextObject'
  | '_FPDFText_GetLooseCharBox'
  | '_FPDFText_GetCharBox'
  | '_FPDFText_GetCharOrigin'
  | '_FPDFText_GetFontSize'
  | '_FPDFText_GetMatrix'
  | '_FPDFTextObj_GetFont'
  | '_FPDFTextObj_GetTextRenderMode'
  | '_FPDFFont_GetBaseFontName'
  | '_FPDFFont_GetWeight'
  | '_FPDFFont_GetItalicAngle'
  | '_FPDFFont_GetFlags'
  | '_FPDFFont_GetIsEmbedded'
  | '_FPDFPage_CountObjects'
  | '_FPDFPage_GetObject'
  | '_FPDFPageObj_GetType'
  | '_FPDFPageObj_GetBounds'
  | '_FPDFPageObj_GetMatrix'
  | '_FPDFPageObj_GetFillColor'
  | '_FPDFPath_GetDrawMode'
  | '_FPDFPath_CountSegments'
  | '_FPDFPath_GetPathSegment'
  | '_FPDFPathSegment_GetPoint'
  | '_FPDFPathSegment_GetType'
  | '_FPDFPathSegment_GetClose'
  | '_FPDFFormObj_CountObjects'
  | '_FPDFFormObj_GetObject'
  | '_FPDFDoc_GetAttachmentCount'
  | '_FPDFDoc_GetAttachment'
  | '_FPDFAttachment_GetName'
  | '_FPDFAttachment_GetFile'
  | '_FPDFAnnot_GetFileAttachment'
  | '_FPDFBookmark_GetFirstChild'
  | '_FPDFBookmark_GetNextSibling'
  | '_FPDFBookmark_GetTitle'
  | '_FPDFBookmark_GetDest'
  | '_FPDFDest_GetDestPageIndex'
  | '_FPDFLink_Enumerate'
  | '_FPDFLink_GetAnnotRect'
  | '_FPDFLink_GetAction'
  | '_FPDFLink_CountQuadPoints'
  | '_FPDFLink_GetQuadPoints'
  | '_FPDFAction_GetType'
  | '_FPDFAction_GetURIPath'
  | '_FPDF_GetFormType'
  | '_FPDFDOC_InitFormFillEnvironment'
  | '_FPDFDOC_ExitFormFillEnvironment'
  | '_FPDFPage_GetAnnotCount'
  | '_FPDFPage_GetAnnot'
  | '_FPDFPage_CloseAnnot'
  | '_FPDFPage_Flatten'
  | '_FPDFAnnot_GetSubtype'
  | '_FPDFAnnot_GetAP'
  | '_FPDFAnnot_GetFlags'
  | '_FPDFAnnot_GetRect'
  | '_FPDFAnnot_CountAttachmentPoints'
  | '_FPDFAnnot_GetAttachmentPoints'
  | '_FPDFAnnot_GetStringValue'
  | '_FPDFAnnot_GetFormFieldType'
  | '_FPDFAnnot_GetFormFieldFlags'
  | '_FPDFAnnot_GetFormFieldValue'
  | '_FPDFAnnot_GetOptionCount'
  | '_FPDFAnnot_GetOptionLabel'
  | '_FPDFAnnot_IsOptionSelected'
  | '_FPDFImageObj_GetImagePixelSize'
  | '_FPDFBitmap_CreateEx'
  | '_FPDFBitmap_FillRect'
  | '_FPDFBitmap_Destroy'
  | '_FPDF_RenderPageBitmap';

interface WasmMemory {
  buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** The parts of pdfium that the reader calls; handles and addresses are numbers. */
export type Pdfium = Record<NativeName, Native> & {
  HEAPU8: Uint8Array;
  HEAP32: Int32Array;
  HEAPF32: Float32Array;
  HEAPF64: Float64Array;
  wasmExports: { malloc(bytes: number): number; free(address: number): void; memory: WasmMemory };
  _FPDF_InitLibraryWithConfig(config: object): void;
};

/** pdfium's memory never shrinks; an instance whose memory exceeds this is dropped after a document. */
const keptHeapBytes = 64 * 1024 * 1024;

const wasmPage = 64 * 1024;

// One instance per thread: pdfium is not reentrant, and loading it takes 0.1 s.
let instance: Promise<Pdfium> | undefined;

/** Loads this thread's pdfium, or returns the loaded one. */
export function loadPdfium(): Promise<Pdfium> {
  // Silence pdfium's messages about refused memory: the error for the document reports it.
  const options = { print: () => undefined, printErr: () => undefined };
  instance ??= (PDFiumModule as unknown as (options: object) => Promise<Pdfium>)(options).then((pdfium) => {
    unwrapCalls(pdfium);
    watchMemory(pdfium);
    pdfium._FPDF_InitLibraryWithConfig({
      version: 2,
      m_pIsolate: null,
      m_pUserFontPaths: null,
      m_v8EmbedderSlot: 0,
      m_pPlatform: null,
    });
    return pdfium;
  });
  return instance;
}

/** The most bytes that each engine may use for its current document, and whether a request was refused. */
const memoryOf = new WeakMap<Pdfium, { max: number; isRefused: boolean }>();

/** Refuses memory beyond the document's limit, so that data that expands inside the engine cannot fill the machine. */
function watchMemory(pdfium: Pdfium): void {
  const { memory } = pdfium.wasmExports;
  const grow = memory.grow.bind(memory);
  const state = { max: Infinity, isRefused: false };
  memoryOf.set(pdfium, state);
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * wasmPage <= state.max) return grow(pages);
    state.isRefused = true;
    throw new RangeError('The document needs more memory than its limit.');
  };
}

/** Limits the engine's memory for the document that is opened next. */
export function limitMemory(pdfium: Pdfium, bytes: number): void {
  const state = memoryOf.get(pdfium);
  if (state) Object.assign(state, { max: bytes, isRefused: false });
}

/** True if a memory request of the engine was refused for the current document. */
export function isMemoryRefused(pdfium: Pdfium): boolean {
  return memoryOf.get(pdfium)?.isRefused ?? false;
}

/** Bypasses the package's wrappers, which check and copy the arguments of every call: that costs more than most calls. */
function unwrapCalls(pdfium: Pdfium): void {
  const calls = pdfium as unknown as Record<string, unknown>;
  for (const [name, call] of Object.entries(pdfium.wasmExports))
    if (name.startsWith('FPDF') && typeof call === 'function') calls[`_${name}`] = call;
}

/** Drops the instance if its memory has grown or it is broken; the next document gets a fresh one. */
export function releasePdfium(pdfium: Pdfium, isBroken: boolean): void {
  if (isBroken || pdfium.HEAPU8.byteLength > keptHeapBytes) instance = undefined;
}

/** Memory inside pdfium for the results of calls; `free` it when done. */
export interface Scratch {
  address: number;
  /** The i-th 32-bit integer. */
  int(index: number): number;
  /** The i-th 32-bit float. */
  float(index: number): number;
  /** A copy of the first `length` bytes. */
  bytes(length: number): Uint8Array;
  free(): void;
}

/** Allocates `size` bytes. Each access uses the heap's current views, since any call may grow and move the heap. */
export function allocate(pdfium: Pdfium, size: number): Scratch {
  const address = pdfium.wasmExports.malloc(size);
  return {
    address,
    int: (index) => pdfium.HEAP32[(address >> 2) + index] as number,
    float: (index) => pdfium.HEAPF32[(address >> 2) + index] as number,
    bytes: (length) => pdfium.HEAPU8.slice(address, address + length),
    free: () => pdfium.wasmExports.free(address),
  };
}
