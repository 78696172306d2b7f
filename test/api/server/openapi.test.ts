import Ajv2020 from 'ajv/dist/2020';
import { parameterExamples, requestExamples } from '../../../api/http/examples';
import { buildPipelineDocument } from '../../../api/http/openapi';
import { getOperationId } from '../../../api/http/operation-id';
import { type Route, route, getRouteKey } from '../../../api/http/route';
import { routes } from '../../../api/routes';
import { operators } from '../../../operators';
import { prepare } from '../../support/api/prepared';
import { alice, startApi } from '../../support/api/server';

type Json = Record<string, unknown>;

/** The objects of OpenAPI 3.1 that the document uses, member by member, as its specification has them. */
const openApiSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['openapi', 'info', 'paths'],
  additionalProperties: false,
  properties: {
    openapi: { type: 'string', pattern: '^3\\.1\\.\\d+$' },
    info: {
      type: 'object',
      required: ['title', 'version'],
      additionalProperties: false,
      properties: {
        title: { type: 'string' },
        version: { type: 'string' },
        description: { type: 'string' },
        license: {
          type: 'object',
          required: ['name'],
          additionalProperties: false,
          properties: { name: { type: 'string' }, identifier: { type: 'string' } },
        },
      },
    },
    servers: { type: 'array', items: { type: 'object', required: ['url'], properties: { url: { type: 'string' } } } },
    tags: {
      type: 'array',
      uniqueItems: true,
      items: {
        type: 'object',
        required: ['name'],
        additionalProperties: false,
        properties: { name: { type: 'string' }, description: { type: 'string' } },
      },
    },
    paths: {
      type: 'object',
      propertyNames: { pattern: '^/' },
      additionalProperties: {
        type: 'object',
        minProperties: 1,
        propertyNames: { enum: ['get', 'put', 'post', 'delete', 'patch'] },
        additionalProperties: { $ref: '#/$defs/operation' },
      },
    },
    components: {
      type: 'object',
      additionalProperties: false,
      properties: {
        schemas: {
          type: 'object',
          propertyNames: { pattern: '^[A-Za-z0-9._-]+$' },
          additionalProperties: { $ref: '#/$defs/schema' },
        },
        headers: {
          type: 'object',
          additionalProperties: {
            type: 'object',
            required: ['description', 'schema'],
            additionalProperties: false,
            properties: { description: { type: 'string' }, schema: { $ref: '#/$defs/schema' } },
          },
        },
        securitySchemes: {
          type: 'object',
          additionalProperties: {
            type: 'object',
            required: ['type'],
            additionalProperties: false,
            properties: {
              type: { enum: ['apiKey', 'http', 'mutualTLS', 'oauth2', 'openIdConnect'] },
              scheme: { type: 'string' },
              bearerFormat: { type: 'string' },
              description: { type: 'string' },
            },
          },
        },
      },
    },
  },
  $defs: {
    schema: { type: ['object', 'boolean'] },
    content: {
      type: 'object',
      minProperties: 1,
      propertyNames: { pattern: '^[a-z]+/[a-z0-9.+-]+(; ?[a-z]+=[A-Za-z0-9.-]+)*$' },
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        properties: { schema: { $ref: '#/$defs/schema' }, example: true },
      },
    },
    operation: {
      type: 'object',
      required: ['responses'],
      additionalProperties: false,
      properties: {
        operationId: { type: 'string' },
        summary: { type: 'string' },
        description: { type: 'string' },
        deprecated: { const: true },
        tags: { type: 'array', items: { type: 'string' }, minItems: 1, uniqueItems: true },
        security: { type: 'array', items: { type: 'object', additionalProperties: { type: 'array' } } },
        parameters: {
          type: 'array',
          items: {
            type: 'object',
            required: ['name', 'in', 'schema'],
            additionalProperties: false,
            properties: {
              name: { type: 'string' },
              in: { enum: ['query', 'header', 'path'] },
              required: { type: 'boolean' },
              deprecated: { const: true },
              description: { type: 'string' },
              schema: { $ref: '#/$defs/schema' },
              example: true,
            },
            if: { properties: { in: { const: 'path' } } },
            // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
            then: { properties: { required: { const: true } }, required: ['required'] },
          },
        },
        requestBody: {
          type: 'object',
          required: ['content'],
          additionalProperties: false,
          properties: { required: { type: 'boolean' }, content: { $ref: '#/$defs/content' } },
        },
        responses: {
          type: 'object',
          minProperties: 1,
          propertyNames: { pattern: '^[1-5]\\d\\d$' },
          additionalProperties: {
            type: 'object',
            required: ['description'],
            additionalProperties: false,
            properties: {
              description: { type: 'string' },
              headers: {
                type: 'object',
                additionalProperties: {
                  type: 'object',
                  required: ['$ref'],
                  additionalProperties: false,
                  properties: { $ref: { type: 'string', pattern: '^#/components/headers/[A-Za-z-]+$' } },
                },
              },
              content: { $ref: '#/$defs/content' },
            },
          },
        },
      },
    },
  },
};

