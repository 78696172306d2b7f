import { conversionRoutes } from '../../../api/conversion';
import { createConversionDocument, createConversionDocument30 } from '../../../api/conversion/http/openapi';
import { ConvertOptions } from '../../../model/conversion/request/options';

interface Operation {
  operationId: string;
  security: unknown[];
  parameters?: { name: string; in: string; required: boolean }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content: Record<string, unknown> }>;
}
interface Schema {
  $ref?: string;
  required?: string[];
  properties?: Record<string, { $ref?: string; const?: string; enum?: unknown[]; deprecated?: boolean }>;
}
interface Described {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}
const newer = createConversionDocument(conversionRoutes, '1.2.3') as unknown as Described;
const older = createConversionDocument30(conversionRoutes, '1.2.3') as unknown as Described;

test('describes each route that is not hidden, and the probes of the server', () => {
  expect(newer.openapi).toBe('3.1.0');
  const described = Object.entries(newer.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const shown = conversionRoutes.filter(({ isHidden }) => !isHidden).map(({ method, path }) => `${method} ${path}`);
  expect(described.sort()).toEqual([...shown, 'GET /health', 'GET /ready'].sort());
});

// Checks of a strict client before it trusts a server.
test.each([
  'ConvertDocumentsOptions',
  'ConvertSourcesRequest',
  'BatchConvertSourcesRequest',
  'TaskStatusResponse',
  'ConvertDocumentResponse',
  'ChunkDocumentResponse',
  'PresignedUrlConvertDocumentResponse',
  'PresignedUrlConvertResponse',
  'DocumentArtifactItem',
  'ArtifactRef',
  'InBodyTarget',
  'ZipTarget',
  'PutTarget',
  'PresignedUrlTarget',
  'S3Target',
  'AzureBlobTarget',
  'GoogleCloudStorageTarget',
  'GoogleDriveTarget',
  'FileSourceRequest',
  'AnyHttpSourceRequest',
  'S3SourceRequest',
  'AzureBlobSourceRequest',
  'GoogleCloudStorageSourceRequest',
  'GoogleDriveSourceRequest',
  'CallbackSpec',
  'HybridChunkerOptionsDocumentsRequest',
  'HierarchicalChunkerOptionsDocumentsRequest',
])('has the component %s', (name) => {
  expect(Object.keys(newer.components.schemas)).toContain(name);
  expect(Object.keys(older.components.schemas)).toContain(name);
});

test('the formats and statuses are components too', () => {
  for (const name of ['InputFormat', 'OutputFormat', 'ConversionStatus'])
    expect(Object.keys(newer.components.schemas)).toContain(name);
});

test('fields without a default are required, and the kinds', () => {
  const required = (name: string) => newer.components.schemas[name]?.required;
  expect(required('ConvertSourcesRequest')).toEqual(['sources']);
  expect(required('ConvertDocumentsOptions')).toBeUndefined();
  expect(required('FileSourceRequest')).toEqual(['kind', 'base64_string', 'filename']);
  expect(required('AnyHttpSourceRequest')).toEqual(['kind', 'url']);
  expect(required('PutTarget')).toEqual(['kind', 'url']);
  expect(required('S3Target')).toEqual(['kind', 'endpoint', 'access_key', 'secret_key', 'bucket']);
  expect(newer.components.schemas['ZipTarget']?.properties?.['kind']?.const).toBe('zip');
});

test('forms have every option as a field, chunking options with prefixes', () => {
  const fields = (path: string) =>
    Object.keys(newer.paths[path]?.['post']?.requestBody?.content['multipart/form-data']?.schema.properties ?? {});
  const options = Object.keys(ConvertOptions.properties);
  expect(fields('/v1/convert/file')).toEqual(expect.arrayContaining(['files', 'target_type', 'callbacks', ...options]));
  expect(fields('/v1/chunk/hybrid/file')).toEqual(
    expect.arrayContaining([
      'files',
      'include_converted_doc',
      'chunking_max_tokens',
      ...options.map((option) => `convert_${option}`),
    ]),
  );
});

test('poll and result take the task id from the path; a result is JSON or an archive', () => {
  for (const path of ['/v1/status/poll/{task_id}', '/v1/result/{task_id}'])
    expect(newer.paths[path]?.['get']?.parameters).toContainEqual(
      expect.objectContaining({ name: 'task_id', in: 'path', required: true }),
    );
  for (const [path, method] of [
    ['/v1/result/{task_id}', 'get'],
    ['/v1/convert/source', 'post'],
  ] as const)
    expect(Object.keys(newer.paths[path]?.[method]?.responses['200']?.content ?? {})).toEqual([
      'application/json',
      'application/zip',
    ]);
});

test('routes that need a key declare it and their refusals', () => {
  expect(newer.paths['/v1/convert/source']?.['post']?.security).toEqual([{ APIKeyAuth: [] }]);
  expect(Object.keys(newer.paths['/v1/convert/source']?.['post']?.responses ?? {})).toEqual([
    '200',
    '400',
    '401',
    '409',
    '413',
    '415',
    '422',
    '502',
    '503',
    '504',
  ]);
  expect(newer.paths['/version']?.['get']?.security).toEqual([]);
});

test('deprecated options are marked', () => {
  const { properties = {} } = newer.components.schemas['ConvertDocumentsOptions'] ?? {};
  const marked = Object.keys(properties).filter((name) => properties[name]?.deprecated);
  expect(marked).toEqual([
    'ocr_engine',
    'picture_description_local',
    'picture_description_api',
    'vlm_pipeline_model',
    'vlm_pipeline_model_local',
    'vlm_pipeline_model_api',
  ]);
});

describe.each([
  ['3.1', newer],
  ['3.0', older],
])('the document of version %s', (_version, document) => {
  test('has a component for every reference, and no internal names', () => {
    const text = JSON.stringify(document);
    for (const [, name = ''] of text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g))
      expect(Object.keys(document.components.schemas)).toContain(name);
    expect(text).not.toContain('"$id"');
  });

  test('has unique operation ids', () => {
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test('the older notation has no const, no null type and no list without items', () => {
  expect(older.openapi).toBe('3.0.3');
  const walk = (part: unknown): unknown[] => {
    if (typeof part !== 'object' || part === null) return [];
    const found = part as Record<string, unknown>;
    const wrong =
      'const' in found ||
      'patternProperties' in found ||
      found['type'] === 'null' ||
      (found['type'] === 'array' && !('items' in found))
        ? [found]
        : [];
    return [...wrong, ...Object.values(found).flatMap(walk)];
  };
  expect(walk(older)).toEqual([]);
});
