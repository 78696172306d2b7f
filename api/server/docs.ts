import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Type } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import { buildPipelineDocument } from '../http/openapi';
import { loginForm, renderSwaggerPage } from '../http/reference-page';
import { reply, route } from '../http/route';

const html = Type.String({ contentMediaType: 'text/html; charset=utf-8' });
const files = {
  'swagger-ui.css': { from: 'swagger-ui-dist/swagger-ui.css', type: 'text/css; charset=utf-8' },
  'swagger-ui-bundle.js': { from: 'swagger-ui-dist/swagger-ui-bundle.js', type: 'text/javascript; charset=utf-8' },
  'favicon-32x32.png': { from: 'swagger-ui-dist/favicon-32x32.png', type: 'image/png' },
} as const;

// In a separate file, because the content security policy allows no inline scripts.
const buildStartScript = (url: string, options = '') =>
  `const ui = SwaggerUIBundle({ url: '${url}', dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null${options} });\n`;

// The token stays in the memory of the page.
const loginScript = `
const form = document.getElementById('login');
const state = document.getElementById('login-state');
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const given = Object.fromEntries(new FormData(form));
  state.textContent = 'Logging in …';
  try {
    const response = await fetch('/auth/login', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(given),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.errors[0].message);
    ui.preauthorizeApiKey('bearer', answer.access_token);
    form.reset();
    state.textContent = 'Logged in as ' + given.username + ' on this page.';
  } catch (error) {
    state.textContent = error.message;
  }
});
`;

// Pages for reading send no requests.
const readingOptions = `, defaultModelsExpandDepth: -1, supportedSubmitMethods: []`;
const scripts: Readonly<Record<string, string>> = {
  'start.js': buildStartScript('/api/v1/openapi.json') + loginScript,
  'start-reading.js': buildStartScript('/api/v1/openapi.json', readingOptions),
  'start-conversion.js': buildStartScript('/openapi.json'),
  'start-conversion-reading.js': buildStartScript('/openapi.json', readingOptions),
};

export const openApi = route({
  method: 'GET',
  path: '/api/v1/openapi.json',
  operationId: 'getOpenApi',
  summary: 'This description as an OpenAPI 3.1 document.',
  auth: 'none',
  replies: { 200: Type.Record(Type.String(), Type.Unknown()) },
  handler: ({ routes, options, services }) => buildPipelineDocument(routes, options.version, services.operators),
});

export const docsPage = route({
  method: 'GET',
  path: '/api/v1/docs',
  summary: 'The interactive API reference.',
  auth: 'none',
  replies: { 200: html },
  isPage: true,
  handler: () => renderSwaggerPage('Docloom API', '/api/v1/docs', { script: 'start.js', before: loginForm }),
});

export const redocPage = route({
  method: 'GET',
  path: '/api/v1/redoc',
  summary: 'The API reference as a single page for reading.',
  auth: 'none',
  replies: { 200: html },
  isPage: true,
  handler: () => renderSwaggerPage('Docloom API', '/api/v1/redoc', { script: 'start-reading.js' }),
});

export const docsAsset = route({
  method: 'GET',
  path: '/api/v1/docs/assets/{file}',
  summary: 'Scripts and styles of the reference pages.',
  auth: 'none',
  params: Type.Object({ file: Type.String() }),
  replies: {
    200: Type.Unsafe<string | Buffer>({
      type: 'string',
      mediaTypes: [...new Set(Object.values(files).map(({ type }) => type))],
    }),
  },
  errors: ['NOT_FOUND'],
  handler: async ({ params: { file } }) => {
    const headers = { 'Cache-Control': 'public, max-age=3600' };
    const script = Object.hasOwn(scripts, file) ? scripts[file] : undefined;
    if (script !== undefined)
      return reply(200, script, { ...headers, 'Content-Type': 'text/javascript; charset=utf-8' });
    if (!isAsset(file)) throw new AppError('NOT_FOUND', `There is no file '${file}'.`);
    const { from, type } = files[file];
    return reply(200, await readAsset(from), { ...headers, 'Content-Type': type });
  },
});

function isAsset(file: string): file is keyof typeof files {
  return Object.hasOwn(files, file);
}

const assetCache = new Map<string, Promise<Buffer>>();

/** The bytes of a file in an installed package, cached once they have been read. */
function readAsset(from: string): Promise<Buffer> {
  const cached = assetCache.get(from);
  if (cached) return cached;
  const [name = '', ...rest] = from.split('/');
  const bytes = readFile(path.join(path.dirname(require.resolve(`${name}/package.json`)), ...rest));
  assetCache.set(from, bytes);
  bytes.catch(() => assetCache.delete(from));
  return bytes;
}
