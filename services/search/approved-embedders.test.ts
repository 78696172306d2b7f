import { createEmbedderRule } from './approved-embedders';

const mayAsk = createEmbedderRule({
  LOCALMODEL_HOST: 'http://127.0.0.1:11434',
  HOSTEDMODEL_API_BASE_URL: 'https://vendor.example',
  DOCLOOM_SEARCH_EMBEDDERS: ['models.internal:8000', 'https://embed.example/v1'],
});

test.each([
  'http://127.0.0.1:11434/v1',
  'http://localhost:11434',
  'http://127.1:11434/v1',
  'https://vendor.example:443/ml',
  'https://models.internal:8000/v1',
  'http://Models.Internal:8000',
  'https://embed.example/other',
])('%s was approved', (address) => expect(mayAsk(address)).toBe(true));

test.each([
  'http://127.0.0.1:11435/v1',
  'http://127.0.0.1:11434@evil.example/v1',
  'http://evil.example:11434/v1',
  'http://127.0.0.1.evil.example:11434',
  'http://evil.example/127.0.0.1:11434',
  'https://127.0.0.1:11434',
  'http://vendor.example',
  'http://vendor.example:443',
  'https://evil-vendor.example',
  'https://vendor.example.evil.example',
  'https://embed.example:8000',
  'models.internal:8000',
  'no address',
  '',
])('%s was not', (address) => expect(mayAsk(address)).toBe(false));

test.each(['a b', 'ftp://host', 'http://', 'user@host:80', 'host:port'])('the entry %s is refused', (entry) => {
  expect(() => createEmbedderRule({ LOCALMODEL_HOST: '', DOCLOOM_SEARCH_EMBEDDERS: [entry] })).toThrow(
    expect.objectContaining({ code: 'INVALID_CONFIGURATION' }),
  );
});
