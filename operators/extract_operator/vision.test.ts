import { findVisionPlan } from '../../model/conversion/vision/vision-plan';
import { findVisionOptions } from './vision';

const settings = { remoteServices: true, network: { allowed: [], own: [] } };
const model = {
  engine_options: { url: 'http://models.example/v1/chat/completions', api_key: 'k', params: { model: 'm' } },
};
const getPlan = (input: Parameters<typeof findVisionOptions>[0]) => {
  const options = findVisionOptions(input);
  return options && findVisionPlan(options, settings);
};

test('no model is called unless the settings require it', () => {
  expect(findVisionOptions({})).toBeUndefined();
  expect(findVisionOptions({ pipeline: 'standard', vlm_pipeline: model })).toBeUndefined();
});

test('vlm_pipeline, or pipeline vlm, sends pages to the model', () => {
  for (const input of [{ vlm_pipeline: model }, { pipeline: 'vlm', vlm_pipeline: model }]) {
    const plan = getPlan({
      ...input,
      vlm_pipeline: { ...model, response_format: 'markdown', prompt: 'Page.', scale: 3 },
    });
    expect(plan?.pages).toMatchObject({
      endpoint: {
        url: 'http://models.example/v1/chat/completions',
        headers: { Authorization: 'Bearer k' },
        params: { model: 'm' },
      },
      format: 'markdown',
      prompt: 'Page.',
      scale: 3,
    });
    expect(plan?.enrichments).toEqual({});
  }
});

test.each([
  ['do_code_enrichment', 'code'],
  ['do_formula_enrichment', 'formulas'],
  ['do_picture_classification', 'classification'],
  ['do_chart_extraction', 'charts'],
  ['do_picture_description', 'description'],
])('%s uses the same model, with its own prompt', (flag, task) => {
  const plan = getPlan({ pipeline: 'standard', [flag]: true, vlm_pipeline: { ...model, prompt: 'Page.' } });
  expect(plan?.pages).toBeUndefined();
  expect(Object.keys(plan?.enrichments ?? {})).toEqual([task]);
  expect(Object.values(plan?.enrichments ?? {})[0]?.prompt).not.toBe('Page.');
});

test('without an address the model of the server is used', () => {
  const server = {
    url: 'http://10.0.0.7/v1/chat/completions',
    findModel: () => 'big',
    format: 'html' as const,
    timeoutMs: 1_000,
    concurrency: 3,
  };
  const options = findVisionOptions({
    pipeline: 'vlm',
    do_picture_description: true,
    picture_description_area_threshold: 0.3,
  })!;
  const plan = findVisionPlan(options, { ...settings, server });
  expect(plan?.pages).toMatchObject({ format: 'html', endpoint: { isConfigured: true, params: { model: 'big' } } });
  expect(plan?.enrichments.description?.areaThreshold).toBe(0.3);
});
