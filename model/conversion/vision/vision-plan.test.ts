import { readConfig } from '../../config';
import { buildDefaultConvertOptions } from '../request/options';
import type { ModelConfig } from './model-configs';
import { findVisionPlan, listWantedTasks } from './vision-plan';
import { readVisionSettings } from './vision-settings';

const url = 'https://models.example/v1/chat/completions';
const remote = (more: object = {}, engine: object = {}): ModelConfig => ({
  engine_options: { engine_type: 'api', url, ...engine },
  ...more,
});
const options = (change: object) => ({ ...buildDefaultConvertOptions(), ...change });
const bare = { remoteServices: true, network: { allowed: ['models.local'], own: [] } };
const server = readVisionSettings(
  readConfig({
    CONVERT_SERVE_ENABLE_REMOTE_SERVICES: 'true',
    DOCLOOM_VISION_URL: 'http://10.0.0.7/v1/chat/completions',
    DOCLOOM_VISION_API_KEY: 'k1',
    DOCLOOM_VISION_MODEL: 'big',
    DOCLOOM_VISION_MODELS: 'description=small, charts = charter',
    DOCLOOM_VISION_FORMAT: 'markdown',
    DOCLOOM_VISION_CONCURRENCY: '7',
    DOCLOOM_VISION_SECONDS: '9',
  }),
);

test('nothing is planned without a request, and enrichments without a model are skipped', () => {
  expect(findVisionPlan(options({}), server)).toBeUndefined();
  expect(findVisionPlan(options({ do_code_enrichment: true }), bare)).toBeUndefined();
});

test('DOCLOOM_VISION_URL and its settings serve every task', () => {
  const plan = findVisionPlan(
    options({ pipeline: 'vlm', do_picture_description: true, do_chart_extraction: true, do_formula_enrichment: true }),
    server,
  );
  const endpoint = {
    url: 'http://10.0.0.7/v1/chat/completions',
    headers: { Authorization: 'Bearer k1' },
    params: { model: 'big' },
    timeoutMs: 9_000,
    concurrency: 7,
    isConfigured: true,
  };
  expect(plan?.pages).toMatchObject({ endpoint, format: 'markdown', scale: 2 });
  expect(plan?.pages?.prompt).toContain('Markdown');
  expect(plan?.enrichments.description?.endpoint.params).toEqual({ model: 'small' });
  expect(plan?.enrichments.charts?.endpoint.params).toEqual({ model: 'charter' });
  expect(Object.keys(plan?.enrichments ?? {})).toEqual(['charts', 'description', 'formulas']);
});

test('DOCLOOM_VISION_MODELS names known tasks only', () => {
  expect(() =>
    readVisionSettings(readConfig({ DOCLOOM_VISION_URL: url, DOCLOOM_VISION_MODELS: 'pictures=a' })),
  ).toThrow(/names a model for 'pictures'/);
});

test('a model of the request takes precedence over that of the server', () => {
  const config = remote(
    {
      prompt: 'Say.',
      scale: 3,
      model_spec: { default_repo_id: 'org/model', max_new_tokens: 99, response_format: 'html' },
    },
    { headers: { 'X-Key': 'k2' }, params: { temperature: 0.5 }, timeout: 3, concurrency: 2 },
  );
  const plan = findVisionPlan(options({ pipeline: 'vlm', vlm_pipeline_custom_config: config }), server);
  expect(plan?.pages).toEqual({
    endpoint: {
      url,
      headers: { 'X-Key': 'k2' },
      params: { model: 'org/model', max_tokens: 99, temperature: 0.5 },
      timeoutMs: 3_000,
      concurrency: 2,
      isConfigured: false,
    },
    prompt: 'Say.',
    format: 'html',
    scale: 3,
  });
});

test.each([
  ['api', 'http://localhost:11434/v1/chat/completions'],
  ['api_ollama', 'http://localhost:11434/v1/chat/completions'],
  ['api_lmstudio', 'http://localhost:1234/v1/chat/completions'],
  ['api_openai', 'https://api.openai.com/v1/chat/completions'],
] as const)('the usual address of %s', (engine_type, address) => {
  const config: ModelConfig = { engine_options: { engine_type } };
  const plan = findVisionPlan(
    options({ do_picture_description: true, picture_description_custom_config: config }),
    bare,
  );
  expect(plan?.enrichments.description?.endpoint.url).toBe(address);
});

test('a description without a way to run a model uses that of the server, with its own prompt', () => {
  for (const config of [{ prompt: 'Mine.' }, { prompt: 'Mine.', engine_options: { engine_type: 'auto_inline' } }]) {
    const plan = findVisionPlan(
      options({ do_picture_description: true, picture_description_custom_config: config }),
      server,
    );
    expect(plan?.enrichments.description).toMatchObject({ prompt: 'Mine.', endpoint: { isConfigured: true } });
  }
});

test('the default prompt for DocTags is not sent for another format', () => {
  const config = remote({ prompt: 'Convert this page to docling.', model_spec: { response_format: 'markdown' } });
  const plan = findVisionPlan(options({ pipeline: 'vlm', vlm_pipeline_custom_config: config }), bare);
  expect(plan?.pages?.prompt).toContain('as Markdown');
});

test('the selection of pictures is copied', () => {
  const config = remote({ classification_deny: ['logo'], classification_min_confidence: 0.4 });
  const plan = findVisionPlan(
    options({
      do_picture_description: true,
      picture_description_area_threshold: 0.2,
      picture_description_custom_config: config,
    }),
    bare,
  );
  expect(plan?.enrichments.description).toMatchObject({
    areaThreshold: 0.2,
    allow: null,
    deny: ['logo'],
    minConfidence: 0.4,
  });
});

test('code_formula: presets have their prompts, and extract_code and extract_formulas leave one out', () => {
  const both = { do_code_enrichment: true, do_formula_enrichment: true };
  const plan = findVisionPlan(options({ ...both, code_formula_preset: 'codeformulav2' }), server);
  expect([plan?.enrichments.code?.prompt, plan?.enrichments.formulas?.prompt]).toEqual(['<code>', '<formula>']);
  const item = options({ ...both, code_formula_custom_config: remote({ extract_code: false }) });
  expect(listWantedTasks(item).map(({ task }) => task)).toEqual(['formulas']);
});

test('without remote services no model is called, even if the server or the request names one', () => {
  const off = { ...server, remoteServices: false };
  expect(findVisionPlan(options({ do_picture_description: true }), off)).toBeUndefined();
  const named = options({ do_picture_description: true, picture_description_custom_config: remote() });
  for (const asked of [named, options({ pipeline: 'vlm' })])
    expect(() => findVisionPlan(asked, off)).toThrow(/CONVERT_SERVE_ENABLE_REMOTE_SERVICES/);
  expect(() => findVisionPlan(options({ pipeline: 'vlm' }), bare)).toThrow(/no model that sees pages/);
});
