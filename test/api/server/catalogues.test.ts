import { AppError } from '../../../model/errors';
import { listDocumentClasses } from '../../../services/operator/document-classes';
import { alice, startApi } from '../../support/api/server';

test('all bundled document classes are listed, each with its fields and tables', async () => {
  const api = await startApi({ documentClasses: listDocumentClasses });
  const { status, body } = await api.call('GET', '/api/v1/document_classes', { user: alice });
  expect(status).toBe(200);
  const classes = body as { document_type: string; document_description: string }[];
  expect(classes.length).toBeGreaterThanOrEqual(36);
  expect(classes.every(({ document_description }) => document_description !== '')).toBe(true);
  await api.close();
});

describe('models of providers', () => {
  const model = { model_id: 'm', description: null, functions: ['embedding'], embedding_dimension: 384 };
  const requests: unknown[] = [];
  const start = () =>
    startApi({
      models: {
        list: async (...input) => {
          requests.push(input);
          if (input[1] === 'https://10.0.0.1') throw new AppError('ADDRESS_NOT_ALLOWED', 'private');
          if (input[0] === 'hostedmodel' && !input[1]) throw new AppError('MISSING_CONFIGURATION', 'not set');
          return [model];
        },
      },
    });

  test.each(['localmodel', 'ollama', 'Ollama'])('%s is the local host, under the requested name', async (name) => {
    const api = await start();
    const { status, body } = await api.call('GET', `/api/v1/providers/${name}/models`, { user: alice });
    expect([status, body, requests.at(-1)]).toEqual([
      200,
      { provider: name, models: [model] },
      ['localmodel', undefined],
    ]);
    await api.close();
  });

  test.each([
    ['other/models', 400, 'UNSUPPORTED_PROVIDER'],
    ['localmodel/models?api_base=https://a.example', 400, 'INVALID_API_BASE'],
    ['hostedmodel/models', 400, 'MISSING_CONFIGURATION'],
    ['watsonx/models?api_base=https://10.0.0.1', 403, 'ADDRESS_NOT_ALLOWED'],
  ])('%s is %i %s', async (path, status, code) => {
    const api = await start();
    const response = await api.call('GET', `/api/v1/providers/${path}`, { user: alice });
    expect(response).toMatchObject({ status, body: { errors: [{ code }] } });
    await api.close();
  });

  test('codes are sent in lower case as the reference system spells them', async () => {
    const api = await startApi({}, { codeCase: 'lower' });
    const { body } = await api.call('GET', '/api/v1/providers/other/models', { user: alice });
    expect(body).toMatchObject({ errors: [{ code: 'unsupported_provider', target: { name: 'provider' } }] });
    await api.close();
  });
});
