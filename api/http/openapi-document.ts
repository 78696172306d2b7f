import type { TObject, TSchema } from '@sinclair/typebox';
import type { RouteFacts } from './api';

export type Json = Record<string, unknown>;
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
}

/** A document without paths: the part that differs between the APIs. */
export interface DocumentHead {
  info: Json;
  tags?: readonly Json[];
  securitySchemes: Json;
}

/** The OpenAPI 3.1 document for the routes and their descriptions. */
export function openApi(head: DocumentHead, operations: readonly (readonly [RouteFacts, Operation])[]): Json {
  const components = new Map<string, unknown>();
  const paths: Record<string, Json> = {};
  for (const [{ method, path }, operation] of operations)
    paths[path] = { ...paths[path], [method.toLowerCase()]: written(operation, components) };
  const license = { name: 'Apache-2.0', identifier: 'Apache-2.0' };
  return {
    openapi: '3.1.0',
    info: { ...head.info, license },
    servers: [{ url: '/' }],
    ...(head.tags ? { tags: head.tags } : {}),
    paths,
    components: { schemas: Object.fromEntries(components), securitySchemes: head.securitySchemes },
  };
}

function written(operation: Operation, components: Map<string, unknown>): Json {
  const { operationId, summary, description, tags, examples, body } = operation;
  const parameters = [
    ...parametersOf(operation.params, 'path', components, examples),
    ...parametersOf(operation.query, 'query', components, examples),
    ...(operation.headers ?? []),
  ];
  const content =
    body && mapValues(body, ({ schema, ...example }) => ({ schema: part(schema, components), ...example }));
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
        .toSorted((one, other) => one.status - other.status)
        .map((response) => [String(response.status), responseOf(response, components)]),
    ),
  };
}

function responseOf({ description, content }: Response, components: Map<string, unknown>): Json {
  if (!content) return { description };
  return { description, content: mapValues(content, (schema) => ({ schema: part(schema, components) })) };
}

function parametersOf(
  schema: TObject,
  where: 'path' | 'query',
  components: Map<string, unknown>,
  examples: Examples = {},
): Json[] {
  const required = new Set(requiredOf(schema));
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path' || required.has(name),
    ...(property.description ? { description: property.description } : {}),
    ...(property['deprecated'] ? { deprecated: true } : {}),
    schema: part(property, components),
    ...(examples[name] === undefined ? {} : { example: examples[name] }),
  }));
}

/** Moves every part with an `$id` to the components, and makes members with a default optional. */
function part(schema: unknown, components: Map<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => part(item, components));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $id, default: value, ...rest } = schema as Json;
  const inner = () => {
    const made = mapValues(rest, (member) => part(member, components));
    const required = requiredOf(rest);
    if (required && required.length > 0) made['required'] = required;
    else if (required) delete made['required'];
    return made;
  };
  const own = value === undefined ? {} : { default: value };
  if (typeof $id !== 'string') return { ...inner(), ...own };
  if (!components.has($id)) {
    components.set($id, {});
    components.set($id, inner());
  }
  return { $ref: `#/components/schemas/${$id}`, ...own };
}

/** The required members without default; undefined if this is not an object schema. */
function requiredOf({ required, properties }: { required?: unknown; properties?: unknown }): string[] | undefined {
  if (!Array.isArray(required) || typeof properties !== 'object' || properties === null) return undefined;
  const members = properties as Record<string, { default?: unknown; const?: unknown }>;
  return (required as string[]).filter(
    (name) => members[name]?.default === undefined || members[name].const !== undefined,
  );
}

function mapValues<T, U>(values: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