const document = JSON.parse(JSON.stringify(buildPipelineDocument(routes, '1.2.3', operators))) as Json & {
  paths: Record<string, Record<string, Json & { parameters?: Json[]; requestBody?: { content: Json } }>>;
  components: { schemas: Record<string, Json>; headers: Record<string, Json> };
};
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
const getParameters = (id: string) => operations.find((operation) => operation['operationId'] === id)?.parameters ?? [];

test('the document is OpenAPI 3.1', () => {
  const validate = new Ajv2020({ allErrors: true, strict: false }).compile(openApiSchema);
  validate(document);
  expect(validate.errors ?? []).toEqual([]);
});

/** Checks values against schemas of the document. */
function createAjv() {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const schema = { $id: 'document', $defs: document.components.schemas };
  ajv.addSchema(inAjv(schema) as object);
  return ajv;
}

/** References as `createAjv` knows them. */
function inAjv(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll('#/components/schemas/', 'document#/$defs/'));
}

test('every schema is JSON Schema 2020-12, references included', () => {
  const ajv = createAjv();
  const schemasIn = (value: unknown): unknown[] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, part]) =>
          key === 'schema' ? [part] : key === 'schemas' || key === 'example' ? [] : schemasIn(part),
        )
      : [];
  const found = schemasIn(inAjv(document));
  expect(found.length).toBeGreaterThan(200);
  const names = Object.keys(document.components.schemas).map((name) => ({ $ref: `document#/$defs/${name}` }));
  for (const value of [...found, ...names]) expect(() => ajv.compile(value as object)).not.toThrow();
});

test('header parameters: If-Match where a change is conditional, Idempotency-Key where a request can be repeated', () => {
  for (const route of routes) {
    const headers = getParameters(getOperationId(route)).filter((parameter) => parameter['in'] === 'header');
    const names = headers.map(({ name }) => name);
    expect({ id: getOperationId(route), names }).toEqual({
      id: getOperationId(route),
      names: [
        ...(route.isConditional ? ['If-Match'] : []),
        ...(route.hasEtag ? ['If-None-Match'] : []),
        ...(route.isIdempotent ? ['Idempotency-Key'] : []),
      ],
    });
  }
  expect(routes.filter(({ isIdempotent }) => isIdempotent).map(getOperationId)).toEqual([
    'createJobRun',
    'rerunJob',
    'createGraph',
  ]);
  expect(routes.filter(({ isConditional }) => isConditional)).toHaveLength(7);
});

test('deprecated parts are marked: operations, parameters, members', () => {
  const old = route({
    method: 'GET',
    path: '/old',
    summary: 'Old.',
    group: 'Server',
    auth: 'none',
    isDeprecated: true,
    replies: {},
    errors: [],
    handler: () => undefined as never,
  });
  expect(buildPipelineDocument([old], '1')).toHaveProperty(['paths', '/old', 'get', 'deprecated'], true);
  const [ids] = getParameters('addLibraryDocumentSets').filter(({ name }) => name !== 'library_id');
  expect(ids).toMatchObject({ name: 'document_sets_ids', deprecated: true });
  const members = (name: string) => document.components.schemas[name]?.['properties'] as Record<string, Json>;
  for (const name of ['job_id', 'flow_name', 'flow_config'])
    expect(members('JobRunCreate')[name]).toHaveProperty('deprecated', true);
  for (const name of ['node_sequence', 'job_stats', 'node_metadata'])
    expect(members('JobRun')[name]).toHaveProperty('deprecated', true);
});

