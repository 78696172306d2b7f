import { Type } from '@sinclair/typebox';
import { DocumentId } from '../../model/search/wire';
import { reply, route } from '../http/route';
import { buildAsker, buildSource } from './pages';
import { findForm, findReadable } from './whole';

/**
 * The page contains untrusted text, so it may run, load and send nothing, and has its own origin even when opened
 * directly. Only pages of this server may frame it.
 */
const contentSecurityPolicy = [
  'sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "frame-ancestors 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

export const getDocumentHtml = route({
  method: 'GET',
  path: '/api/v1/documents/{document_id}/html',
  audit: 'read',
  summary: 'A whole document as one HTML page.',
  description:
    'With its pictures, at most 32 MiB. The page contains no scripts, and browsers open it in a sandbox. For those who may read the document; where the flow may mask or leave out text, only for the owner of its run.',
  params: Type.Object({ document_id: DocumentId }),
  replies: { 200: Type.Unsafe<string>({ type: 'string', contentMediaType: 'text/html' }) },
  errors: [
    'DOCUMENT_NOT_FOUND',
    'DOCUMENT_FORM_NOT_FOUND',
    'SEARCH_CONNECTION_FAILED',
    'SEARCH_BUSY',
    'DOCUMENT_TOO_LARGE',
    'CONVERSION_TIMEOUT',
    'CONVERSION_FAILED',
  ],
  handler: async ({ params: { document_id }, ...context }) => {
    const { documentId } = await findReadable(document_id, context);
    const form = await findForm(documentId, 'json', context);
    const html = await context.services.pageViews.renderHtml(buildSource(form, context), buildAsker(context));
    return reply(200, html, {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'private, no-store',
      'Content-Security-Policy': contentSecurityPolicy,
      'X-Frame-Options': 'SAMEORIGIN',
    });
  },
});
