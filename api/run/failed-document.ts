import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import { AppError, errorCatalogue, spellCode } from '../../model/errors';
import { type KeptForm, buildKeptKey } from '../../model/run/kept-document';
import { FailedDocumentDetail } from '../../model/run/wire-failures';
import type { FailedDocument } from '../../services/run/failures';
import { createBytesSchema } from '../document/forms';
import { buildAsker, buildSource, type PageContext } from '../document/pages';
import { type KeptFile, listReadableEntries } from '../document/whole';
import { createAttachmentHeader } from '../http/attachment';
import type { RequestContext } from '../http/policies';
import { reply, route } from '../http/route';
import { describeCode } from './failures';

const FailedId = Type.String({ minLength: 1, maxLength: 100 });
const params = Type.Object({ failed_id: FailedId });
const forOwners =
  'For the owner of the run, if the access list of the document names them; for all others, administrators among them, it is as if there were no such document.';
const errors = ['FAILED_DOCUMENT_NOT_FOUND', 'DATABASE_UNAVAILABLE'] as const;
const uncached = { 'Cache-Control': 'private, no-store' };

export const getFailedDocument = route({
  method: 'GET',
  path: '/api/v1/failed_documents/{failed_id}',
  audit: 'read',
  summary: 'One failed document, and how many of its pages can be shown.',
  description: forOwners,
  params,
  replies: { 200: FailedDocumentDetail },
  errors,
  handler: async ({ params: { failed_id: id }, ...context }) => {
    const failedDocument = await findFailed(id, context);
    const forms = await Promise.all(
      (['original', 'markdown'] as const).map(async (form) =>
        (await findKept(failedDocument, form, context)) ? [form] : [],
      ),
    );
    const { job_id: _job, ...failure } = failedDocument.failure;
    return {
      ...failure,
      meaning: describeCode(failure.code),
      forms: forms.flat(),
      ...(await countPages(failedDocument, context)),
    };
  },
});

export const getFailedDocumentOriginal = route({
  method: 'GET',
  path: '/api/v1/failed_documents/{failed_id}/original',
  audit: 'read',
  summary: 'The file of a failed document, as an attachment.',
  description: `As it was when it failed, if DOCLOOM_KEEP_ORIGINALS_MB kept it. ${forOwners}`,
  params,
  replies: { 200: createBytesSchema('application/octet-stream') },
  errors: [...errors, 'DOCUMENT_FORM_NOT_FOUND'],
  handler: async ({ params: { failed_id: id }, ...context }) => {
    const { bytes, entry } = await openKept(id, 'original', context);
    return reply(200, bytes, { ...uncached, ...createAttachmentHeader(entry.name) });
  },
});

export const getFailedDocumentMarkdown = route({
  method: 'GET',
  path: '/api/v1/failed_documents/{failed_id}/markdown',
  audit: 'read',
  summary: 'The Markdown of a document that was converted and failed afterwards.',
  description: forOwners,
  params,
  replies: { 200: createBytesSchema('text/markdown') },
  errors: [...errors, 'DOCUMENT_FORM_NOT_FOUND'],
  handler: async ({ params: { failed_id: id }, ...context }) => {
    const { bytes } = await openKept(id, 'markdown', context);
    return reply(200, bytes, { 'Content-Type': 'text/markdown; charset=utf-8', ...uncached });
  },
});

