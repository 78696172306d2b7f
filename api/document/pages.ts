import type { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import { getExtension, type Format } from '../../formats/format';
import { formats } from '../../formats/list';
import { AppError } from '../../model/errors';
import { DocumentId } from '../../model/search/wire';
import { DocumentPage, DocumentPages } from '../../model/search/wire-pages';
import type { PageSource } from '../../services/conversion/page-views';
import { collectBytes } from '../../services/storage/collect-bytes';
import type { RequestContext } from '../http/policies';
import { reply, route } from '../http/route';
import { findForm, findReadable, type KeptFile } from './whole';

const forReaders =
  'For those who may read the document; where the flow may mask or leave out text, only for the owner of its run.';
const pageParams = Type.Object({
  document_id: DocumentId,
  page: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'From 1.' }),
});
const errors = [
  'DOCUMENT_NOT_FOUND',
  'DOCUMENT_FORM_NOT_FOUND',
  'SEARCH_CONNECTION_FAILED',
  'SEARCH_BUSY',
  'DOCUMENT_CORRUPT',
  'DOCUMENT_TOO_LARGE',
  'CONVERSION_TIMEOUT',
  'CONVERSION_FAILED',
] as const;
const maxWords = 1_000;

/** The context of a request that a page thread works for. */
export type PageContext = RequestContext & { signal: AbortSignal };

export const listDocumentPages = route({
  method: 'GET',
  path: '/api/v1/documents/{document_id}/pages',
  audit: 'read',
  summary: 'The pages and headings of a document.',
  description: forReaders,
  params: Type.Object({ document_id: DocumentId }),
  replies: { 200: DocumentPages },
  errors,
  handler: async ({ params: { document_id }, ...context }) => {
    const { documentId } = await findReadable(document_id, context);
    const { entry, overview } = await loadView(documentId, context);
    const whole = JSON.parse(overview) as Omit<DocumentPages, 'document_id' | 'name' | 'has_images'>;
    const hasImages = isDrawn(entry.name, entry.mimetype) && (await hasOriginal(documentId, context));
    return { document_id: documentId, name: entry.name, has_images: hasImages, ...whole };
  },
});

export const getDocumentPage = route({
  method: 'GET',
  path: '/api/v1/documents/{document_id}/pages/{page}',
  audit: 'read',
  summary: 'The contents of a page: items with their boxes, tables with their cells, and Markdown.',
  description: forReaders,
  params: pageParams,
  query: Type.Object({
    uncovered: Type.Optional(
      Type.Boolean({ default: false, description: 'Adds the words of the page that no item contains.' }),
    ),
  }),
  replies: { 200: DocumentPage },
  errors,
  handler: async ({ params: { document_id, page }, query: { uncovered = false }, ...context }) => {
    const { documentId } = await findReadable(document_id, context);
    const { pages } = await loadView(documentId, context);
    const text = pages[String(page)];
    if (text === undefined) throw createNoPageError(page);
    const documentPage = JSON.parse(text) as DocumentPage;
    if (!uncovered) return documentPage;
    // Without an original that can be drawn, the page is sent without these words.
    const drawn = await drawPage(documentId, page, context).catch(() => undefined);
    return drawn && drawn.words.length > 0
      ? { ...documentPage, uncovered: findUncoveredWords(documentPage, drawn.words) }
      : documentPage;
  },
});

export const getDocumentPageImage = route({
  method: 'GET',
  path: '/api/v1/documents/{document_id}/pages/{page}/image',
  audit: 'read',
  summary: 'A page as a PNG image.',
  description: `Available for PDF files and images whose original is stored (DOCLOOM_KEEP_ORIGINALS_MB). ${forReaders}`,
  params: pageParams,
  replies: { 200: Type.Unsafe<Buffer | Readable>({ type: 'string', contentMediaType: 'image/png' }) },
  errors: [...errors, 'DOCUMENT_ENCRYPTED', 'OPTIONAL_PACKAGE_MISSING'],
  handler: async ({ params: { document_id, page }, ...context }) => {
    const { documentId } = await findReadable(document_id, context);
    const drawn = await drawPage(documentId, page, context);
    if (!drawn) throw createNoPageError(page);
    return reply(200, Buffer.from(drawn.png), { 'Content-Type': 'image/png', 'Cache-Control': 'private, no-store' });
  },
});

async function loadView(documentId: string, context: PageContext) {
  const jsonForm = await findForm(documentId, 'json', context);
  return {
    entry: jsonForm.entry,
    ...(await context.services.pageViews.readTexts(buildSource(jsonForm, context), buildAsker(context))),
  };
}

async function drawPage(documentId: string, page: number, context: PageContext) {
  const originalForm = await findForm(documentId, 'original', context);
  return context.services.pageViews.draw(buildSource(originalForm, context), page, buildAsker(context));
}

/** The stored file as the source of a page thread. */
export function buildSource({ key, entry: { name, mimetype } }: KeptFile, { services }: RequestContext): PageSource {
  const load = async () => new Uint8Array(await collectBytes(await services.keptDocuments.open(key)));
  return { key, name, ...(mimetype === undefined ? {} : { mimetype }), load };
}

/** The caller of a page thread. */
export function buildAsker({ user, signal }: PageContext) {
  return { fairnessKey: user.username, signal };
}

function isDrawn(name: string, mimetype: string | undefined): boolean {
  const extension = getExtension(name);
  const isNamed = (format: Format) =>
    format.extensions.includes(extension) || (mimetype !== undefined && format.mediaTypes.includes(mimetype));
  return formats.find(isNamed)?.loadDrawing !== undefined;
}

async function hasOriginal(documentId: string, context: RequestContext): Promise<boolean> {
  try {
    await findForm(documentId, 'original', context);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'DOCUMENT_FORM_NOT_FOUND') return false;
    throw error;
  }
}

/** Words whose centre is outside every box of the page. */
function findUncoveredWords({ items }: DocumentPage, words: readonly { text: string; box: number[] }[]) {
  const boxes = items.flatMap((item) => item.boxes);
  const isIn = (x: number, y: number) =>
    boxes.some(([left = 0, top = 0, right = 0, bottom = 0]) => x >= left && x <= right && y >= top && y <= bottom);
  return words
    .filter(({ box: [left = 0, top = 0, right = 0, bottom = 0] }) => !isIn((left + right) / 2, (top + bottom) / 2))
    .slice(0, maxWords);
}

function createNoPageError(page: number): AppError {
  return new AppError('DOCUMENT_FORM_NOT_FOUND', `The document has no page ${page} that can be shown.`, {
    target: { type: 'parameter', name: 'page' },
  });
}
