import { type TObject, type TSchema, Type } from '@sinclair/typebox';
import { type ErrorCode, errorCatalogue } from '../../model/errors';
import { ErrorReply } from '../../model/wire-errors';
import { parameterExamples, requestExamples } from './examples';
import { type Json, openApi, type Operation, type Response } from './openapi-document';
import { operationId, type Route } from './route';

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

/** The OpenAPI 3.1 document of the routes. A schema with an `$id` becomes a component of that name. */
export function openApiDocument(routes: readonly Route[], version: string): Json {
  const description =
    'Turns piles of documents into searchable knowledge, durably. Bodies of POST, PUT and PATCH have at most 5 MiB.';
  return openApi(
    {
      info: { title: 'Docloom', version, description },
      tags: [...new Set(routes.flatMap(({ tags }) => tags))].map((name) => ({ name })),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
    routes.map((route) => [route, operationOf(route)]),
  );
}

/** All errors that a route may return: its own, and those caused by the token, parameters or the body. */
export function errorsOf(route: Route): ErrorCode[] {
  const takesBody = route.body !== undefined || route.takesBytes === true;
  const takesInput = takesBody || hasProperties(route.params) || hasProperties(route.query);
  const codes: ErrorCode[] = [
    ...route.errors,
    ...(route.auth === 'user' ? (['UNAUTHORIZED', 'SERVICE_UNAVAILABLE'] as const) : []),
    // For writes with the session cookie but without its CSRF token.
    ...(route.auth === 'user' && route.method !== 'GET' ? (['FORBIDDEN'] as const) : []),
    ...(takesInput ? (['VALIDATION_ERROR'] as const) : []),
    ...(route.isConditional ? (['PRECONDITION_FAILED'] as const) : []),
    ...(takesBody ? (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    'INTERNAL_ERROR',
  ];
  return [...new Set(codes)];
}

function operationOf(route: Route): Operation {
  const { summary, description, tags, params, query } = route;
  const example = requestExamples[operationId(route)];
  return {
    operationId: operationId(route),
    summary,
    description,
    tags,
    isDeprecated: route.isDeprecated,
    security: route.auth === 'user' ? ['bearer'] : [],
    params,
    query,
    examples: { ...parameterExamples, ...example?.query },
    headers: [
      ...(route.isConditional ? [ifMatch] : []),
      ...(route.hasEtag ? [ifNoneMatch] : []),
      ...(route.isIdempotent ? [idempotencyKey] : []),
    ],
    body: bodyOf(route, example),
    responses: [
      ...successes(route),
      ...(route.hasEtag ? [{ status: 304, description: 'The same as before.' }] : []),
      ...failures(route),
    ],
  };
}

function bodyOf({ takesBytes, body }: Route, example?: { body?: unknown }): Operation['body'] {
  if (takesBytes) return { 'application/octet-stream': { schema: Type.String({ format: 'binary' }) } };
  if (!body) return undefined;
  return { 'application/json': { schema: body, ...(example?.body === undefined ? {} : { example: example.body }) } };
}

const meanings: Readonly<Record<string, string>> = {
  204: 'Done.',
  307: 'On to the address in the header Location.',
  503: 'Not ready.',
};

function successes({ replies }: Route): Response[] {
  return Object.entries(replies).map(([text, schema]) => {
    const status = Number(text);
    const description = meanings[text] ?? 'As described.';
    if (status === 204) return { status, description };
    const { mediaTypes, ...plain } = schema as TSchema & { mediaTypes?: readonly string[] };
    const types = mediaTypes ?? [(plain['contentMediaType'] as string | undefined) ?? 'application/json'];
    return { status, description, content: Object.fromEntries(types.map((type) => [type, plain])) };
  });
}

function failures(route: Route): Response[] {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(route)) {
    const status = code === 'VALIDATION_ERROR' ? (route.invalidStatus ?? 400) : errorCatalogue[code].status;
    if (status in route.replies) continue;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return [...byStatus].map(([status, codes]) => ({
    status,
    description: codes.map((code) => `${code}: ${errorCatalogue[code].text}`).join(' '),
    content: { 'application/json': ErrorReply },
  }));
}

function hasProperties(schema: TObject): boolean {
  return Object.keys(schema.properties ?? {}).length > 0;
}
