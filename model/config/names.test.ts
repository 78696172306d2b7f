import { describeConfig, readConfig } from '.';

test('a setting is read under its own name, otherwise under its alias', () => {
  expect(readConfig({ DOCLING_SERVE_API_KEY: 'a, b' }).CONVERT_SERVE_API_KEY).toEqual(['a', 'b']);
  expect(readConfig({ DOCLING_SERVE_API_KEY: 'a', CONVERT_SERVE_API_KEY: 'b' }).CONVERT_SERVE_API_KEY).toEqual(['b']);
  expect(readConfig({ DOCLING_SERVE_API_KEY: 'a', CONVERT_SERVE_API_KEY: ' ' }).CONVERT_SERVE_API_KEY).toEqual(['a']);
  const [described] = describeConfig({ DOCLING_SERVE_API_KEY: 'a' }).filter(
    ({ name }) => name === 'CONVERT_SERVE_API_KEY',
  );
  expect(described).toMatchObject({ value: '********', origin: 'environment' });
});

test('numbers may have a fraction, and are rejected below their minimum', () => {
  expect(readConfig({ CONVERT_SERVE_MAX_SYNC_WAIT: '1.5' }).CONVERT_SERVE_MAX_SYNC_WAIT).toBe(1.5);
  for (const text of ['-1', 'soon', 'Infinity'])
    expect(() => readConfig({ CONVERT_SERVE_MAX_SYNC_WAIT: text })).toThrow(
      `CONVERT_SERVE_MAX_SYNC_WAIT is '${text}'; it must be a number from 0`,
    );
});

test.each([
  ['UVICORN_HOST', 'DOCLOOM_HOST', '0.0.0.0', '0.0.0.0'],
  ['UVICORN_PORT', 'DOCLOOM_PORT', '5001', 5001],
  ['DOCLING_SERVE_API_KEY', 'CONVERT_SERVE_API_KEY', 'k', ['k']],
  ['DOCLING_SERVE_ENABLE_REMOTE_SERVICES', 'CONVERT_SERVE_ENABLE_REMOTE_SERVICES', 'true', true],
  ['DOCLING_SERVE_MAX_SYNC_WAIT', 'CONVERT_SERVE_MAX_SYNC_WAIT', '7', 7],
  ['DOCLING_SERVE_MAX_DOCUMENT_TIMEOUT', 'CONVERT_SERVE_MAX_DOCUMENT_TIMEOUT', '7', 7],
  ['DOCLING_SERVE_MAX_SOURCES_PER_REQUEST', 'CONVERT_SERVE_MAX_SOURCES_PER_REQUEST', '7', 7],
  ['DOCLING_SERVE_MAX_IMAGES_SCALE', 'CONVERT_SERVE_MAX_IMAGES_SCALE', '1.5', 1.5],
  ['DOCLING_SERVE_MAX_NUM_PAGES', 'CONVERT_SERVE_MAX_NUM_PAGES', '7', 7],
  ['DOCLING_SERVE_MAX_FILE_SIZE', 'CONVERT_SERVE_MAX_FILE_SIZE', '7', 7],
  [
    'DOCLING_SERVE_ALLOWED_IMAGE_EXPORT_MODES',
    'CONVERT_SERVE_ALLOWED_IMAGE_EXPORT_MODES',
    '["embedded"]',
    ['embedded'],
  ],
  [
    'DOCLING_SERVE_ALLOWED_OCR_PRESETS',
    'CONVERT_SERVE_ALLOWED_OCR_PRESETS',
    '["auto", "tesseract"]',
    ['auto', 'tesseract'],
  ],
  ['DOCLING_SERVE_ALLOWED_SOURCE_TYPES', 'CONVERT_SERVE_ALLOWED_SOURCE_TYPES', 's3', ['s3']],
  ['DOCLING_SERVE_ALLOWED_TARGET_TYPES', 'CONVERT_SERVE_ALLOWED_TARGET_TYPES', 'inbody,zip', ['inbody', 'zip']],
  ['DOCLING_SERVE_ALLOW_CUSTOM_VLM_CONFIG', 'CONVERT_SERVE_ALLOW_CUSTOM_CONFIGS', 'true', ['vlm']],
  ['DOCLING_SERVE_ALLOW_CUSTOM_OCR_CONFIG', 'CONVERT_SERVE_ALLOW_CUSTOM_CONFIGS', 'false', []],
  ['DOCLING_SERVE_SHOW_VERSION_INFO', 'CONVERT_SERVE_SHOW_VERSION_INFO', 'false', false],
  ['DOCLING_SERVE_ENABLE_MANAGEMENT_ENDPOINTS', 'CONVERT_SERVE_ENABLE_MANAGEMENT_ENDPOINTS', 'true', true],
  ['DOCLING_SERVE_ENG_RAY_TENANT_ID_HEADER', 'CONVERT_SERVE_TENANT_ID_HEADER', 'X-Org', 'X-Org'],
  ['DOCLING_SERVE_ENG_LOC_NUM_WORKERS', 'DOCLOOM_CONVERSION_THREADS', '4', 4],
  ['DOCLING_SERVE_ARTIFACTS_PATH', 'DOCLOOM_MODELS_FOLDER', '/models', '/models'],
  ['DOCLING_SERVE_CORS_ORIGINS', 'CORS_ORIGINS', '["*"]', ['*']],
  ['DOCLING_SERVE_LOG_LEVEL', 'DS_LOG_LEVEL', 'WARNING', 'WARNING'],
  ['DOCLING_SERVE_ARTIFACT_STORAGE_ENDPOINT', 'CONVERT_SERVE_ARTIFACT_STORAGE_ENDPOINT', 's3:9000', 's3:9000'],
  [
    'DOCLING_SERVE_ARTIFACT_STORAGE_PRESIGN_TTL_SECONDS',
    'CONVERT_SERVE_ARTIFACT_STORAGE_PRESIGN_TTL_SECONDS',
    '60',
    60,
  ],
] as const)('%s is read as %s', (other, name, text, value) => {
  expect(readConfig({ [other]: text })[name]).toEqual(value);
});

test('switches set the items of a list that is not set itself', () => {
  const switches = {
    DOCLING_SERVE_ALLOW_CUSTOM_VLM_CONFIG: 'true',
    DOCLING_SERVE_ALLOW_CUSTOM_LAYOUT_CONFIG: '1',
    DOCLING_SERVE_ALLOW_CUSTOM_OCR_CONFIG: 'false',
  };
  expect(readConfig(switches).CONVERT_SERVE_ALLOW_CUSTOM_CONFIGS).toEqual(['vlm', 'layout']);
  const own = { ...switches, CONVERT_SERVE_ALLOW_CUSTOM_CONFIGS: 'ocr' };
  expect(readConfig(own).CONVERT_SERVE_ALLOW_CUSTOM_CONFIGS).toEqual(['ocr']);
});
