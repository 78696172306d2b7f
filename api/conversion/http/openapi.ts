import type { TObject } from '@sinclair/typebox';
import { RequestProblems } from './problem-schema';
import type { ConversionRoute } from './route';

type Json = Record<string, unknown>;

/** The routes as an OpenAPI 3.1 document with the names of components that clients check. What has a default may be left out. */
export function conversionDocument(routes: readonly ConversionRoute[], version: string): Json {
  const components = new Map<string, unknown>();
  const paths: Record<string, Json> = {
    '/health': { get: plain('health', 'The process is alive.') },
    '/ready': { get: plain('ready', 'Whether everything that requests need can be reached, with reasons.') },
  };
  for (const route of routes.filter(({ isHidden }) => !isHidden))
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route, components) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Docloom conversion service',
      version,
      description:
        'Converts documents into Markdown, JSON, HTML, text and chunks. The pipeline server is at /api/v1/docs.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: Object.fromEntries(components),
      securitySchemes: { APIKeyAuth: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } },
    },
  };
}

/** The same in the older notation: single values as `enum`, null as `nullable`. */
export function conversionDocument30(routes: readonly ConversionRoute[], version: string): Json {
  const document = older(conversionDocument(routes, version)) as Json;
  const { identifier: _, ...license } = (document['info'] as { license: Json }).license;
  return { ...document, openapi: '3.0.3', info: { ...(document['info'] as Json), license } };
}

function plain(name: string, summary: string): Json {
  const schema = { type: 'object', properties: { status: { type: 'string' } }, required: ['status'] };
  const content = { 'application/json': { schema } };
  return {
    operationId: name,
    summary,
    tags: ['health'],
    security: [],
    responses: { '200': { description: 'Yes.', content } },
  };
}

function operation(route: ConversionRoute, components: Map<string, unknown>): Json {
  const parameters = [
    ...parametersOf(route.params, 'path', components),
    ...parametersOf(route.query, 'query', components),
  ];
  const takesInput = route.bodies !== undefined || parameters.length > 0;
  const contents = (schemas: ConversionRoute['replies']) =>
    Object.fromEntries(
      Object.entries(schemas).map(([type, schema]) => [type, { schema: component(schema, components) }]),
    );
  const refusals = [...route.refusals, ...(route.needsKey ? [401] : []), ...(takesInput ? [422] : [])];
  return {
    operationId: `${route.method.toLowerCase()}_${route.path
      .split(/[^A-Za-z0-9]+/)
      .filter(Boolean)
      .join('_')}`,
    summary: route.summary,
    tags: route.tags,
    security: route.needsKey ? [{ APIKeyAuth: [] }] : [],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.bodies ? { requestBody: { required: true, content: contents(route.bodies) } } : {}),
    responses: {
      '200': { description: 'As described.', content: contents(route.replies) },
      ...Object.fromEntries(
        refusals
          .toSorted((one, other) => one - other)
          .map((status) => [
            String(status),
            {
              description: meanings[status] ?? 'Refused.',
              content: { 'application/json': { schema: component(RequestProblems, components) } },
            },
          ]),
      ),
    },
  };
}

const meanings: Readonly<Record<number, string>> = {
  400: 'The body cannot be read.',
  401: 'A key is needed.',
  403: 'The server is configured not to tell.',
  404: 'There is no such task, or it has no result yet.',
  413: 'The body is too large.',
  415: 'The encoding of the body is not supported.',
  422: 'The request is invalid, or the server does not allow it.',
  502: 'The result could not be written to its target.',
  503: 'A server behind this one is away; the header Retry-After says when to try again.',
  504: 'The conversion takes longer than a synchronous call may; the header X-Task-Id names the task, which goes on.',
};

function parametersOf(schema: TObject, where: 'path' | 'query', components: Map<string, unknown>): Json[] {
  return Object.entries(schema.properties).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path',
    schema: component(property, components),
  }));
}

/** The schema with every part that has an `$id` moved to the components, and nothing required that has a default. */
function component(schema: unknown, components: Map<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => component(item, components));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $id, default: value, ...rest } = schema as Json;
  const inner = () => {
    const parts = Object.entries(rest).map(([key, part]) => [key, component(part, components)] as const);
    const made: Json = Object.fromEntries(parts);
    const required = requiredOf(rest);
    if (!required) return made;
    if (required.length > 0) made['required'] = required;
    else delete made['required'];
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

function requiredOf({ required, properties }: Json): string[] | undefined {
  if (!Array.isArray(required) || typeof properties !== 'object' || properties === null) return undefined;
  const members = properties as Record<string, { default?: unknown; const?: unknown }>;
  return (required as string[]).filter(
    (name) => members[name]?.default === undefined || members[name].const !== undefined,
  );
}

function older(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(older);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { const: only, anyOf, examples: _examples, prefixItems: _prefix, exclusiveMinimum, ...rest } = schema as Json;
  const made: Json = Object.fromEntries(Object.entries(rest).map(([key, part]) => [key, older(part)]));
  if (only !== undefined) Object.assign(made, { type: 'string', enum: [only] });
  if (typeof exclusiveMinimum === 'number') Object.assign(made, { minimum: exclusiveMinimum, exclusiveMinimum: true });
  if (made['type'] === 'array' && made['items'] === undefined) made['items'] = { type: 'string' };
  if (Array.isArray(anyOf)) {
    const members = anyOf as { type?: string }[];
    made['anyOf'] = members.filter(({ type }) => type !== 'null').map(older);
    if (members.some(({ type }) => type === 'null')) made['nullable'] = true;
  }
  const { patternProperties } = made;
  delete made['propertyNames'];
  if (typeof patternProperties === 'object' && patternProperties !== null) {
    delete made['patternProperties'];
    made['additionalProperties'] = Object.values(patternProperties)[0] ?? {};
  }
  // In this notation nothing may stand beside a reference.
  const { $ref: reference, ...beside } = made;
  return reference === undefined || Object.keys(beside).length === 0
    ? made
    : { ...beside, allOf: [{ $ref: reference }] };
}
