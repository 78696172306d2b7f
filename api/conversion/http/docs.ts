import { Type } from '@sinclair/typebox';
import { renderSwaggerPage } from '../../http/reference-page';
import { createConversionDocument, createConversionDocument30 } from './openapi';
import { defineConversionRoute } from './route';

const page = Type.String();
const facts = { method: 'GET' as const, tags: ['documentation'], needsKey: false, isHidden: true, refusals: [] };
const document = { 'application/json': Type.Record(Type.String(), Type.Unknown()) };

export const openApi31 = defineConversionRoute({
  ...facts,
  path: '/openapi.json',
  summary: 'The conversion service as an OpenAPI 3.1 document.',
  replies: document,
  handler: ({ routes, options }) => ({ json: createConversionDocument(routes, options.version) }),
});

export const openApi30 = defineConversionRoute({
  ...facts,
  path: '/openapi-3.0.json',
  summary: 'The same as an OpenAPI 3.0 document.',
  replies: document,
  handler: ({ routes, options }) => ({ json: createConversionDocument30(routes, options.version) }),
});

const title = 'Docloom conversion service';
const html = { isPage: true as const, replies: { 'text/html; charset=utf-8': page } };

const interactive = { script: 'start-conversion.js' };

export const docs = defineConversionRoute({
  ...facts,
  ...html,
  path: '/docs',
  summary: 'The interactive reference of the conversion service.',
  handler: () => ({ type: 'text/html; charset=utf-8', body: renderSwaggerPage(title, '/docs', interactive) }),
});

export const swagger = defineConversionRoute({
  ...facts,
  ...html,
  path: '/swagger',
  summary: 'The same as /docs.',
  handler: () => ({ type: 'text/html; charset=utf-8', body: renderSwaggerPage(title, '/docs', interactive) }),
});

export const ui = defineConversionRoute({
  ...facts,
  path: '/ui',
  summary: 'Redirects to the conversion page of the console.',
  replies: { 'text/plain': page },
  handler: () => ({ status: 302, headers: { Location: '/console/convert' }, type: 'text/plain', body: '' }),
});

export const redoc = defineConversionRoute({
  ...facts,
  ...html,
  path: '/redoc',
  summary: 'The reference of the conversion service as a single page for reading.',
  handler: () => ({
    type: 'text/html; charset=utf-8',
    body: renderSwaggerPage(title, '/redoc', { script: 'start-conversion-reading.js' }),
  }),
});
