import { getOperationId } from '../../api/http/operation-id';
import { routes } from '../../api/routes';
import { errorCatalogue } from '../../model/errors';
import { alice, startApi, type TestApi } from '../support/api/server';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

interface Operation {
  operationId: string;
  summary: string;
  security: unknown[];
  parameters?: { name: string; in: string; required: boolean }[];
  responses: Record<string, unknown>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
}
const secure = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
  'X-Transaction-ID': expect.stringMatching(/^[0-9a-f-]{36}$/),
};
const openApi = async () => (await api.call('GET', '/api/v1/openapi.json')).body as Document;
// Routes that issue tokens reject users without the right to one.
const logins = new Set(['login', 'endLogin', 'exchangeCode']);
const filled = (path: string) => path.replaceAll(/\{\w+\}/g, '0b8c0f6e-0000-4000-8000-000000000000');

describe('the OpenAPI document', () => {
  test('has version 3.1 and describes every route and nothing else', async () => {
    const { openapi, paths } = await openApi();
    expect(openapi).toMatch(/^3\.1\.\d+$/);
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
  });

  test('has unique operation ids and a summary of every operation', async () => {
    const operations = Object.values((await openApi()).paths).flatMap((methods) => Object.values(methods));
    expect(new Set(operations.map((operation) => operation.operationId)).size).toBe(operations.length);
    for (const { summary } of operations) expect(summary.trim()).not.toBe('');
  });

  test('has a component for every reference, and a valid name for every component', async () => {
    const document = await openApi();
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"(#\/components\/schemas\/[^"]+)"/g)].map(
      ([, reference]) => reference,
    );
    expect(references.length).toBeGreaterThan(20);
    for (const reference of references) {
      const name = /^#\/components\/schemas\/(.+)$/.exec(reference ?? '')?.[1] ?? '';
      expect(Object.keys(document.components.schemas)).toContain(name);
      expect(name).toMatch(/^[A-Za-z0-9._-]+$/);
    }
    expect(JSON.stringify(document)).not.toContain('"$id"');
  });

  test('declares every parameter of a path as required, and no others', async () => {
    for (const [path, methods] of Object.entries((await openApi()).paths)) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const { parameters = [] } of Object.values(methods)) {
        const inPath = parameters.filter((parameter) => parameter.in === 'path');
        expect(inPath.map(({ name }) => name)).toEqual(names);
        expect(inPath.every(({ required }) => required)).toBe(true);
      }
    }
  });

  test('every operation has a success status, and 401 if it needs a token', async () => {
    for (const operation of Object.values((await openApi()).paths).flatMap((methods) => Object.values(methods))) {
      expect(Object.keys(operation.responses).some((status) => /^[23]/.test(status))).toBe(true);
      expect('401' in operation.responses).toBe(operation.security.length > 0 || logins.has(operation.operationId));
    }
  });
});

test('two schemas with one name are the same schema', () => {
  const seen = new Map<string, Set<string>>();
  const walk = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const { $id } = schema as { $id?: unknown };
    if (typeof $id === 'string') seen.set($id, new Set([...(seen.get($id) ?? []), JSON.stringify(schema)]));
    for (const part of Object.values(schema)) walk(part);
  };
  for (const { body, replies, query } of routes)
    for (const schema of [body, query, ...Object.values(replies)]) walk(schema);
  expect(seen.size).toBeGreaterThan(10);
  expect([...seen].filter(([, texts]) => texts.size > 1).map(([name]) => name)).toEqual([]);
});

describe.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', (_name, route) => {
  test('carries the security headers and a transaction id', async () => {
    const response = await fetch(`${api.url}${filled(route.path)}`, { method: route.method, redirect: 'manual' });
    await response.text();
    expect(getSecurity(response.headers)).toEqual(secure);
  });

  test('lists codes of the catalogue, and has an operation id', () => {
    for (const code of route.errors) expect(Object.keys(errorCatalogue)).toContain(code);
    expect(getOperationId(route)).toMatch(/^[a-z]+([A-Z][A-Za-z0-9]*)*$/);
  });

  if (route.auth === 'user') {
    test('requires a token', async () => {
      const { status, body, headers } = await api.call(route.method, filled(route.path));
      expect(status).toBe(401);
      expect(body).toMatchObject({ errors: [{ code: 'UNAUTHORIZED' }], status_code: 401 });
      expect(headers.get('WWW-Authenticate')).toBe('Bearer');
    });
  }

  if (route.body) {
    test('rejects another media type, invalid JSON, and JSON that is not an object', async () => {
      const send = (body: string, type: string) =>
        api.call(route.method, filled(route.path), { user: alice, body, headers: { 'Content-Type': type } });
      expect(await send('a: 1', 'text/yaml')).toMatchObject({
        status: 415,
        body: { errors: [{ code: 'UNSUPPORTED_MEDIA_TYPE' }] },
      });
      const invalid = { status: route.invalidStatus ?? 400, body: { errors: [{ code: 'VALIDATION_ERROR' }] } };
      for (const body of ['{"a":', '"text"', '12', '{"__proto__":{"a":1}}', `${'['.repeat(500)}${']'.repeat(500)}`]) {
        expect(await send(body, 'application/json')).toMatchObject(invalid);
      }
    });
  }
});

