import { type TObject, type TSchema, Type } from '@sinclair/typebox';
import { type ErrorCode, errorCatalogue, spellCode } from '../../model/errors';
import { FlowOperator } from '../../model/flow/flow';
import type { OperatorDefinition } from '../../model/flow/operator';
import { ErrorReply } from '../../model/wire-errors';
import { groups } from '../groups';
import { parameterExamples, requestExamples } from './examples';
import { type Json, buildOpenApi, type Operation, type Response } from './openapi-document';
import type { HeaderName } from './openapi-headers';
import { getOperationId } from './operation-id';
import { replyExamples } from './reply-examples';
import { type Route, getRouteKey } from './route';
import { sampleValues } from './sample-values';

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
  description: 'A key of your choice. Repeating a request with the same key returns the result of the first one.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]([ -~]*[!-~])?$' },
};

/** The OpenAPI 3.1 document of the routes. A schema with an `$id` becomes a component of that name. */
export function buildPipelineDocument(
  routes: readonly Route[],
  version: string,
  operators: readonly OperatorDefinition[] = [],
): Json {
  const description =
    'Turns piles of documents into searchable knowledge, durably. Bodies of POST, PUT and PATCH have at most 5 MiB.';
  return buildOpenApi(
    {
      info: { title: 'Docloom', version, description },
      tags: [...new Set(routes.map(({ group }) => group))].map((name) => ({ name, description: groups[name] })),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The access_token of `POST /auth/login`, or an API key. On the machine of the API, `docloom token --user NAME` prints one.',
        },
      },
      inRequests: new Map(operators.length === 0 ? [] : [['FlowOperatorInput', defineTypedOperator(operators)]]),
    },
    routes.map((route) => [route, buildOperation(route, routes)]),
  );
}

/** All errors that a route may return: its own, and those caused by the token, parameters or the body. */
export function findErrors(route: Route): ErrorCode[] {
  const takesBody = route.body !== undefined || route.takesBytes === true;
  const takesInput = takesBody || hasProperties(route.params) || hasProperties(route.query);
  const codes: ErrorCode[] = [
    ...route.errors,
    // FORBIDDEN: an API key without the scope, or a write with the session cookie but without its CSRF token.
    ...(route.auth === 'user' ? (['UNAUTHORIZED', 'SERVICE_UNAVAILABLE', 'FORBIDDEN'] as const) : []),
    ...(takesInput ? (['VALIDATION_ERROR'] as const) : []),
    ...(route.isConditional ? (['PRECONDITION_FAILED'] as const) : []),
    ...(takesBody ? (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    'INTERNAL_ERROR',
  ];
  return [...new Set(codes)];
}

/**
 * An operator of a flow by its type, with its configuration. Replies keep the open form, because a stored draft may contain
 * anything.
 */
function defineTypedOperator(operators: readonly OperatorDefinition[]): TSchema {
  const { config: _config, type: _type, ...shared } = FlowOperator.properties;
  const typed = operators.map(({ name, summary, config }) => {
    const id = name.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
    const schema = { ...config, $id: `${id}Config`, description: `The configuration of ${name}.` };
    return Type.Object(
      { type: Type.Literal(name), ...shared, config: config.required?.length ? schema : Type.Optional(schema) },
      { $id: `${id.replace(/Operator$/, '')}Operator`, description: summary },
    );
  });
  return Type.Union(typed, { $id: 'FlowOperatorInput' });
}

function buildOperation(route: Route, routes: readonly Route[]): Operation {
  const { summary, description, group, params, query } = route;
  const example = requestExamples[getRouteKey(route)];
  return {
    operationId: getOperationId(route),
    summary,
    description,
    tags: [group],
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
    body: getBody(route, example),
    responses: [
      ...listSuccesses(route, routes),
      ...(route.hasEtag
        ? [{ status: 304, description: 'The resource has not changed.', headers: ['ETag'] as const }]
        : []),
      ...listFailures(route),
    ],
  };
}

function getBody({ takesBytes, body }: Route, example?: { body?: unknown }): Operation['body'] {
  if (takesBytes) return { 'application/octet-stream': { schema: Type.String({ format: 'binary' }) } };
  if (!body) return undefined;
  return { 'application/json': { schema: body, ...(example?.body === undefined ? {} : { example: example.body }) } };
}

const meanings: Readonly<Record<string, string>> = {
  204: 'Done.',
  307: 'Redirects to the address in the header Location.',
  503: 'Not ready.',
};

function listSuccesses(route: Route, routes: readonly Route[]): Response[] {
  return Object.entries(route.replies).map(([text, schema]) => {
    const status = Number(text);
    const description = meanings[text] ?? 'As described.';
    const headers = listSuccessHeaders(route, status, routes);
    if (status === 204) return { status, description, headers };
    const { mediaTypes, ...plain } = schema as TSchema & { mediaTypes?: readonly string[] };
    const types = mediaTypes ?? [(plain['contentMediaType'] as string | undefined) ?? 'application/json'];
    const content = Object.fromEntries(types.map((type) => [type, plain]));
    return { status, description, headers, content, examples: replyExamples[getRouteKey(route)] };
  });
}

/** Conditional resources have an ETag in every reply that shows them, also in the one to their creation. */
function listSuccessHeaders(route: Route, status: number, routes: readonly Route[]): HeaderName[] {
  const isRead = ({ path, hasEtag }: Route) => hasEtag === true && path.startsWith(`${route.path}/{`);
  const hasEtag = status === 201 ? routes.some(isRead) : status === 200 && (route.hasEtag || route.isConditional);
  return [...(hasEtag ? (['ETag'] as const) : []), ...(route.headers ?? [])];
}

function listFailures(route: Route): Response[] {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of findErrors(route)) {
    const status = code === 'VALIDATION_ERROR' ? (route.invalidStatus ?? 400) : errorCatalogue[code].status;
    if (status in route.replies) continue;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return [...byStatus].map(([status, codes]) => ({
    status,
    description: codes.map((code) => `${code}: ${errorCatalogue[code].text}`).join(' '),
    content: { 'application/json': ErrorReply },
    example: {
      errors: codes.map((code) => ({ code: spellCode(code, 'upper'), message: errorCatalogue[code].text })).slice(0, 1),
      trace: sampleValues['trace'],
      status_code: status,
    },
    ...(status === 401 ? { headers: ['WWW-Authenticate'] as const } : {}),
  }));
}

function hasProperties(schema: TObject): boolean {
  return Object.keys(schema.properties ?? {}).length > 0;
}