describe('examples', () => {
  it('exist for every success reply that has a body', () => {
    const { paths } = buildPipelineDocument(routes, '1', operators) as unknown as {
      paths: Record<string, Record<string, { responses: Record<string, { content?: Record<string, Json> }> }>>;
    };
    const bodies = Object.entries(paths).flatMap(([address, operations]) =>
      Object.entries(operations).flatMap(([method, { responses }]) =>
        Object.entries(responses)
          .filter(([status]) => status.startsWith('2'))
          .flatMap(([, { content = {} }]) =>
            Object.entries(content).map(([type, body]) => ({ reply: `${method} ${address} ${type}`, body })),
          ),
      ),
    );
    expect(bodies.length).toBeGreaterThan(200);
    expect(bodies.filter(({ body }) => !('example' in body)).map(({ reply }) => reply)).toEqual([]);
  });

  const takesInput = (route: Route) => route.body !== undefined || Object.keys(route.query.properties ?? {}).length > 0;
  // No provider and no model is set up here, the secrets of a login are good once, and the run has ended.
  const refused: Record<string, number[]> = {
    get_auth_oauth2_authorize: [503],
    get_auth_oauth2_callback: [503],
    get_auth_oauth2_discovery_provider: [503],
    post_auth_oauth2_token: [401],
    post_job_runs_job_run_id_cancel: [409],
    get_job_runs_job_run_id_controls: [409],
    post_job_runs_job_run_id_pause: [409],
    post_job_runs_job_run_id_resume: [409],
    put_job_runs_job_run_id_concurrency: [409],
    post_graphs_graph_id_update: [409],
    patch_graphs_graph_id: [409],
    // The document of the example is not among those in memory.
    post_judged_queries: [404],
    get_graphs_graph_id_documents: [409],
    get_graphs_graph_id_pairs: [409],
    post_graphs_graph_id_pairs: [409],
    get_graphs_graph_id_neighbours: [404],
    get_graphs_graph_id_paths: [404],
    get_audit: [403],
    get_storage: [403],
    get_identity_maps: [403],
    get_identity_maps_map_id: [403],
    put_identity_maps_map_id: [403],
    delete_identity_maps_map_id: [403],
    get_identity_maps_map_id_identities: [403],
    post_identity_maps_map_id_sync: [403],
    post_service_accounts: [403],
    get_service_accounts: [403],
    get_service_accounts_account_name: [403],
    delete_service_accounts_account_name: [403],
    post_access_explain: [403],
    post_documents_search_as: [403],
    post_documents_ask: [503],
    post_temporal_codec_session: [403],
    post_temporal_codec_decode: [403],
    post_temporal_codec_encode: [403],
  };

  test('every operation with a query or a body, and every path parameter, has one', () => {
    const ids = routes.filter(takesInput).map(getRouteKey);
    expect(Object.keys(requestExamples).toSorted()).toEqual(ids.toSorted());
    const names = routes.flatMap(({ params }) => Object.keys(params.properties ?? {}));
    expect(Object.keys(parameterExamples).toSorted()).toEqual([...new Set(names)].toSorted());
  });

  test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s takes its own',
    async (_name, route) => {
      const { query = {}, body } = requestExamples[getRouteKey(route)] ?? {};
      const { api, ids } = await prepare(
        typeof body === 'object' && body !== null && 'flow' in body ? { operators } : {},
      );
      try {
        const path = route.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? name);
        const text = new URLSearchParams(
          Object.entries(query).flatMap(([name, value]) =>
            [value].flat().map((item): [string, string] => [name, String(item)]),
          ),
        ).toString();
        const reply = await api.call(route.method, `${path}${text ? `?${text}` : ''}`, {
          user: alice,
          body: route.takesBytes ? Buffer.from('text') : body,
        });
        expect(refused[getRouteKey(route)] ?? Object.keys(route.replies).map(Number)).toContain(reply.status);
      } finally {
        await api.close();
      }
    },
  );
});

test('the running api serves it', async () => {
  const api = await startApi();
  const { body } = await api.call('GET', '/api/v1/openapi.json');
  expect(Object.keys(body['paths'])).toEqual(Object.keys(document.paths));
  await api.close();
});
