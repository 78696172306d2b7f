import { Type } from '@sinclair/typebox';
import type { RouteFacts } from '../../http/api';
import { type Json, buildOpenApi, type Operation } from '../../http/openapi-document';
import { getOperationId } from '../../http/operation-id';
import { RequestProblems } from './problem-schema';
import { buildRequestExample } from './request-examples';
import type { ConversionRoute } from './route';

/** The routes as an OpenAPI 3.1 document, with the component names that clients check. Members with a default are optional. */
export function createConversionDocument(routes: readonly ConversionRoute[], version: string): Json {
  return buildOpenApi(
    {
      info: {
        title: 'Docloom conversion service',
        version,
        description:
          'Converts documents into Markdown, JSON, HTML, text and chunks. The pipeline server is at /api/v1/docs.',
      },
      tags: conversionGroups,
      securitySchemes: {
        APIKeyAuth: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Api-Key',
          description: 'One of the keys in CONVERT_SERVE_API_KEY. Without keys, everybody may convert.',
        },
      },
    },
    [
      buildProbe('health', 'The process is alive.'),
      buildProbe('ready', 'Whether everything that requests need can be reached, with reasons.'),
      ...routes.filter(({ isHidden }) => !isHidden).map((route) => [route, buildOperation(route)] as const),
    ],
  );
}

/** The same document as OpenAPI 3.0: constants as `enum`, null as `nullable`. */
export function createConversionDocument30(routes: readonly ConversionRoute[], version: string): Json {
  const document = toOlderDialect(createConversionDocument(routes, version)) as Json;
  const { identifier: _, ...license } = (document['info'] as { license: Json }).license;
  return { ...document, openapi: '3.0.3', info: { ...(document['info'] as Json), license } };
}

/** Descriptions of the groups of routes. */
const conversionGroups = [
  { name: 'health', description: 'Whether the service is up.' },
  {
    name: 'convert',
    description: 'Converts documents to Markdown, JSON, HTML and other formats, synchronously or as a task.',
  },
  { name: 'chunk', description: 'Splits documents into chunks for an index, synchronously or as a task.' },
  { name: 'tasks', description: 'Tasks that convert: watch, list, cancel them, and fetch their results.' },
  { name: 'clear', description: 'Removes results; converters need no clearing here.' },
  { name: 'management', description: 'What the service uses.' },
];

/** A probe of the pipeline server that clients of this service also call. */
function buildProbe(name: string, summary: string): readonly [RouteFacts, Operation] {
  const content = { 'application/json': Type.Object({ status: Type.String() }) };
  const responses = [{ status: 200, description: 'Yes.', content }];
  const nothing = Type.Object({});
  const operation = { operationId: name, summary, tags: ['health'], security: [], params: nothing, query: nothing };
  return [
    { method: 'GET', path: `/${name}` },
    { ...operation, responses },
  ];
}

function buildOperation(route: ConversionRoute): Operation {
  const { summary, tags, params, query, bodies, replies } = route;
  const hasParameters = [params, query].some(({ properties }) => Object.keys(properties).length > 0);
  const takesInput = bodies !== undefined || hasParameters;
  const refusals = [...route.refusals, ...(route.needsKey ? [401] : []), ...(takesInput ? [422] : [])];
  return {
    operationId: getOperationId(route),
    summary,
    tags,
    security: route.needsKey ? ['APIKeyAuth'] : [],
    params,
    query,
    body:
      bodies &&
      Object.fromEntries(
        Object.entries(bodies).map(([type, schema]) => [type, { schema, example: buildRequestExample(route, type) }]),
      ),
    responses: [
      { status: 200, description: 'As described.', content: replies },
      ...refusals.map((status) => ({
        status,
        description: meanings[status] ?? 'Refused.',
        content: { 'application/json': RequestProblems },
      })),
    ],
  };
}

const meanings: Readonly<Record<number, string>> = {
  400: 'The body cannot be read.',
  401: 'A key is needed.',
  403: 'The server is configured not to show this.',
  404: 'The task does not exist or has no result yet.',
  413: 'The body is too large.',
  415: 'The encoding of the body is not supported.',
  422: 'The request is invalid, or the server does not allow it.',
  502: 'The result could not be written to its target.',
  503: 'A server behind this one is unreachable; the header Retry-After says when to try again.',
  504: 'The conversion takes longer than a synchronous call may; the header X-Task-Id names the task, which continues.',
};

function toOlderDialect(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toOlderDialect);
  if (typeof schema !== 'object' || schema === null) return schema;
  const {
    const: only,
    anyOf,
    examples: _examples,
    prefixItems: _prefix,
    exclusiveMinimum,
    ...members
  } = schema as Json;
  const json: Json = Object.fromEntries(Object.entries(members).map(([key, part]) => [key, toOlderDialect(part)]));
  if (only !== undefined) Object.assign(json, { type: 'string', enum: [only] });
  if (typeof exclusiveMinimum === 'number') Object.assign(json, { minimum: exclusiveMinimum, exclusiveMinimum: true });
  if (json['type'] === 'array' && json['items'] === undefined) json['items'] = { type: 'string' };
  if (Array.isArray(anyOf)) {
    const members = anyOf as { type?: string }[];
    json['anyOf'] = members.filter(({ type }) => type !== 'null').map(toOlderDialect);
    if (members.some(({ type }) => type === 'null')) json['nullable'] = true;
  }
  const { patternProperties } = json;
  delete json['propertyNames'];
  if (typeof patternProperties === 'object' && patternProperties !== null) {
    delete json['patternProperties'];
    json['additionalProperties'] = Object.values(patternProperties)[0] ?? {};
  }
  // OpenAPI 3.0 allows nothing next to a reference.
  const { $ref: reference, ...beside } = json;
  return reference === undefined || Object.keys(beside).length === 0
    ? json
    : { ...beside, allOf: [{ $ref: reference }] };
}
