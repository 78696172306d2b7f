import Ajv2020 from 'ajv/dist/2020';
import { buildPipelineDocument } from '../../../api/http/openapi';
import { replyExamples } from '../../../api/http/reply-examples';
import { routes } from '../../../api/routes';
import { writeRunCsv } from '../../../api/run/csv';
import { operators } from '../../../operators';
import type { RunRecord } from '../../../services/run/run-record';

type Json = Record<string, unknown>;

const document = JSON.parse(JSON.stringify(buildPipelineDocument(routes, '1.2.3', operators))) as {
  paths: Record<string, Record<string, Json>>;
  components: { schemas: Record<string, Json>; headers: Record<string, Json> };
};
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

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

const getComponent = (name: string) => document.components.schemas[name] ?? {};

test('choices are enums and maps are additionalProperties', () => {
  const found: unknown[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { anyOf, patternProperties } = value as { anyOf?: Json[]; patternProperties?: unknown };
    if (patternProperties !== undefined && typeof patternProperties !== 'string') found.push(value);
    if (Array.isArray(anyOf) && anyOf.filter((choice) => 'const' in choice).length > 1) found.push(value);
    for (const part of Object.values(value)) walk(part);
  };
  walk(document);
  expect(found).toEqual([]);
  expect(getComponent('ValidationReply')).toHaveProperty('properties.status', {
    type: 'string',
    enum: ['SUCCEEDED', 'FAILED', 'SUCCEEDED_WITH_WARNINGS'],
  });
});

test('no object within a component gets the name of another component', () => {
  const capital = (text: string) =>
    text.replaceAll(/(?:^|[^A-Za-z0-9]+)(.)/g, (_all, value: string) => value.toUpperCase());
  const names = new Set(Object.keys(document.components.schemas));
  const taken: string[] = [];
  const walk = (schema: Json, name: string, isComponent: boolean): void => {
    if (!isComponent && (schema['properties'] || schema['enum']) && names.has(name)) taken.push(name);
    for (const [member, part] of Object.entries((schema['properties'] ?? {}) as Record<string, Json>))
      walk(part, name + capital(member), false);
    for (const part of (schema['anyOf'] ?? schema['oneOf'] ?? []) as Json[]) walk(part, name, false);
    if (schema['items']) walk(schema['items'] as Json, `${name}Item`, false);
  };
  for (const [name, schema] of Object.entries(document.components.schemas)) walk(schema, name, true);
  expect(taken).toEqual([]);
});

test('constants of one enum keep distinct names in capitals', () => {
  expect(getComponent('VectordbConfig')).toHaveProperty(
    'properties.provider_config.properties.algorithm.x-enum-varnames',
    ['HNSW', 'HNSW_2'],
  );
});

test('the type of an operator selects its configuration; replies accept any stored one', () => {
  const { discriminator, oneOf } = getComponent('FlowOperatorInput');
  expect(discriminator).toHaveProperty('mapping.chunker', '#/components/schemas/ChunkerOperator');
  expect(oneOf).toHaveLength(operators.length);
  const accepts = createAjv().compile({ $ref: 'document#/$defs/FlowCreate' });
  const flow = (config: unknown) => ({ flow_name: 'f', flow: [{ type: 'chunker', name: 'c', config }] });
  expect(accepts(flow({ chunk_type: 'simple' }))).toBe(true);
  expect(accepts(flow({ chunk_type: 7 }))).toBe(false);
  const { FlowCreate: _create, ...others } = document.components.schemas;
  const replies = operations.map(({ responses }) => responses);
  const reached = new Set<string>();
  const follow = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value ?? {}).matchAll(/schemas\/(\w+)"/g)) {
      if (reached.has(name)) continue;
      reached.add(name);
      follow(others[name]);
    }
  };
  follow(replies);
  expect(reached).toContain('FlowOperator');
  expect(reached).not.toContain('FlowOperatorInput');
});

test('the two formats of a flow exclude each other', () => {
  expect(getComponent('FlowPage')).toHaveProperty('properties.flows.items.oneOf', [
    { $ref: '#/components/schemas/Flow' },
    { $ref: '#/components/schemas/ElyraFlow' },
  ]);
});

test('every JSON reply has an example of its schema', () => {
  const ajv = createAjv();
  const bad: unknown[] = [];
  for (const { operationId: id, responses } of operations)
    for (const [status, { content = {} }] of Object.entries(responses as Record<string, { content?: Json }>)) {
      const { schema, example } = (content['application/json'] ?? {}) as { schema?: unknown; example?: unknown };
      if (schema === undefined || Object.keys(schema as Json).length === 0) continue;
      const fits = ajv.compile(inAjv(schema) as object);
      if (!fits(example))
        bad.push([id, status, fits.errors?.map(({ instancePath, message }) => [instancePath, message])]);
    }
  expect(bad).toEqual([]);
});

test('every text reply has an example, except the pages of the documentation', () => {
  const isBinary = (type: string) => /octet-stream|parquet|zip|^image\//.test(type);
  const missing: unknown[] = [];
  for (const { operationId: id, responses, tags } of operations)
    for (const [status, { content = {} }] of Object.entries(responses as Record<string, { content?: Json }>))
      for (const [type, media] of Object.entries(content))
        if (
          status === '200' &&
          !isBinary(type) &&
          !(tags as string[]).includes('Documentation') &&
          !('example' in (media as Json))
        )
          missing.push([id, type]);
  expect(missing).toEqual([]);
});

test('the examples of reports have the columns of the reports', async () => {
  const empty = { iterateResults: async function* () {}, listDocuments: async () => ({ items: [], total: 0 }) };
  const lines = writeRunCsv(empty, { job_run_id: 'r' } as RunRecord, { isNamed: true });
  const { value: header } = await lines.next();
  expect(replyExamples['get_job_runs_job_run_id_report']?.['text/csv']).toMatch(String(header).trim());
});

test('headers: Location of created resources, ETag of conditional resources, Retry-After', () => {
  const getHeaders = (id: string, status: string) => {
    const json = operations.find((operation) => operation['operationId'] === id)?.['responses'] as Json;
    return Object.keys((json[status] as { headers?: Json }).headers ?? {});
  };
  expect(getHeaders('createFlow', '201')).toEqual(['X-Transaction-ID', 'Location', 'ETag']);
  expect(getHeaders('getFlow', '200')).toEqual(['X-Transaction-ID', 'ETag']);
  expect(getHeaders('createConnection', '201')).toEqual(['X-Transaction-ID', 'Location']);
  expect(getHeaders('login', '429')).toEqual(['X-Transaction-ID', 'Retry-After']);
  expect(getHeaders('listFlows', '401')).toEqual(['X-Transaction-ID', 'WWW-Authenticate']);
  for (const [, name = ''] of JSON.stringify(document.paths).matchAll(/"#\/components\/headers\/([^"]+)"/g))
    expect(Object.keys(document.components.headers)).toContain(name);
});
