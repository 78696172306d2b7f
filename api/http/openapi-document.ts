import type { TObject, TSchema } from '@sinclair/typebox';
import type { RouteFacts } from './api';
import { type HeaderName, getHeaders, describeHeaders } from './openapi-headers';
import { getSample } from './openapi-samples';
import { createSchemaWriter, type Json, findRequired, type SchemaWriter } from './openapi-schema';

export type { Json } from './openapi-schema';
type Examples = Readonly<Record<string, unknown>>;

/** Describes one route in the document. A schema with an `$id` becomes a component of that name. */
export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: readonly string[];
  isDeprecated?: boolean;
  /** Names of the security schemes, one of which is required; empty for public routes. */
  security: readonly string[];
  params: TObject;
  query: TObject;
  /** Example values of parameters, for trying the route. */
  examples?: Examples;
  /** Header parameters in OpenAPI form. */
  headers?: readonly Json[];
  /** Body schemas by media type. */
  body?: Readonly<Record<string, { schema: TSchema; example?: unknown }>>;
  responses: readonly Response[];
}

/** One possible status of a reply. */
export interface Response {
  status: number;
  description: string;
  /** Schemas by media type. */
  content?: Readonly<Record<string, TSchema>>;
  /** Headers in addition to those that every reply of the status has; see `openapi-headers.ts`. */
  headers?: readonly HeaderName[];
  /** The example of a JSON body; default: made from its schema. */
  example?: unknown;
  /** Examples of other bodies, by media type. */
  examples?: Examples;
}

/** A document without paths: the part that differs between the APIs. */
export interface DocumentHead {
  info: Json;
  tags?: readonly Json[];
  securitySchemes: Json;
  /** In request bodies, these schemas replace those with the same `$id`. */
  inRequests?: ReadonlyMap<string, TSchema>;
}

interface Writers {
  request: SchemaWriter;
  reply: SchemaWriter;
}

/** The OpenAPI 3.1 document for the routes and their descriptions. */
export function buildOpenApi(head: DocumentHead, operations: readonly (readonly [RouteFacts, Operation])[]): Json {
  const components = new Map<string, unknown>();
  const writers = { reply: createSchemaWriter(components), request: createSchemaWriter(components, head.inRequests) };
  const paths: Record<string, Json> = {};
  for (const [{ method, path }, operation] of operations)
    paths[path] = { ...paths[path], [method.toLowerCase()]: writeOperation(operation, writers) };
  const license = { name: 'Apache-2.0', identifier: 'Apache-2.0' };
  return {
    openapi: '3.1.0',
    info: { ...head.info, license },
    servers: [{ url: '/' }],
    ...(head.tags ? { tags: head.tags } : {}),
    paths,
    components: {
      schemas: Object.fromEntries(components),
      headers: describeHeaders(operations.flatMap(([, { responses }]) => responses)),
      securitySchemes: head.securitySchemes,
    },
  };
}

function writeOperation(operation: Operation, { request, reply }: Writers): Json {
  const { operationId, summary, description, tags, examples, body } = operation;
  const parameters = [
    ...listParameters(operation.params, 'path', request, examples),
    ...listParameters(operation.query, 'query', request, examples),
    ...(operation.headers ?? []),
  ];
  const content = body && mapEntries(body, ({ schema, ...example }) => ({ schema: request(schema), ...example }));
  return {
    operationId,
    summary,
    ...(description ? { description } : {}),
    tags,
    ...(operation.isDeprecated ? { deprecated: true } : {}),
    security: operation.security.map((name) => ({ [name]: [] })),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(content ? { requestBody: { required: true, content } } : {}),
    responses: Object.fromEntries(
      operation.responses
        .toSorted((response, other) => response.status - other.status)
        .map((response) => [String(response.status), buildResponse(response, reply)]),
    ),
  };
}

function buildResponse(
  { status, description, content, headers = [], ...examples }: Response,
  write: SchemaWriter,
): Json {
  const reply = { description, headers: getHeaders(status, headers) };
  if (!content) return reply;
  return {
    ...reply,
    content: mapEntries(content, (schema, type) => ({ schema: write(schema), ...getExample(type, schema, examples) })),
  };
}

/** Examples of replies that are files: what they are, because their bytes say nothing to a reader. */
const describedFiles: Readonly<Record<string, string>> = {
  'application/octet-stream': '(the bytes of the file)',
  'application/vnd.apache.parquet': 'PAR1 (the bytes of a Parquet file)',
  'application/zip': 'PK (the bytes of a ZIP archive)',
  'image/png': '(the bytes of a PNG image)',
  'text/css; charset=utf-8': '.swagger-ui { color: #3b4151; }',
  'text/html; charset=utf-8': '<!doctype html><title>Docloom API</title>',
  'text/javascript; charset=utf-8': "const ui = SwaggerUIBundle({ url: '/api/v1/openapi.json' });",
};

function getExample(mediaType: string, schema: TSchema, { example: body, examples }: Partial<Response>): Json {
  const general = mediaType === 'application/json' ? (body ?? getSample(schema)) : describedFiles[mediaType];
  const example = examples?.[mediaType] ?? general;
  return example === undefined ? {} : { example };
}

function listParameters(
  schema: TObject,
  where: 'path' | 'query',
  write: SchemaWriter,
  examples: Examples = {},
): Json[] {
  const required = new Set(findRequired(schema));
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path' || required.has(name),
    ...(property.description ? { description: property.description } : {}),
    ...(property['deprecated'] ? { deprecated: true } : {}),
    schema: write(property),
    ...(examples[name] === undefined ? {} : { example: examples[name] }),
  }));
}

function mapEntries<T, U>(
  values: Readonly<Record<string, T>>,
  change: (value: T, name: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));
}