test('a path without a route has the headers too', async () => {
  for (const [method, path, status] of [
    ['GET', '/nothing', 404],
    ['GET', '/api/v1/flows/a/b/c', 404],
    ['GET', '/api/v1/%zz', 404],
    ['PUT', '/health', 405],
    ['PATCH', '/api/v1/flows', 405],
    ['DELETE', '/api/v1/operators/metadata', 405],
  ] as const) {
    const response = await api.call(method, path);
    expect(response.status).toBe(status);
    expect(response.body).toMatchObject({
      errors: [{ code: status === 404 ? 'NOT_FOUND' : 'METHOD_NOT_ALLOWED' }],
      status_code: status,
    });
    expect(getSecurity(response.headers)).toEqual(secure);
  }
});

test('405 lists the allowed methods, and so does OPTIONS', async () => {
  expect((await api.call('PUT', '/api/v1/flows')).headers.get('Allow')).toBe('POST, GET, DELETE, HEAD, OPTIONS');
  const options = await api.call('OPTIONS', '/api/v1/job_runs/1/cancel');
  expect(options.status).toBe(204);
  expect(options.headers.get('Allow')).toBe('POST, OPTIONS');
});

test('HEAD is answered as GET without a body', async () => {
  const response = await fetch(`${api.url}/health`, { method: 'HEAD' });
  expect(response.status).toBe(200);
  expect(await response.text()).toBe('');
});

describe('the reference pages', () => {
  test.each(['/api/v1/docs', '/api/v1/redoc'])(
    '%s loads assets of this server only, and has no inline script',
    async (page) => {
      const { body, headers, status } = await api.call('GET', page);
      const html = String(body);
      expect(status).toBe(200);
      expect(headers.get('Content-Type')).toMatch(/^text\/html/);
      const addresses = [...html.matchAll(/(?:src|href|spec-url)="([^"]+)"/g)].map(([, address]) => address ?? '');
      expect(addresses.length).toBeGreaterThan(1);
      for (const address of addresses) {
        expect(address).toMatch(/^\/api\/v1\//);
        const asset = await fetch(`${api.url}${address}`);
        expect(asset.status).toBe(200);
        expect((await asset.arrayBuffer()).byteLength).toBeGreaterThan(50);
        expect(getSecurity(asset.headers)).toEqual(secure);
      }
      expect(html).not.toMatch(/<script(?![^>]*\ssrc=)/);
      expect(html).not.toMatch(/\son\w+=/);
      expect(headers.get('Content-Security-Policy')).toContain("script-src 'self';");
      expect(headers.get('Content-Security-Policy')).not.toMatch(/https?:|unsafe-eval/);
    },
  );

  test('the scripts send the description to no other host', async () => {
    for (const script of ['start.js', 'start-reading.js', 'start-conversion.js', 'start-conversion-reading.js'])
      expect(await (await fetch(`${api.url}/api/v1/docs/assets/${script}`)).text()).toContain('validatorUrl: null');
  });

  test('only listed files are served', async () => {
    for (const file of ['package.json', '..%2f..%2fpackage.json', 'constructor']) {
      expect((await fetch(`${api.url}/api/v1/docs/assets/${file}`)).status).toBe(404);
    }
  });
});

function getSecurity(headers: Headers): Record<string, string | null> {
  const names = [
    'X-Content-Type-Options',
    'X-Frame-Options',
    'Referrer-Policy',
    'Content-Security-Policy',
    'X-Transaction-ID',
  ];
  return Object.fromEntries(names.map((name) => [name, headers.get(name)]));
}
