import type { TObject, TSchema } from '@sinclair/typebox';
import { type ErrorCode, errorCatalogue } from '../../model/errors';
import { ErrorReply } from '../../model/wire-errors';
import { parameterExamples, requestExamples } from './examples';
import { operationId, type Route } from './route';

type Json = Record<string, unknown>;
type Components = Map<string, unknown>;

const ifMatch: Json = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The ETag of the resource as it was read; the request fails with 412 when it has changed since.',
  schema: { type: 'string' },
};

const ifNoneMatch: Json = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of the resource as it was read; the answer is 304 while it is still the same.',
  schema: { type: 'string' },
};

const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Of your choice. A request that is repeated with the same key gives what the first one made.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]([ -~]*[!-~])?$' },
};

/** The routes as an OpenAPI 3.1 document. A schema with an `$id` becomes a component of that name. */
export function openApiDocument(routes: readonly Route[], version: string): Json {
  const components: Components = new Map();
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route, components) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Docloom',
      version,
      description:
        'Turns piles of documents into searchable knowledge, durably. Bodies of POST, PUT and PATCH have at most 5 MiB.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.flatMap(({ tags }) => tags))].map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries(components),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  };
}

const byteBody = {
  required: true,
  content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
};

/** Every error that a route may answer with: its own, and those that follow from a token, parameters or a body. */
export function errorsOf(route: Route): ErrorCode[] {
  const takesBody = route.body !== undefined || route.takesBytes === true;
  const takesInput = takesBody || hasProperties(route.params) || hasProperties(route.query);
  const codes: ErrorCode[] = [
    ...route.errors,
    ...(route.auth === 'user' ? (['UNAUTHORIZED', 'SERVICE_UNAVAILABLE'] as const) : []),
    // A write with the session cookie and without its CSRF token.
    ...(route.auth === 'user' && route.method !== 'GET' ? (['FORBIDDEN'] as const) : []),
    ...(takesInput ? (['VALIDATION_ERROR'] as const) : []),
    ...(route.isConditional ? (['PRECONDITION_FAILED'] as const) : []),
    ...(takesBody ? (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    'INTERNAL_ERROR',
  ];
  return [...new Set(codes)];
}

function operation(route: Route, components: Components): Json {
  const example = requestExamples[operationId(route)];
  const parameters = [
    ...parametersOf(route.params, 'path', components, parameterExamples),
    ...parametersOf(route.query, 'query', components, example?.query),
    ...(route.isConditional ? [ifMatch] : []),
    ...(route.hasEtag ? [ifNoneMatch] : []),
    ...(route.isIdempotent ? [idempotencyKey] : []),
  ];
  return {
    operationId: operationId(route),
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    tags: route.tags,
    ...(route.isDeprecated ? { deprecated: true } : {}),
    security: route.auth === 'user' ? [{ bearer: [] }] : [],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.takesBytes ? { requestBody: byteBody } : {}),
    ...(route.body
      ? {
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: hoisted(route.body, components),
                ...(example?.body === undefined ? {} : { example: example.body }),
              },
            },
          },
        }
      : {}),
    responses: {
      ...successes(route, components),
      ...(route.hasEtag ? { 304: { description: 'The same as before.' } } : {}),
      ...failures(route, components),
    },
  };
}

function parametersOf(
  schema: TObject,
  where: 'path' | 'query',
  components: Components,
  examples: Readonly<Record<string, unknown>> = {},
): Json[] {
  const required = new Set<string>(schema.required);
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path' || required.has(name),
    ...(property.description ? { description: property.description } : {}),
    ...(property['deprecated'] ? { deprecated: true } : {}),
    schema: hoisted(property, components),
    ...(examples[name] === undefined ? {} : { example: examples[name] }),
  }));
}

function successes(route: Route, components: Components): Json {
  return Object.fromEntries(
    Object.entries(route.replies).map(([status, schema]) => {
      const description =
        status === '204'
          ? 'Done.'
          : status === '307'
            ? 'On to the address in the header Location.'
            : status === '503'
              ? 'Not ready.'
              : 'As described.';
      if (status === '204') return [status, { description }];
      const { mediaTypes, ...plain } = schema as TSchema & { mediaTypes?: readonly string[] };
      const types = mediaTypes ?? [(plain['contentMediaType'] as string | undefined) ?? 'application/json'];
      const content = types.map((type) => [type, { schema: hoisted(plain, components) }]);
      return [status, { description, content: Object.fromEntries(content) }];
    }),
  );
}

function failures(route: Route, components: Components): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(route)) {
    const status = code === 'VALIDATION_ERROR' ? (route.invalidStatus ?? 400) : errorCatalogue[code].status;
    if (status in route.replies) continue;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const schema = hoisted(ErrorReply, components);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `${code}: ${errorCatalogue[code].text}`).join(' '),
        content: { 'application/json': { schema } },
      },
    ]),
  );
}

/** The schema with every part that has an `$id` moved to the components and referred to. */
function hoisted(schema: unknown, components: Components): unknown {
  if (Array.isArray(schema)) return schema.map((item) => hoisted(item, components));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $id, ...rest } = schema as Json;
  const plain = () => Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, hoisted(value, components)]));
  if (typeof $id !== 'string') return plain();
  if (!components.has($id)) {
    components.set($id, {});
    components.set($id, plain());
  }
  return { $ref: `#/components/schemas/${$id}` };
}

function hasProperties(schema: TObject): boolean {
  return Object.keys(schema.properties ?? {}).length > 0;
}