export const getFailedDocumentPageImage = route({
  method: 'GET',
  path: '/api/v1/failed_documents/{failed_id}/pages/{page}/image',
  audit: 'read',
  summary: 'A page of a failed document as a PNG image.',
  description: `Available for PDF files and images whose original is stored (DOCLOOM_KEEP_ORIGINALS_MB). ${forOwners}`,
  params: Type.Object({
    failed_id: FailedId,
    page: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'From 1.' }),
  }),
  replies: { 200: Type.Unsafe<Buffer | Readable>({ type: 'string', contentMediaType: 'image/png' }) },
  errors: [
    ...errors,
    'DOCUMENT_FORM_NOT_FOUND',
    'DOCUMENT_CORRUPT',
    'DOCUMENT_ENCRYPTED',
    'DOCUMENT_TOO_LARGE',
    'CONVERSION_TIMEOUT',
    'CONVERSION_FAILED',
    'OPTIONAL_PACKAGE_MISSING',
  ],
  handler: async ({ params: { failed_id: id, page }, ...context }) => {
    const file = await requireKept(await findFailed(id, context), 'original', context);
    const drawn = await context.services.pageViews.draw(buildSource(file, context), page, buildAsker(context));
    if (drawn) return reply(200, Buffer.from(drawn.png), { 'Content-Type': 'image/png', ...uncached });
    throw new AppError('DOCUMENT_FORM_NOT_FOUND', `The document has no page ${page} that can be shown.`, {
      target: { type: 'parameter', name: 'page' },
    });
  },
});

/** A failed document that the user may open, and its ledger entry. */
interface Found {
  failure: FailedDocument & { job_id: string };
  entry: KeptFile['entry'] | undefined;
}

/**
 * FAILED_DOCUMENT_NOT_FOUND unless the user owns the run and the access list of the document names them. A document that could
 * not even be read has no list, and nothing of it is stored.
 */
async function findFailed(id: string, context: RequestContext): Promise<Found> {
  const failure = await context.services.failures.get(context.user, id);
  if (failure) {
    const { job_id: jobId, document_id: documentId } = failure;
    const inJob = (await context.services.keptDocuments.find(documentId)).some(({ job_id }) => job_id === jobId);
    const entry = (await listReadableEntries(documentId, context)).find(({ job_id }) => job_id === jobId);
    if (entry || !inJob) return { failure, entry };
  }
  throw new AppError('FAILED_DOCUMENT_NOT_FOUND', `There is no failed document '${id}'.`, {
    target: { type: 'parameter', name: 'failed_id' },
  });
}

async function findKept(
  { failure, entry }: Found,
  form: KeptForm,
  { services }: RequestContext,
): Promise<KeptFile | undefined> {
  if (!entry) return undefined;
  const version = entry.content_hash === '' ? entry.run_id : entry.content_hash;
  const key = buildKeptKey(failure.job_id, failure.document_id, version, form);
  return (await services.keptDocuments.exists(key)) ? { key, entry } : undefined;
}

async function requireKept(failedDocument: Found, form: KeptForm, context: RequestContext): Promise<KeptFile> {
  const file = await findKept(failedDocument, form, context);
  if (file) return file;
  throw new AppError('DOCUMENT_FORM_NOT_FOUND', `No ${form} of the document is kept.`, {
    target: { type: 'parameter', name: 'failed_id' },
  });
}

/** Opens a file of a failed document. An error before the first byte becomes an error reply. */
async function openKept(id: string, form: KeptForm, context: RequestContext) {
  const { key, entry } = await requireKept(await findFailed(id, context), form, context);
  const bytes = await context.services.keptDocuments.open(key);
  if (bytes.readableLength === 0) await once(bytes, 'readable');
  return { bytes, entry };
}

function concernsDocument({ code }: AppError): boolean {
  return errorCatalogue[code].scope === 'document' || code === 'OPTIONAL_PACKAGE_MISSING';
}

/** Draws the first page, because only drawing shows whether the pages of a damaged file can be rendered. */
async function countPages(failedDocument: Found, context: PageContext) {
  const file = await findKept(failedDocument, 'original', context);
  if (!file) return { page_count: null, not_shown: null };
  try {
    const drawn = await context.services.pageViews.draw(buildSource(file, context), 1, buildAsker(context));
    return { page_count: drawn?.pages ?? null, not_shown: null };
  } catch (error) {
    if (!(error instanceof AppError) || !concernsDocument(error)) throw error;
    const { code, message } = error;
    return { page_count: null, not_shown: { code: spellCode(code, context.options.codeCase), message } };
  }
}
