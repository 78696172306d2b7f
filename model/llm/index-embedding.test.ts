import { findIndexEmbedding, isSameEmbedding } from './index-embedding';

test.each([
  [{}, { type: 'builtin' }],
  [{ type: 'hashing' }, { type: 'hashing' }],
  [
    { provider: 'ollama', provider_config: { model_id: 'm', api_key: 'k' } },
    { type: 'local_api', model_id: 'm' },
  ],
  [
    { type: 'local_api', provider_config: { model_id: 'm', api_base: 'http://h/v1', dimensions: 8, timeout: 3 } },
    { type: 'local_api', model_id: 'm', api_base: 'http://h/v1', dimensions: 8 },
  ],
  [
    { type: 'hashing', provider_config: { model_id: 'm', dimensions: 64 } },
    { type: 'hashing', dimensions: 64 },
  ],
  [{ type: 'none' }, undefined],
])('%j is kept as %j', (config, expected) => {
  expect(findIndexEmbedding(config)).toEqual(expected);
});

test.each(['http://u:p@h/v1', 'https://${DOCLOOM_SECRET_HOST}/v1', 'https://h/v1?api_key=abc'])(
  'the address %s is not kept',
  (api_base) => {
    expect(findIndexEmbedding({ type: 'local_api', provider_config: { model_id: 'm', api_base } })).toEqual({
      type: 'local_api',
      model_id: 'm',
    });
  },
);

test('the model matters, the host does not', () => {
  const item = { type: 'local_api', model_id: 'm', api_base: 'http://a' };
  expect(isSameEmbedding(item, { ...item, api_base: 'http://b' })).toBe(true);
  expect(isSameEmbedding(item, { ...item, model_id: 'n' })).toBe(false);
});

test('the model behind builtin is unknown before the run, so it matches any', () => {
  expect(isSameEmbedding({ type: 'builtin' }, { type: 'onnx', model_id: 'm' })).toBe(true);
});
